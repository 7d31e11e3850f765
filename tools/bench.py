# SPDX-License-Identifier: Apache-2.0
"""Runs our measurements and the peers' in turns and prints the ratios; called by tools/bench.sh."""
import argparse
import json
import os
import statistics
import subprocess
import sys

SHAPES = {
    "tiny": (32, 4, 4, 8),
    "small": (64, 8, 8, 16),
    "medium": (128, 32, 32, 16),
    "large": (64, 128, 64, 32),
}
DEFAULT_SHAPES = {
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


ROUNDS = {"mha": mha_round, "lambda": lambda_round, "precision": precision_round}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suite", choices=sorted(ROUNDS))
    parser.add_argument("--rows", required=True, help="the program bench_rows")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", help="comma-separated, default by suite")
    a = parser.parse_args()
    shapes = a.shapes.split(",") if a.shapes else DEFAULT_SHAPES[a.suite]
    unknown = [s for s in shapes if s not in SHAPES]
    if unknown or a.rounds < 1:
        parser.error(f"shapes are {', '.join(SHAPES)}; rounds at least 1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    peers = Peers()
    if not a.json:
        print(f"{'name':18} {'shape':7} {'ours':>10} {'peer':>10} {'ratio':>8}  peer; errors")
    for shape in shapes:
        rounds = [ROUNDS[a.suite](a.rows, shape, peers) for _ in range(a.rounds)]
        for k, (ours, peer, seconds, peer_error) in enumerate(rounds[0]):
            mine = statistics.median(r[k][0]["seconds"] for r in rounds)
            other = None if seconds is None else statistics.median(r[k][2] for r in rounds)
            line = {"name": ours["name"], "shape": shape, "ours_s": mine, "peer": peer,
                    "peer_s": other, "ratio": None if other is None else other / mine,
                    "ours_error": ours["error"], "peer_error": peer_error}
            if a.json:
                print(json.dumps(line), flush=True)
                continue
            text = lambda x, form: "-" if x is None else format(x, form)
            print(f"{line['name']:18} {shape:7} {mine:10.3e} {text(other, '10.3e'):>10} "
                  f"{text(line['ratio'], '8.2f'):>8}  {peer}; "
                  f"{text(line['ours_error'], '.1e')}, {text(peer_error, '.1e')}", flush=True)


if __name__ == "__main__":
    main()
