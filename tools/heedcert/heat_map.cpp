// SPDX-License-Identifier: Apache-2.0
#include "heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace heedcert {
namespace {

constexpr double panel = 252, gap = 18, top = 44, legend = 16;

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

// From dark blue over green to yellow, of rising lightness. Precondition: share in [0, 1].
std::string colour(double share) {
  constexpr std::array<std::array<double, 3>, 5> stops = {
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double at = share * (stops.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double part = at - static_cast<double>(k);
  const auto channel = [&](std::size_t c) {
    return static_cast<int>(std::lround(stops[k][c] + part * (stops[k + 1][c] - stops[k][c])));
  };
  return format("#%02x%02x%02x", channel(0), channel(1), channel(2));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return format("<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">", x, y, anchor) + escaped(text) +
         "</text>\n";
}

}  // namespace

std::string heat_map(const std::vector<HeatPanel>& panels, const std::string& caption) {
  double least = INFINITY, most = 0;
  for (const HeatPanel& p : panels)
    for (const double v : p.values.entries())
      if (std::isfinite(v) && v > 0) {
        least = std::min(least, v);
        most = std::max(most, v);
      }
  const double range = std::max(std::log(most / least), 1e-12);
  const double width = gap + static_cast<double>(panels.size()) * (panel + gap);
  const double height = top + panel + 2 * gap + legend + 20;
  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      width, height);
  svg += label(gap, 16, "start", caption);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const heed::Matrix<double>& m = panels[k].values;
    const double left = gap + static_cast<double>(k) * (panel + gap);
    svg += label(left + panel / 2, top - 8, "middle", panels[k].title);
    const double w = panel / static_cast<double>(m.rows()),
                 h = panel / static_cast<double>(m.cols());
    for (std::size_t i = 0; i < m.rows(); ++i)
      for (std::size_t j = 0; j < m.cols(); ++j) {
        const double v = m(i, j);
        if (!(std::isfinite(v) && v > 0)) continue;
        svg +=
            format("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                   left + static_cast<double>(i) * w, top + panel - static_cast<double>(j + 1) * h,
                   w + 0.3, h + 0.3, colour(std::log(v / least) / range).c_str());
      }
  }
  const double below = top + panel + gap;
  for (int k = 0; k < 64; ++k)
    svg += format("<rect x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"%g\" fill=\"%s\"/>\n",
                  gap + k * panel / 64, below, panel / 64 + 0.3, legend, colour(k / 63.0).c_str());
  svg += label(gap, below + legend + 14, "start", format("%.3g", least));
  svg += label(gap + panel, below + legend + 14, "end", format("%.3g", most));
  svg += label(gap + panel + gap, below + legend - 3, "start", "loss, logarithmic scale");
  return svg + "</svg>\n";
}

}  // namespace heedcert
