# SPDX-License-Identifier: Apache-2.0
"""tools/import_attention.py on made-up layers; W, U and the attention are computed here, by loops.

Arguments: the script, heedcert. Exit code 77: numpy is missing.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIPPED: this python has no numpy; set HEED_PYTHON to one that does")
    sys.exit(77)

SCRIPT, HEEDCERT = sys.argv[1:3]
T, D, H, DK = 3, 4, 2, 2


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)


def expect(holds, what):
    if not holds:
        sys.exit("FAILED: " + what)


def close(a, b):
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-14, atol=1e-15)


class Made:
    """Small multiples of 1/8, so that all sums of products are exact."""

    def __init__(self, d=D):
        rng = np.random.default_rng(1)
        number = lambda *shape: rng.integers(-8, 9, size=shape) / 8
        self.X = number(T, d)
        self.Q, self.K, self.V = (number(d, H * DK) for _ in range(3))
        self.bQ, self.bK, self.bV = (number(H * DK) for _ in range(3))
        self.O, self.r = number(H * DK, 5), number(T, 5)

    def W(self, h):
        return [[sum(self.Q[a, h * DK + k] * self.K[b, h * DK + k] for k in range(DK))
                 / math.sqrt(DK) for b in range(D)] for a in range(D)]

    def U(self, h, O, r):
        return [[sum(self.V[a, h * DK + k] * O[h * DK + k][j] * r[t][j]
                     for k in range(DK) for j in range(len(r[t])))
                 for a in range(D)] for t in range(T)]

    def layer_read_out(self, O, r, biased):
        """sum_t r_t . Y_t of the layer itself, with its biases if wanted."""
        on = 1.0 if biased else 0.0
        q, k, v = (self.X @ m + on * b for m, b in
                   ((self.Q, self.bQ), (self.K, self.bK), (self.V, self.bV)))
        total = 0.0
        for h in range(H):
            part = slice(h * DK, (h + 1) * DK)
            for t in range(T):
                e = [math.exp(sum(q[t, part] * k[s, part]) / math.sqrt(DK)) for s in range(T)]
                out = sum(e[s] / sum(e) * v[s, part] for s in range(T))
                total += float((out @ np.array(O)[part]) @ np.array(r)[t])
        return total


def model_value(z):
    """H^(-1/2) sum_h <U_h, A_h X> as heedcert defines it."""
    X, total = z["X"][0], 0.0
    for U, W in zip(z["U"], z["W"]):
        logits = X @ W @ X.T
        A = np.exp(logits)
        total += float((U * (A / A.sum(1, keepdims=True) @ X)).sum())
    return total / math.sqrt(len(z["U"]))


def check_onnx(path, m, eye, ones):
    """A graph as exporters write it: folded transposed weights without a name, scoped MatMul nodes."""
    try:
        from onnx import helper, numpy_helper, TensorProto, save
    except ImportError:
        print("SKIPPED: the part on .onnx files; this python has no onnx (python3-onnx)")
        return
    weights = {"q_proj": m.Q, "k_proj": m.K, "v_proj": m.V}
    anonymous = {name: f"onnx::MatMul_{k}" for k, name in enumerate(weights)}

    def write(file, scope):
        nodes = [helper.make_node("MatMul", ["x", anonymous[name]], [name],
                                  name=f"/{name}/MatMul" if scope else f"/MatMul_{name}")
                 for name in weights]
        save(helper.make_model(helper.make_graph(
            nodes, "layer", [helper.make_tensor_value_info("x", TensorProto.DOUBLE, [T, D])],
            [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [T, H * DK]) for name in weights],
            [numpy_helper.from_array(a, anonymous[name]) for name, a in weights.items()])), file)

    np.save(path("tokens.npy"), m.X)
    write(path("scoped.onnx"), True)
    write(path("nameless.onnx"), False)
    common = ["--x", path("tokens.npy"), "--heads", str(H)]
    named = [word for role, name in zip("qkv", weights)
             for word in ("--name", f"{role}={anonymous[name]}")]
    for name, more in (("scoped", []), ("nameless", named)):
        done = run(path(name + ".onnx"), "-o", path(name + ".npz"), *common, *more)
        expect(done.returncode == 0, done.stderr)
        z = np.load(path(name + ".npz"))
        expect(close(z["W"], [m.W(h) for h in range(H)]), name + ".onnx: W")
        expect(close(z["U"], [m.U(h, eye, ones) for h in range(H)]), name + ".onnx: U")
    done = run(path("nameless.onnx"), "-o", path("x.npz"), *common)
    expect(done.returncode == 3 and "onnx::MatMul_0 (4 x 4)" in done.stderr
           and "--name q=ARRAY" in done.stderr, "nameless.onnx: " + done.stderr)
    done = run(path("nameless.onnx"), "-o", path("x.npz"), *common, "--name", "q=onnx::MatMul_9")
    expect(done.returncode == 3 and "no such array" in done.stderr, "--name: " + done.stderr)
    with open(path("broken.onnx"), "wb") as out:
        out.write(b"\x08\x07garbage")
    done = run(path("broken.onnx"), "-o", path("x.npz"), *common)
    expect(done.returncode == 3 and "broken.onnx" in done.stderr and "Traceback" not in done.stderr,
           "broken.onnx: " + done.stderr)


def main(folder):
    path = lambda name: os.path.join(folder, name)
    m = Made()
    eye, ones = np.eye(H * DK).tolist(), [[1.0] * (H * DK)] * T
    fused = dict(X=m.X, Wqkv=np.hstack([m.Q, m.K, m.V]), heads=H)
    biases = np.concatenate([m.bQ, m.bK, m.bV])
    np.savez(path("fused.npz"), **fused)
    np.savez(path("torch.npz"), **{"X": m.X, "a.in_proj_weight": fused["Wqkv"].T,
                                   "a.in_proj_bias": biases})
    np.savez(path("separate.npz"), X=m.X, W_Q=m.Q, W_K=m.K, W_V=m.V, W_O=m.O, heads=H)
    np.savez(path("biased.npz"), **fused, bqkv=biases)
    np.save(path("r.npy"), m.r)

    for name, more in (("fused", []), ("torch", ["--heads", str(H)])):
        done = run(path(name + ".npz"), "-o", path(name + "-out.npz"), *more)
        expect(done.returncode == 0, done.stderr)
        z = np.load(path(name + "-out.npz"))
        expect(close(z["W"], [m.W(h) for h in range(H)]), name + ": W")
        expect(close(z["U"], [m.U(h, eye, ones) for h in range(H)]), name + ": U")
        expect(close(z["X"], [m.X]) and list(z["y"]) == [1], name + ": X, y")
        expect(abs(model_value(z) * math.sqrt(H) - m.layer_read_out(eye, ones, False)) < 1e-12,
               name + ": read-out")
    expect("dropped: bias of Q" in done.stdout, "the dropped bias is not mentioned")

    done = run(path("separate.npz"), "-o", path("s.npz"), "--read-out", path("r.npy"),
               "--label", "-1")
    expect(done.returncode == 0, done.stderr)
    z = np.load(path("s.npz"))
    expect(close(z["U"], [m.U(h, m.O, m.r) for h in range(H)]), "separate: U")
    expect(list(z["y"]) == [-1], "separate: y")
    expect(abs(model_value(z) * math.sqrt(H) - m.layer_read_out(m.O, m.r, False)) < 1e-12,
           "separate: read-out")

    done = run(path("biased.npz"), "-o", path("b.npz"), "--append-bias")
    expect(done.returncode == 0, done.stderr)
    z = np.load(path("b.npz"))
    expect(z["X"].shape == (1, T, D + 1), "biased: X")
    expect(abs(model_value(z) * math.sqrt(H) - m.layer_read_out(eye, ones, True)) < 1e-12,
           "biased: read-out")

    done = run(path("fused.npz"), "-o", path("p.npz"), "--tokens", "1:3")
    expect(close(np.load(path("p.npz"))["X"], [m.X[1:3]]), "--tokens")

    # heedcert reads it, and agrees on Phi through the loss log(1 + e^(-Phi)).
    done = subprocess.run([HEEDCERT, "curvature", path("b.npz"), "--json"], capture_output=True,
                          text=True)
    expect(done.returncode in (0, 2), done.stderr)
    loss = float(json.loads(done.stdout)["quantities"]["loss"]["lo"])
    expect(abs(loss - math.log1p(math.exp(-model_value(z)))) < 1e-12, "heedcert's loss")

    check_onnx(path, m, eye, ones)

    refused = [
        (["fused.npz", "-o", path("fused-out.npz")], 3, "exists"),
        (["missing.npz", "-o", path("x.npz")], 3, "missing.npz"),
        (["torch.npz", "-o", path("x.npz")], 3, "--heads"),
        (["torch.npz", "-o", path("x.npz"), "--heads", "3"], 3, "does not divide"),
        (["torch.npz", "-o", path("x.npz"), "--heads", "2", "--layout", "columns"], 3, "--layout"),
        (["r.npy", "-o", path("x.npz")], 3, "W_Q, W_K, W_V"),
        (["fused.npz", "-o", path("x.npz"), "--tokens", "9:"], 3, "nothing is left"),
        (["fused.npz", "-o", path("x.npz"), "--read-out", path("fused.npz")], 3, "read-out"),
        (["nan.npz", "-o", path("x.npz")], 3, "finite"),
        (["fused.npz", "-o", path("no/folder/x.npz")], 3, "cannot be written"),
        (["fused.npz"], 64, "-o"),
        (["fused.npz", "-o", path("x.npz"), "--tokens", "a"], 64, "--tokens"),
        (["fused.npz", "-o", path("x.npz"), "--name", "w=a"], 64, "ROLE=ARRAY"),
    ]
    bad = dict(fused, X=np.full((T, D), np.nan))
    np.savez(path("nan.npz"), **bad)
    for arguments, code, word in refused:
        done = run(path(arguments[0]), *arguments[1:])
        expect(done.returncode == code and word in done.stderr and "Traceback" not in done.stderr,
               f"{arguments}: {done.returncode}: {done.stderr}")
        expect(not os.path.exists(path("x.npz")), f"{arguments}: left a file")
    print("ok")


with tempfile.TemporaryDirectory() as temporary:
    main(temporary)
