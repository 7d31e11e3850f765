# SPDX-License-Identifier: Apache-2.0
"""Runs our measurements and the peers' in turns and prints the ratios; called by tools/bench.sh."""
import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile

SHAPES = {
    "tiny": (32, 4, 4, 8),
    "small": (64, 8, 8, 16),
    "medium": (128, 32, 32, 16),
    "large": (64, 128, 64, 32),
}
MARGIN_SHAPES = ["6,8,10", "20,10,20", "50,16,32", "100,32,64"]
DIGITS = os.path.join(os.path.dirname(__file__), "..", "examples", "digits.csv.gz")
# N, n, D, d, d_v, H, p, and the kernel.
KERNEL_SHAPES = {f"{name}-{kernel}": (sizes, name, kernel)
                 for name, sizes in (("e6", "32,12,16,8,8,2,1"), ("large", "32,32,64,32,32,8,1"))
                 for kernel in ("softmax", "gaussian")}
KERNEL_PEER = os.path.join(os.path.dirname(__file__), "..", "tests", "bench", "torch_kernel.py")
DEFAULT_SHAPES = {
    "kernel": list(KERNEL_SHAPES),
    "digits": ["pairs"],
    "margin": MARGIN_SHAPES,
    "mha": ["tiny", "small", "medium", "large"],
    "lambda": ["small", "medium"],
    "precision": ["tiny", "small"],
}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with code {done.returncode}: {done.stderr[-400:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


class Peers:
    """The peer programs of one folder; missing ones are reported once."""

    def __init__(self):
        self.folder = os.environ.get("HEED_PEERS", "")
        self.python = os.environ.get("HEED_PYTHON", "/usr/bin/python3")
        self.missing = set()

    def run(self, program, shape, *options):
        path = os.path.join(self.folder, program)
        if not self.folder or not os.path.exists(path):
            if program not in self.missing:
                self.missing.add(program)
                print(f"bench: no {program} in HEED_PEERS={self.folder!r}; its rows are left out",
                      file=sys.stderr)
            return {}
        n, T, d, H = SHAPES[shape]
        sizes = ["--n", str(n), "--T", str(T), "--d", str(d), "--H", str(H)]
        return run([self.python, path, *sizes, "--clock", "cpu", *options])[-1]


def mha_round(rows, shape, peers):
    ours = {r["name"]: r for r in run([rows, "mha", shape])}
    small = shape in ("tiny", "small")
    torch = peers.run("torch_mha.py", shape, *(["--hessian"] if small else []))
    pairs = [("gradient", "torch", torch.get("grad_best")),
             ("hvp", "torch, graph retained", torch.get("hvp_repeat_best")),
             ("gradient", "at the rate of a product of order 512", ours["at_gemm_rate"]["seconds"]),
             ("hvp", "at the rate of a product of order 512", ours["at_gemm_rate"]["seconds"]),
             ("enclosed_gradient", "our gradient without bounds", ours["gradient"]["seconds"]),
             ("enclosed_gradient", "torch", torch.get("grad_best"))]
    if small:
        pairs += [("enclosed_gradient", "Arb at 53 bits", ours["arb_gradient"]["seconds"]),
                  ("hessian", "torch by columns", torch.get("hessian_best"))]
    return [(ours[name], peer, seconds, None) for name, peer, seconds in pairs]


def lambda_round(rows, shape, peers):
    ours = {r["name"]: r for r in run([rows, "lambda", shape])}["lambda_min"]
    if shape not in ("tiny", "small"):
        return [(ours, "none", None, None)]
    peer = peers.run("pyhessian_style.py", shape, "--dense", "--arpack")
    if not peer:
        return [(ours, "none", None, None)]
    dense = peer["dense_lmin"]
    arpack = peer.get("arpack_lmin")
    return [(ours, "torch, dense Hessian", peer["dense_hessian_time"] + peer["dense_eig_time"], None),
            (ours, "ARPACK on autograd", peer["t_graph"] + peer["arpack_time"],
             None if arpack is None else abs(arpack - dense) / abs(dense)),
            (ours, "power iteration, PyHessian defaults", peer["t_graph"] + peer["power_time"],
             abs(peer["power_rel_err"]))]


def precision_round(rows, shape, peers):
    ours = run([rows, "precision", shape])[0]
    peer = peers.run("mpmath_mha.py", shape, "--digits", "50", "--samples", "8")
    return [(ours, "mpmath", peer.get("grad"), None)]


def peer_lines(peers, program, command):
    """All JSON lines of a peer; none, and said so once, if it is missing or fails."""
    if not peers.folder or not os.path.exists(os.path.join(peers.folder, program)):
        command = None
    if command is not None:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if program not in peers.missing:
            print(f"bench: {program}: {done.stderr.strip()[-300:]}", file=sys.stderr)
    elif program not in peers.missing:
        print(f"bench: no {program} in HEED_PEERS={peers.folder!r}; its rows are left out",
              file=sys.stderr)
    peers.missing.add(program)
    return []


def compiled_peer(peers, build):
    """svm_peers_cpp.cpp as a program, or None if it does not compile (libraries are missing)."""
    source = os.path.join(peers.folder, "svm_peers_cpp.cpp")
    program = os.path.join(build, "svm_peers_cpp")
    if not peers.folder or not os.path.exists(source):
        return None
    if not os.path.exists(program):
        done = subprocess.run(
            ["g++", "-O3", "-march=native", "-std=gnu++17", "-DNDEBUG", "-I/usr/include/eigen3",
             "-I/usr/include/libalglib", source, "-o", program, "-lsvm", "-lalglib", "-ldlib",
             "-lgmpxx", "-lgmp", "-lmpfr", "-lblas", "-llapack"], capture_output=True, text=True)
        if done.returncode != 0:
            return None
    return program


def margin_round(rows, shape, peers):
    """Frobenius and nuclear margins: seconds and attained relative gap of either side."""
    build = os.path.dirname(rows)
    ours = {r["name"]: r for r in run([os.path.join(build, "bench_nuclear"), shape])}
    for r in run([os.path.join(build, "bench_margin"), shape]):
        r["name"] = "frobenius_" + r["name"]
        ours[r["name"]] = r
    script = os.path.join(peers.folder, "svm_peers.py")
    lines = peer_lines(peers, "svm_peers.py", [peers.python, script, "--sizes", shape, "--limit", "300",
                                               "--peers", "cvxopt_dual,sk_oneclass,cvxopt_sdp,csdp,sdpa"])
    program = compiled_peer(peers, build)
    if program:
        with tempfile.TemporaryDirectory() as folder:
            peer_lines(peers, "svm_peers.py",
                       [peers.python, script, "--sizes", shape, "--dump", folder])
            files = [os.path.join(folder, f) for f in os.listdir(folder)]
            lines += peer_lines(peers, "svm_peers_cpp.cpp",
                                [program, "libsvm,dlib,alglib_quickqp", *files])
    elif "svm_peers_cpp.cpp" not in peers.missing:
        peers.missing.add("svm_peers_cpp.cpp")
        print("bench: svm_peers_cpp.cpp does not compile here; LIBSVM, dlib and ALGLIB are left out",
              file=sys.stderr)
    if shape == "6,8,10":
        lines += peer_lines(peers, "svm_peer_sdpb.py",
                            [peers.python, os.path.join(peers.folder, "svm_peer_sdpb.py"), shape])
    pairs = []
    for line in lines:
        if line.get("error") or "time_s" not in line:
            continue
        name = "frobenius_solve" if line["prob"] == "fro" else "nuclear_double"
        if line["peer"] == "sdpb":
            name = "nuclear_40"
        if name == "frobenius_solve" and line["peer"] == "cvxopt_dual":
            pairs.append((ours["frobenius_double"], f"{line['peer']} {line['variant']}, its Gram matrix "
                          "not counted", line["time_s"], line.get("gap")))
        if name in ours:
            pairs.append((ours[name], f"{line['peer']} {line.get('variant', '')}".strip(),
                          line["time_s"], line.get("gap")))
    proved = [(r, "none", None, None) for name, r in ours.items()
              if name not in ("frobenius_solve", "frobenius_double", "nuclear_double")]
    return pairs + proved


def kernel_round(rows, shape, peers):
    """Gradient and Hessian-vector product of kernel attention against PyTorch."""
    sizes, name, kernel = KERNEL_SHAPES[shape]
    ours = {r["name"]: r for r in run([os.path.join(os.path.dirname(rows), "bench_kernel"), name, kernel])}
    done = subprocess.run([peers.python, KERNEL_PEER, "--sizes", sizes, "--kernel", kernel],
                          capture_output=True, text=True)
    torch = json.loads(done.stdout) if done.returncode == 0 else {}
    if not torch and "torch" not in peers.missing:
        peers.missing.add("torch")
        print(f"bench: PyTorch cannot be run: {done.stderr.strip()[-200:]}", file=sys.stderr)
    result = [(ours["gradient"], "torch", torch.get("gradient"), None),
              (ours["hvp"], "torch, graph retained", torch.get("hvp"), None),
              (ours["hvp"], "torch, graph built", torch.get("hvp_fresh"), None)]
    for own in ("gradient", "hvp"):
        for other in (f"{own}_avx2", f"{own}_baseline", f"generic_{own}", f"enclosed_{own}"):
            if other in ours:
                result.append((ours[own], f"ours, {other}", ours[other]["seconds"], ours[other]["error"]))
    return result


DIGITS_PEER = """
import csv, gzip, itertools, json, sys, time
import numpy as np
from sklearn.svm import SVC
with gzip.open(sys.argv[1], "rt") as f:
    table = np.array([[int(x) for x in row] for row in csv.reader(f)], dtype=float)
for a, b in itertools.combinations(range(10), 2):
    chosen = table[(table[:, -1] == a) | (table[:, -1] == b)]
    F = chosen[:, :-1] * np.where(chosen[:, -1] == a, 1.0, -1.0)[:, None]
    t = time.process_time()
    svm = SVC(kernel="linear", C=1e10, tol=1e-10, cache_size=2000, max_iter=5_000_000)
    svm.fit(np.r_[F, -F], np.r_[np.ones(len(F)), -np.ones(len(F))])  # mirrored: no intercept
    t = time.process_time() - t
    w = svm.coef_.ravel()
    print(json.dumps({"shape": f"{a}-{b}", "time_s": t,
                      "norm": float(np.linalg.norm(w) / (F @ w).min()) if (F @ w).min() > 0 else None}))
"""


def digits_round(rows, shape, peers):
    """All 45 pairs of digits as plain vectors: exact margins against scikit-learn's SVC (LIBSVM)."""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "digits.csv")
        with gzip.open(DIGITS, "rb") as source, open(table, "wb") as out:
            out.write(source.read())
        ours = run([os.path.join(os.path.dirname(rows), "bench_margin"), "digits", table])
    done = subprocess.run([peers.python, "-c", DIGITS_PEER, DIGITS], capture_output=True, text=True)
    peer = {p["shape"]: p for p in map(json.loads, done.stdout.splitlines())}
    if not peer and "sklearn" not in peers.missing:
        peers.missing.add("sklearn")
        print(f"bench: scikit-learn cannot be run: {done.stderr.strip()[-200:]}", file=sys.stderr)
    result = []
    for mine in ours:
        other = peer.get(mine["shape"])
        gap = other and other["norm"] and other["norm"] / mine["norm"] - 1
        result.append((mine, "SVC, C = 1e10, tol = 1e-10", other and other["time_s"], gap))
    return result


ROUNDS = {"digits": digits_round, "kernel": kernel_round, "mha": mha_round, "lambda": lambda_round,
          "precision": precision_round, "margin": margin_round}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suite", choices=sorted(ROUNDS))
    parser.add_argument("--rows", required=True, help="the program bench_rows")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", help="comma-separated, default by suite")
    a = parser.parse_args()
    shapes = a.shapes.split(",") if a.shapes else DEFAULT_SHAPES[a.suite]
    if a.suite == "margin":
        shapes = a.shapes.split(";") if a.shapes else MARGIN_SHAPES
    known = {"margin": MARGIN_SHAPES, "digits": ["pairs"],
             "kernel": list(KERNEL_SHAPES)}.get(a.suite, list(SHAPES))
    if any(s not in known for s in shapes) or a.rounds < 1:
        parser.error(f"shapes are {'; '.join(known)}; rounds at least 1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    peers = Peers()
    if not a.json:
        print(f"{'name':18} {'shape':9} {'ours':>10} {'peer':>10} {'ratio':>8}  peer; errors")
    for shape in shapes:
        rounds = [ROUNDS[a.suite](a.rows, shape, peers) for _ in range(a.rounds)]
        for k, (ours, peer, seconds, peer_error) in enumerate(rounds[0]):
            mine = statistics.median(r[k][0]["seconds"] for r in rounds)
            other = None if seconds is None else statistics.median(r[k][2] for r in rounds)
            line = {"name": ours["name"], "shape": ours.get("shape", shape), "ours_s": mine, "peer": peer,
                    "peer_s": other, "ratio": None if other is None else other / mine,
                    "ours_error": ours["error"], "peer_error": peer_error}
            if a.json:
                print(json.dumps(line), flush=True)
                continue
            text = lambda x, form: "-" if x is None else format(x, form)
            print(f"{line['name']:18} {line['shape']:9} {mine:10.3e} {text(other, '10.3e'):>10} "
                  f"{text(line['ratio'], '8.2f'):>8}  {peer}; "
                  f"{text(line['ours_error'], '.1e')}, {text(peer_error, '.1e')}", flush=True)


if __name__ == "__main__":
    main()
