#!/usr/bin/env python3
"""Times the arithmetic of a GR00T N1.7 call in PyTorch: the same products, attentions, norms and activations in the
same order, with made-up weights in the published sizes. No processors, no dispatch of a model framework around it.

    torch_n17.py --layout droid --runs 7            needs torch, from PyPI; see docs/performance.md

Prints one JSON object: milliseconds by stage and in all (medians), and those of the linear layers alone.
"""
import argparse
import json
import statistics
import time

import torch
import torch.nn.functional as F

# patches of each picture, tokens in all, tokens of pictures
LAYOUTS = {"droid": ([448] * 4, 480, 448), "libero1": ([256], 90, 64), "libero2": ([256] * 2, 154, 128)}
STEPS, ACTION_ROWS, ACTION_DIM = 4, 40, 132


class Model:
    """Weights are made when first asked for, and every use of a linear layer is noted."""

    def __init__(self, dtype):
        self.dtype, self.weights, self.calls = dtype, {}, []

    def linear(self, name, x, out):
        if name not in self.weights:
            scale = x.shape[-1] ** -0.5
            self.weights[name] = (torch.randn(out, x.shape[-1], dtype=self.dtype) * scale,
                                  torch.zeros(out, dtype=self.dtype))
        self.calls.append((name, x.shape[0]))
        return F.linear(x, *self.weights[name])

    def feed_forward(self, name, x, inner):
        hidden = F.gelu(self.linear(name + ".fc1", x, inner), approximate="tanh")
        return self.linear(name + ".fc2", hidden, x.shape[-1])

    def attention(self, name, x, context, heads, parts, kv_heads=None, head_dim=None, turn=None, causal=False):
        """`parts`: rows of each segment; softmax(q k^T) v inside each."""
        kv_heads, head_dim = kv_heads or heads, head_dim or x.shape[-1] // heads
        q = self.linear(name + ".q", x, heads * head_dim).view(-1, heads, head_dim)
        k = self.linear(name + ".k", context, kv_heads * head_dim).view(-1, kv_heads, head_dim)
        v = self.linear(name + ".v", context, kv_heads * head_dim).view(-1, kv_heads, head_dim)
        if turn is not None:
            q, k = turn(q), turn(k)
        rows = []
        for qs, ks, vs in zip(q.split(parts or len(q)), k.split(parts or len(k)), v.split(parts or len(v))):
            rows.append(F.scaled_dot_product_attention(qs.transpose(0, 1)[None], ks.transpose(0, 1)[None],
                                                       vs.transpose(0, 1)[None], is_causal=causal,
                                                       enable_gqa=kv_heads != heads)[0].transpose(0, 1))
        return self.linear(name + ".o", torch.cat(rows).flatten(1), x.shape[-1])


def rope(head_dim, rows, dtype):
    cos, sin = torch.randn(2, rows, 1, head_dim, dtype=dtype)

    def turn(x):
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat([-b, a], dim=-1) * sin

    return turn


def norm(x):
    return F.layer_norm(x, x.shape[-1:])


def rms(x):
    return F.rms_norm(x, x.shape[-1:], eps=1e-6)


def merge(model, name, x):
    x = norm(x.view(-1, 4096))
    return model.linear(name + ".fc2", F.gelu(model.linear(name + ".fc1", x, 4096)), 2048)


def vision(model, pixels, patches):
    x = model.linear("vision.patch", pixels, 1024)
    turn = rope(64, len(x), x.dtype)
    deepstack = []
    for block in range(24):
        name = f"vision.{block}"
        x = x + model.attention(name, norm(x), norm(x), 16, patches, turn=turn)
        x = x + model.feed_forward(name, norm(x), 4096)
        if block in (5, 11, 17):
            deepstack.append(merge(model, f"vision.deepstack.{block}", x))
    return merge(model, "vision.merger", x), deepstack


def text(model, x, deepstack):
    turn = rope(128, len(x), x.dtype)
    for block in range(16):
        name = f"llm.{block}"
        n = rms(x)
        x = x + model.attention(name, n, n, 16, None, kv_heads=8, head_dim=128, turn=lambda h: turn(rms(h)), causal=True)
        n = rms(x)
        inner = F.silu(model.linear(name + ".gate", n, 6144)) * model.linear(name + ".up", n, 6144)
        x = x + model.linear(name + ".down", inner, 2048)
        if block < len(deepstack):
            x = torch.cat([x[:len(deepstack[block])] + deepstack[block], x[len(deepstack[block]):]])
    return x


def adapter(model, x):
    x = norm(x)
    for block in range(4):
        n = norm(x)
        x = x + model.attention(f"adapter.{block}", n, n, 32, None)
        x = x + model.feed_forward(f"adapter.{block}", norm(x), 8192)
    return x


def denoise(model, context, image_tokens, actions):
    state = torch.randn(1, 1536, dtype=model.dtype)
    image, words = context[:image_tokens], context[image_tokens:]
    for step in range(STEPS):
        encoded = model.linear("encoder.W1", actions, 1536)
        encoded = model.linear("encoder.W2", torch.cat([encoded, encoded], dim=-1), 1536)
        x = torch.cat([state, model.linear("encoder.W3", F.silu(encoded), 1536)])
        time_vector = torch.randn(1, 1536, dtype=model.dtype)
        for block in range(32):
            name = f"dit.{block}"
            scale, shift = model.linear(name + ".ada", F.silu(time_vector), 3072).chunk(2, dim=-1)
            n = norm(x) * (1 + scale) + shift
            other = n if block % 2 else (words if block % 4 == 0 else image)
            x = x + model.attention(name, n, other, 32, None)
            x = x + model.feed_forward(name, norm(x), 6144)
        out = model.linear("dit.proj_out_2", norm(x), 1024)
        velocity = model.linear("decoder.2", F.relu(model.linear("decoder.1", out, 1024)), ACTION_DIM)
        actions = actions + velocity[1:] / STEPS
    return actions


def call(model, layout):
    patches, tokens, image_tokens = LAYOUTS[layout]
    times, start = {}, time.perf_counter()

    def done(stage):
        nonlocal start
        now = time.perf_counter()
        times[stage], start = 1e3 * (now - start), now

    image, deepstack = vision(model, torch.randn(sum(patches), 1536, dtype=model.dtype), patches)
    done("vision")
    words = torch.randn(tokens - image_tokens, 2048, dtype=model.dtype)
    x = text(model, torch.cat([image, words]), deepstack)
    done("llm")
    x = adapter(model, x)
    done("adapter")
    denoise(model, x, image_tokens, torch.randn(ACTION_ROWS, ACTION_DIM, dtype=model.dtype))
    done("denoise")
    times["total"] = sum(times.values())
    return times


def linear_layers(model):
    """The linear layers of the last call alone, each with rows that are already there."""
    rows = {(count, model.weights[name][0].shape[1]) for name, count in model.calls}
    inputs = {key: torch.randn(*key, dtype=model.dtype) for key in rows}
    start = time.perf_counter()
    for name, count in model.calls:
        weight, bias = model.weights[name]
        F.linear(inputs[count, weight.shape[1]], weight, bias)
    return 1e3 * (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", choices=LAYOUTS, default="droid")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", choices=["bfloat16", "float32"], default="bfloat16")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    model = Model(getattr(torch, args.dtype))
    runs, layers = [], []
    with torch.inference_mode():
        for run in range(args.runs + 2):
            model.calls = []
            runs.append(call(model, args.layout))
            layers.append(linear_layers(model))
    median = {stage: round(statistics.median(r[stage] for r in runs[2:]), 2) for stage in runs[0]}
    print(json.dumps({"torch": torch.__version__, "layout": args.layout, "dtype": args.dtype, "threads": args.threads,
                      "runs": args.runs, "median_ms": median,
                      "linear_layers_ms": round(statistics.median(layers[2:]), 2)}))


if __name__ == "__main__":
    main()
