// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <nlohmann/json.hpp>

namespace heedcheck {
namespace {

constexpr std::size_t short_bits = 256;

bool is_exact(const Bounds& bounds) {
  return bounds.lo.num * bounds.hi.den == bounds.hi.num * bounds.lo.den;
}

// " = 0x4/0x9", or nothing if it is long.
std::string in_full(const Fraction& x) {
  const mpz_class larger = x.num > x.den ? x.num : x.den;
  if (mpz_sizeinbase(larger.get_mpz_t(), 2) > short_bits) return "";
  return " = " + hexadecimal(x.num) + "/" + hexadecimal(x.den);
}

std::string claim_in_words(const Verdict& verdict) {
  const bool rows = verdict.form == "rows";
  const std::string suffix = verdict.problem == "fro-eq" ? ", for the given right sides" : "";
  if (!verdict.bounds) {
    return std::string("no ") + (rows ? "vector" : "matrix") + " meets the constraints" + suffix;
  }
  const auto& [lo, hi] = *verdict.bounds;
  std::string text = verdict.problem == "nuc" ? "minimal nuclear norm"
                     : rows                   ? "minimal squared norm"
                                              : "minimal squared Frobenius norm";
  if (is_exact(*verdict.bounds)) {
    const std::string down = decimal(lo, false), up = decimal(hi, true);
    return text + (down == up ? " " + down : " in [" + down + ", " + up + "]") + in_full(lo) +
           ", exact" + suffix;
  }
  const std::string upper = "at most " + decimal(hi, true) + in_full(hi);
  if (lo.num == 0) return text + " " + upper + ", no lower bound" + suffix;
  return text + " at least " + decimal(lo, false) + in_full(lo) + ", " + upper + suffix;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// "at least LO, at most HI", of what there is; one number if both are the same.
std::string in_words(const Quantity& q) {
  const std::string lo = q.lo ? decimal(*q.lo, false) : "", hi = q.hi ? decimal(*q.hi, true) : "";
  if (lo == hi) return lo;
  return (lo.empty() ? "" : "at least " + lo) + (lo.empty() || hi.empty() ? "" : ", ") +
         (hi.empty() ? "" : "at most " + hi);
}

std::string selection_in_words(const Verdict& verdict) {
  if (verdict.selection.empty()) return "rows as given";
  const std::string lists = nlohmann::json(verdict.selection).dump();
  return verdict.is_proved("scores") ? lists : lists + " as given, optimality not claimed";
}

const char* name(Exit exit) {
  return exit == valid ? "valid" : exit == invalid ? "invalid" : "unreadable";
}

}  // namespace

Answer answer_to(const std::string& file, const std::string& text, const Expected& expected) {
  Answer answer;
  answer.file = file;
  try {
    answer.verdict = check(parse(text), expected);
    answer.exit = valid;
  } catch (const Unreadable& e) {
    answer.reason = e.what();
  } catch (const Invalid& e) {
    answer.exit = invalid;
    answer.reason = e.what();
  }
  // It may quote the file: no line break of a file begins a line of ours.
  for (char& c : answer.reason) c = static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
  return answer;
}

std::string lines(const Answer& answer) {
  std::string text = name(answer.exit);
  if (answer.exit != valid) return text + ": " + answer.reason + "\n";
  const Verdict& verdict = answer.verdict;
  const auto line = [&](const char* label, const std::string& value) {
    text += std::string("\n") + label + ": " + value;
  };
  line("problem", verdict.problem);
  line("kind", verdict.kind);
  if (verdict.kind == "landscape") {
    line("sha256", verdict.sha256);
    for (const std::string& statement : verdict.statements) line("proved", statement);
    line("claim", joined(verdict.claim));
    for (const Quantity& q : verdict.quantities) line(q.name.c_str(), in_words(q));
    return text + "\n";
  }
  line("form", verdict.form);
  line("sha256", verdict.sha256);
  line("select", selection_in_words(verdict));
  if (verdict.is_proved("scores")) {
    line("proved", "the selected tokens are exactly the maximisers of the scores");
  }
  if (verdict.is_proved("self")) line("proved", "the queries are tokens (self-attention)");
  line("claim", claim_in_words(verdict));
  return text + "\n";
}

std::string json(const std::vector<Answer>& answers) {
  using nlohmann::ordered_json;
  ordered_json results = ordered_json::array();
  for (const Answer& answer : answers) {
    ordered_json result = {{"file", answer.file}, {"verdict", name(answer.exit)}};
    const Verdict& verdict = answer.verdict;
    if (answer.exit != valid) {
      result["reason"] = answer.reason;
    } else if (verdict.kind == "landscape") {
      result.update({{"problem", verdict.problem},
                     {"kind", verdict.kind},
                     {"sha256", verdict.sha256},
                     {"proved", verdict.statements},
                     {"claim", verdict.claim},
                     {"bounds", ordered_json::object()}});
      for (const Quantity& q : verdict.quantities) {
        ordered_json& bound = result["bounds"][q.name];
        if (q.lo) bound["lo"] = decimal(*q.lo, false);
        if (q.hi) bound["hi"] = decimal(*q.hi, true);
      }
    } else {
      result.update({{"problem", verdict.problem},
                     {"kind", verdict.kind},
                     {"form", verdict.form},
                     {"sha256", verdict.sha256},
                     {"select", nullptr},
                     {"proved", verdict.proved}});
      if (!verdict.selection.empty()) result["select"] = verdict.selection;
    }
    if (verdict.bounds) {
      result["claim"] = {{"lo", decimal(verdict.bounds->lo, false)},
                         {"hi", decimal(verdict.bounds->hi, true)},
                         {"exact", is_exact(*verdict.bounds)}};
    }
    results.push_back(std::move(result));
  }
  // A file name or a reason may hold any bytes.
  return ordered_json{{"schema", "heedcheck-1"}, {"results", std::move(results)}}.dump(
             -1, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace heedcheck
