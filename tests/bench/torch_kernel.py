#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peer of bench_kernel: the layer with square loss and pooled read-out in PyTorch, double, one thread.

    F_i = (1/n) 1^T sum_h S_ih X_i W_V^h W_O^h,   f = 1/2 sum_i |F_i - Y_i|^2

Prints one JSON line: processor seconds, medians after a warm-up, of
  gradient   forward and backward
  hvp        a Hessian-vector product by a second backward pass, the graph of the gradient retained
  hvp_fresh  the same with the graph built anew
Heads are packed into one projection, tokens are pooled before the output projection, and distances
come from the squares and one product, which is fast and loses digits near 0.
"""
import argparse
import json
import statistics
import time

import torch


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", required=True, help="N,n,D,d,dv,H,p")
    parser.add_argument("--kernel", choices=["softmax", "gaussian"], default="softmax")
    parser.add_argument("--seconds", type=float, default=0.5)
    return parser.parse_args()


def median_seconds(call, budget):
    call()
    times, begin = [], time.process_time()
    while not times or time.process_time() - begin < budget:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main():
    a = parse()
    N, n, D, d, dv, H, p = map(int, a.sizes.split(","))
    torch.set_num_threads(1)
    random = torch.Generator().manual_seed(0)

    def normal(*shape, scale=1.0):
        return scale * torch.randn(*shape, generator=random, dtype=torch.float64)

    X, Y, beta = normal(N * n, D), normal(N, p), d ** -0.5
    weights = [normal(D, H * c, scale=D ** -0.5) for c in (d, d, dv)] + [normal(H * dv, p, scale=dv ** -0.5)]
    directions = [normal(*w.shape) for w in weights]
    for w in weights:
        w.requires_grad_(True)

    def loss():
        def heads(w, c):
            return (X @ w).view(N, n, H, c).transpose(1, 2)

        Q, K, P = heads(weights[0], d), heads(weights[1], d), heads(weights[2], dv)
        scores = beta * (Q @ K.transpose(-1, -2))
        if a.kernel == "softmax":
            S = torch.softmax(scores, dim=-1)
        else:
            S = torch.exp(scores - beta / 2 * (Q.square().sum(-1, keepdim=True)
                                               + K.square().sum(-1).unsqueeze(-2)))
        pooled = (S @ P).mean(dim=2).reshape(N, H * dv)
        return (pooled @ weights[3] - Y).square().sum() / 2

    def gradient(**options):
        return torch.autograd.grad(loss(), weights, **options)

    kept = gradient(create_graph=True)

    def product():
        return torch.autograd.grad(kept, weights, grad_outputs=directions, retain_graph=True)

    def fresh_product():
        return torch.autograd.grad(gradient(create_graph=True), weights, grad_outputs=directions)

    print(json.dumps({"version": torch.__version__, "gradient": median_seconds(gradient, a.seconds),
                      "hvp": median_seconds(product, a.seconds),
                      "hvp_fresh": median_seconds(fresh_product, a.seconds)}))


if __name__ == "__main__":
    main()
