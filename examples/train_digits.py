#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small multi-head attention layer on an instance and stores it with its weights.

    heedcert convert examples/digits.csv.gz --classes 3,8 --scale-bits 4 --limit 64 -o images.npz
    python3 examples/train_digits.py images.npz layer.npz
    heedcert convert layer.npz -o examples/digits-3-vs-8.json

Plain gradient descent on the logistic loss; the weights are rounded to multiples of 2^-8, so that
they are short exact numbers. Needs numpy.
"""
import sys

import numpy as np

HEADS, STEPS, STEP_SIZE, SPREAD = 8, 200, 4.0, 0.3


def attention(X, U, W):
    logits = np.einsum("ntb,hbc,nsc->hnts", X, W, X)
    A = np.exp(logits - logits.max(-1, keepdims=True))
    A /= A.sum(-1, keepdims=True)
    O = np.einsum("hnts,nsc->hntc", A, X)
    return A, O, np.einsum("htc,hntc->n", U, O) / np.sqrt(len(U))


def gradient(X, y, U, W):
    A, O, phi = attention(X, U, W)
    V = np.einsum("htc,nsc->hnts", U, X)
    centred = A * (V - (A * V).sum(-1, keepdims=True))
    slope = -y / (1 + np.exp(y * phi)) / len(y) / np.sqrt(len(U))
    return (np.einsum("n,hntc->htc", slope, O),
            np.einsum("n,ntb,hnts,nsc->hbc", slope, X, centred, X))


def main(source, target):
    data = np.load(source)
    X, y = data["X"], data["y"].astype(float)
    rng = np.random.default_rng(0)
    T, d = X.shape[1:]
    U = SPREAD * rng.normal(size=(HEADS, T, d))
    W = SPREAD * rng.normal(size=(HEADS, d, d))
    for _ in range(STEPS):
        dU, dW = gradient(X, y, U, W)
        U -= STEP_SIZE * dU
        W -= STEP_SIZE * dW
    U, W = np.round(U * 256) / 256, np.round(W * 256) / 256
    margins = y * attention(X, U, W)[2]
    print(f"loss {np.log1p(np.exp(-margins)).mean():.6f}, {np.sum(margins > 0)} of {len(y)} right")
    np.savez(target, X=X, y=data["y"], U=U, W=W)


if __name__ == "__main__":
    main(*sys.argv[1:3])
