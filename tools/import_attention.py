#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the weights of a trained attention layer and its tokens into an instance for heedcert.

    tools/import_attention.py layer.npz -o instance.npz
    heedcert verify instance.npz

The layer, for tokens x_1, ..., x_T of dimension d (rows of X) and heads h = 1, ..., H:

    logits  z_ts = scale (x_t W_Q,h + b_Q,h) . (x_s W_K,h + b_K,h),   scale = 1/sqrt(d_k)
    head    o_ht = sum_s softmax(z_t)_s (x_s W_V,h + b_V,h)           (d_v numbers)
    output  Y_t  = sum_h o_ht W_O,h                                   (p numbers)

Each projection is d x m and multiplies from the right (layout "columns"); m x d weights as PyTorch
stores them (layout "rows") are transposed first. Without W_O the output is the heads' outputs side by
side, p = H d_v. With a read-out r_t for each token (default: ones) the instance is

    W_h  = scale W_Q,h W_K,h^T         so that  z_ts = x_t^T W_h x_s
    u_ht = W_V,h W_O,h r_t             so that  <U_h, A_h X> = sum_t r_t . (o_ht W_O,h)
    Phi  = H^(-1/2) sum_h <U_h, A_h X> = H^(-1/2) times the read-out of the layer's output

Biases are dropped, or with --append-bias kept by a further coordinate 1 of every token:

    x -> (x, 1)   W_h -> scale [[W_Q W_K^T, W_Q b_K], [b_Q W_K^T, b_Q . b_K]]   u -> (u, b_V . W_O r)

Products are rounded in double precision. The instance is the rounded product: heedcert takes its
numbers as exact from there on. Needs numpy; for .onnx files also onnx.

Names: the array names below, also as the end of a longer name ("encoder.0.attn.in_proj_weight").
In .onnx files a weight without a name takes that of its MatMul node ("/q_proj/MatMul"); --name says
the rest.
Exit codes: 0 done, 3 bad input, 64 usage.
"""
import argparse
import os
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("import_attention: numpy is missing; install python3-numpy", file=sys.stderr)
    sys.exit(3)

# Role -> names; those that PyTorch uses for m x d weights come first.
ROWS = {
    "qkv": ["in_proj_weight", "qkv.weight", "qkv_proj.weight", "Wqkv.weight"],
    "q": ["q_proj.weight", "query.weight", "q_proj_weight"],
    "k": ["k_proj.weight", "key.weight", "k_proj_weight"],
    "v": ["v_proj.weight", "value.weight", "v_proj_weight"],
    "o": ["out_proj.weight", "o_proj.weight"],
}
COLUMNS = {
    "qkv": ["Wqkv", "W_QKV", "qkv", "c_attn.weight"],
    "q": ["W_Q", "Wq", "WQ"],
    "k": ["W_K", "Wk", "WK"],
    "v": ["W_V", "Wv", "WV"],
    "o": ["W_O", "Wo", "WO", "c_proj.weight"],
}
BIASES = {
    "qkv": ["in_proj_bias", "qkv.bias", "qkv_proj.bias", "bqkv", "b_QKV", "c_attn.bias"],
    "q": ["q_proj.bias", "query.bias", "b_Q", "bq"],
    "k": ["k_proj.bias", "key.bias", "b_K", "bk"],
    "v": ["v_proj.bias", "value.bias", "b_V", "bv"],
    "o": ["out_proj.bias", "o_proj.bias", "b_O", "bo", "c_proj.bias"],
}


class BadInput(Exception):
    pass


def shape_text(a):
    return " x ".join(map(str, a.shape)) or "a single number"


def scoped(arrays, nodes):
    """Exporters fold the transposed weight of a linear map into an array without a name; the MatMul node
    "/q_proj/MatMul" still says whose it is. Such an array becomes "q_proj.weight", m x d."""
    for node in nodes:
        scope = node.name.strip("/").split("/")[:-1]
        anonymous = [k for k in node.input if k.startswith("onnx::") and k in arrays]
        if node.op_type == "MatMul" and scope and len(anonymous) == 1 and node.input[1] in anonymous:
            arrays["/".join(scope) + ".weight"] = arrays.pop(anonymous[0]).T
    return arrays


def load(path, single="X"):
    """All arrays of a file, by name; that of a .npy file is named `single`."""
    try:
        if path.endswith(".onnx"):
            try:
                import onnx
                from onnx import numpy_helper
            except ImportError:
                raise BadInput(f"{path}: reading .onnx needs onnx; install python3-onnx, or save the "
                               "initialisers with numpy.savez")
            graph = onnx.load(path).graph
            return scoped({t.name: numpy_helper.to_array(t) for t in graph.initializer}, graph.node)
        data = np.load(path, allow_pickle=False)
        return {single: data} if isinstance(data, np.ndarray) else {k: data[k] for k in data.files}
    except BadInput:
        raise
    except Exception as error:  # numpy, zipfile and protobuf raise many kinds
        raise BadInput(f"{path}: cannot be read as .npz, .npy or .onnx: {error}")


class Layer:
    def __init__(self, path, arrays, layout, names=()):
        self.path, self.arrays, self.layout, self.used = path, arrays, layout, {}
        self.names = dict(names)  # role -> the array that the user named

    def fail(self, message):
        raise BadInput(f"{self.path}: {message}")

    def find(self, names):
        """The array with one of these names, or None; two of them are a mistake."""
        found = [k for k in self.arrays
                 if any(k == n or k.endswith("." + n) or k.endswith("/" + n) for n in names)]
        if len(found) > 1:
            self.fail("expected one of " + ", ".join(sorted(found)) + "; found them all. Save one "
                      "layer in a file of its own (multi-layer files are not split)")
        if not found:
            return None
        a = np.asarray(self.arrays[found[0]])
        if a.dtype.kind not in "fiu":
            self.fail(f"{found[0]}: expected numbers, found {a.dtype}")
        a = a.astype(np.float64)
        if not np.isfinite(a).all():
            where = tuple(int(k) for k in np.argwhere(~np.isfinite(a))[0])
            self.fail(f"{found[0]}: expected finite numbers, found {a[where]} at {where}")
        self.used[found[0]] = a
        return a

    def named(self, role):
        name = self.names[role]
        if name not in self.arrays:
            self.fail(f"--name {role}={name}: no such array; the file has {self.listing()}")
        return self.find([name])

    def listing(self):
        return ", ".join(f"{k} ({shape_text(np.asarray(a))})"
                         for k, a in sorted(self.arrays.items())) or "nothing"

    def weight(self, role, d, width=None):
        """The weight of a role as d x m, or None. `width` is m where it is known."""
        if role in self.names:
            rows, columns = None, self.named(role)
        else:
            rows, columns = self.find(ROWS[role]), self.find(COLUMNS[role])
        if rows is not None and columns is not None:
            self.fail(f"found two weights for {role.upper()}; keep one")
        a = rows if rows is not None else columns
        if a is None:
            return None
        name = list(self.used)[-1] if self.used else role
        if a.ndim != 2:
            self.fail(f"{name}: expected a matrix, found shape {shape_text(a)}")
        layout = self.layout or ("rows" if rows is not None else "columns")
        m = a.T if layout == "rows" else a
        if m.shape[0] != d or (width is not None and m.shape[1] != width):
            self.fail(f"{name}: expected {d} x {width or 'm'} in layout 'columns' (d x m) or its "
                      f"transpose in 'rows', found {shape_text(a)} read as '{layout}'; try --layout")
        return m

    def bias(self, role, width):
        b = self.find(BIASES[role])
        if b is not None and b.shape != (width,):
            self.fail(f"bias of {role.upper()}: expected {width} numbers, found {shape_text(b)}")
        return b


def part(text):
    """A:B, A:, :B or a count N (= :N) as a slice."""
    try:
        first, colon, last = text.partition(":")
        if not colon:
            first, last = "", first
        s = slice(int(first) if first else None, int(last) if last else None)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected N or A:B, found {text!r}")
    if any(k is not None and k < 0 for k in (s.start, s.stop)):
        raise argparse.ArgumentTypeError("negative positions are not supported")
    return s


def role_name(text):
    role, equal, name = text.partition("=")
    if role not in ROWS or not equal or not name:
        raise argparse.ArgumentTypeError(f"expected ROLE=ARRAY with a role of {', '.join(ROWS)}, "
                                         f"found {text!r}")
    return role, name


def tokens(layer, options):
    if options.x:
        arrays = load(options.x)
        source = Layer(options.x, arrays, None)
    else:
        source = layer
    X = source.find(["X", "tokens"])
    if X is None:
        source.fail("expected tokens named X (T x d, or n x T x d), found "
                    + (", ".join(sorted(source.arrays)) or "nothing") + "; or give --x FILE")
    if X.ndim == 2:
        X = X[None]
    if X.ndim != 3:
        source.fail(f"X: expected T x d or n x T x d, found {shape_text(X)}")
    X = X[options.rows][:, options.tokens]
    if 0 in X.shape:
        source.fail(f"X: nothing is left of it after --rows and --tokens: {shape_text(X)}")
    return X


def projections(layer, d):
    """W_Q, W_K, W_V (d x m) and b_Q, b_K, b_V (or None)."""
    fused = layer.weight("qkv", d)
    if fused is not None:
        if fused.shape[1] % 3:
            layer.fail(f"fused weight: expected 3 m columns, found {fused.shape[1]}")
        b = layer.bias("qkv", fused.shape[1])
        return np.split(fused, 3, axis=1), [None] * 3 if b is None else np.split(b, 3)
    W = [layer.weight(role, d) for role in "qkv"]
    missing = [r.upper() for r, w in zip("qkv", W) if w is None]
    if missing:
        layer.fail("expected a fused weight (" + ", ".join((ROWS["qkv"] + COLUMNS["qkv"])[:5])
                   + ", ...) or W_Q, W_K, W_V; missing " + ", ".join(missing) + ", found "
                   + layer.listing() + "; name them with --name q=ARRAY and so on")
    return W, [layer.bias(role, w.shape[1]) for role, w in zip("qkv", W)]


def head_count(layer, options, width):
    heads = options.heads
    if heads is None:
        stored = layer.find(["heads", "num_heads", "n_heads"])
        if stored is None or stored.size != 1:
            layer.fail("expected the number of heads: an array named heads, or --heads H")
        heads = int(stored.reshape(()))
    if heads < 1 or width % heads:
        layer.fail(f"heads: {heads} does not divide the width {width} of the projections")
    return heads


def read_out(options, T, p):
    if not options.read_out:
        return np.ones((T, p))
    source = Layer(options.read_out, load(options.read_out, "read_out"), None)
    r = source.find(["read_out"])
    if r is None or r.shape not in ((p,), (T, p)):
        source.fail(f"read-out: expected {p} numbers or {T} x {p}, found "
                    + ("no array named read_out" if r is None else shape_text(r)))
    return np.broadcast_to(r, (T, p))


def build(options, say):
    layer = Layer(options.layer, load(options.layer), options.layout, options.name)
    X = tokens(layer, options)
    n, T, d = X.shape
    (WQ, WK, WV), (bQ, bK, bV) = projections(layer, d)
    if WQ.shape != WK.shape:
        layer.fail(f"W_Q is {shape_text(WQ)}, W_K is {shape_text(WK)}: expected the same shape")
    H = head_count(layer, options, WQ.shape[1])
    if WV.shape[1] % H:
        layer.fail(f"heads: {H} does not divide the width {WV.shape[1]} of W_V")
    dk, dv = WQ.shape[1] // H, WV.shape[1] // H
    scale = 1 / np.sqrt(dk) if options.scale is None else options.scale
    WO = layer.weight("o", H * dv)
    bO = layer.find(BIASES["o"])
    say(f"read: n = {n}, T = {T}, d = {d}, H = {H}, d_k = {dk}, d_v = {dv}, scale = {scale!r}")
    if WO is None:
        say("assumed: no output projection W_O; the heads' outputs stand side by side")
        WO = np.eye(H * dv)
    r = read_out(options, T, WO.shape[1])
    if not options.read_out:
        say(f"assumed: read-out of ones on all {WO.shape[1]} outputs of every token")
    zero = lambda b, m: np.zeros(m) if b is None else b
    bq, bk, bv = zero(bQ, H * dk), zero(bK, H * dk), zero(bV, H * dv)
    W, U = [], []
    for h in range(H):
        qk, v = slice(h * dk, (h + 1) * dk), slice(h * dv, (h + 1) * dv)
        Q, K, V, s = WQ[:, qk], WK[:, qk], WV[:, v], WO[v] @ r.T
        if options.append_bias:
            Q, K, V = np.vstack([Q, bq[qk]]), np.vstack([K, bk[qk]]), np.vstack([V, bv[v]])
        W.append(scale * (Q @ K.T))
        U.append((V @ s).T)
    if options.append_bias:
        X = np.concatenate([X, np.ones((n, T, 1))], axis=2)
        say("kept: biases of Q, K and V, by a further coordinate 1 of every token")
    else:
        for name, b, effect in (("Q", bQ, "the attention changes"),
                                ("K", bK, "no effect, softmax does not see it"),
                                ("V", bV, "Phi changes by a constant")):
            if b is not None and b.any():
                say(f"dropped: bias of {name}, up to {np.abs(b).max():.3g} ({effect}); "
                    "--append-bias keeps it")
    if bO is not None and bO.any():
        say("dropped: bias of the output (Phi changes by a constant)")
    say("assumed: no mask, no dropout, no normalisation or residual inside; one layer")
    say(f"assumed: label y = {options.label:+d} for every sample")
    say("rounded: W and U are products in double precision; the instance is the rounded product")
    say("Phi = H^(-1/2) times the read-out of the layer's output")
    unused = sorted(set(layer.arrays) - set(layer.used) - {"heads", "num_heads", "n_heads"})
    if unused:
        say("ignored: " + ", ".join(unused[:8]) + (f" and {len(unused) - 8} more"
                                                   if len(unused) > 8 else ""))
    result = {"X": X, "y": np.full(n, options.label, dtype=np.int64),
              "U": np.array(U), "W": np.array(W)}
    for name, a in result.items():
        if not np.isfinite(a).all():
            layer.fail(f"{name} overflows in double precision")
    return result


def store(path, arrays):
    """Writes to a temporary name and renames."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(suffix=".npz", dir=folder)
        with os.fdopen(handle, "wb") as stream:
            np.savez(stream, **arrays)
        os.replace(temporary, path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"import_attention: {message}\n")


def main():
    p = Parser(prog="import_attention.py", description=__doc__,
               formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("layer", help="weights: .npz or .onnx")
    p.add_argument("-o", "--output", required=True, help="instance to write (.npz)")
    p.add_argument("--force", action="store_true", help="overwrite the output")
    p.add_argument("--x", help="tokens: .npy, or .npz with X (default: X of the layer's file)")
    p.add_argument("--heads", type=int, help="number of heads (default: array 'heads')")
    p.add_argument("--name", action="append", type=role_name, default=[], metavar="ROLE=ARRAY",
                   help="the array of a role (q, k, v, o or qkv) whose name says nothing, d x m unless "
                        "--layout rows; may be repeated")
    p.add_argument("--layout", choices=["columns", "rows"],
                   help="weights are d x m (columns) or m x d (rows); default by their names")
    p.add_argument("--scale", type=float, help="factor of the logits (default 1/sqrt(d_k))")
    p.add_argument("--read-out", help=".npy or .npz with read_out: p numbers or T x p")
    p.add_argument("--append-bias", action="store_true", help="keep the biases of Q, K and V")
    p.add_argument("--label", type=int, choices=[1, -1], default=1, help="y of every sample")
    p.add_argument("--rows", type=part, default=slice(None), help="samples to take: N or A:B")
    p.add_argument("--tokens", type=part, default=slice(None), help="tokens to take: N or A:B")
    options = p.parse_args()
    try:
        if os.path.exists(options.output) and not options.force:
            raise BadInput(f"{options.output}: exists; choose another name or give --force")
        store(options.output, build(options, print))
    except BadInput as error:
        print(f"import_attention: {error}", file=sys.stderr)
        return 3
    print(f"wrote {options.output}; now: heedcert verify {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
