#!/usr/bin/env python3
"""Times the arithmetic of a GR00T call in PyTorch, in the published sizes; no processors, no framework around it.

    torch_gr00t.py --version n17 --layout droid --runs 7            needs torch, from PyPI; see docs/performance.md

Prints one JSON object: milliseconds by stage and in all (medians), and those of the linear layers alone.
"""
import argparse
import json
import statistics
import time

import torch
import torch.nn.functional as F
from torch_blocks import Model, adapter, denoise, encoder_block, norm, qwen3, rms, rope


def merge(model, name, x):
    """Four patches of the Qwen3-VL tower become one token."""
    x = norm(x.view(-1, 4096))
    return model.linear(name + ".fc2", F.gelu(model.linear(name + ".fc1", x, 4096)), 2048)


def qwen3_vl(model, patches):
    x = model.linear("vision.patch", model.random(sum(patches), 1536), 1024)
    turn = rope(model, 64, len(x))
    deepstack = []
    for block in range(24):
        x = encoder_block(model, f"vision.{block}", x, 16, 4096, patches, turn)
        if block in (5, 11, 17):
            deepstack.append(merge(model, f"vision.deepstack.{block}", x))
    return merge(model, "vision.merger", x), deepstack


def siglip(model, patches):
    x = model.linear("vision.patch", model.random(sum(patches), 588), 1152)
    for block in range(27):
        x = encoder_block(model, f"vision.{block}", x, 16, 4304, patches)
    return norm(x)


def n15_vision(model, patches):
    return model.linear("projector", siglip(model, patches), 2048), ()


def n16_vision(model, patches):
    x = norm(siglip(model, patches).view(-1, 4 * 1152))
    return model.linear("projector.3", F.gelu(model.linear("projector.1", x, 2048)), 2048), ()


class N15:
    layouts = {"one": ([256], 289), "two": ([256] * 2, 548), "three": ([256] * 3, 808)}  # patches by picture, tokens
    vision, llm_layers, adapter_blocks, dit_blocks, future_rows, actions = n15_vision, 12, 4, 16, 32, (16, 32)


class N16:
    layouts = {"one": ([324], 115), "two": ([324] * 2, 198), "four": ([324] * 4, 364)}
    vision, llm_layers, adapter_blocks, dit_blocks, future_rows, actions = n16_vision, 16, 0, 32, 0, (50, 128)


class N17:
    layouts = {"droid": ([448] * 4, 480), "libero1": ([256], 90), "libero2": ([256] * 2, 154)}
    vision, llm_layers, adapter_blocks, dit_blocks, future_rows, actions = qwen3_vl, 16, 4, 32, 0, (40, 132)


VERSIONS = {"n15": N15, "n16": N16, "n17": N17}


def call(model, version, layout):
    patches, tokens = version.layouts[layout]
    times, start = {}, time.perf_counter()

    def done(stage):
        nonlocal start
        now = time.perf_counter()
        times[stage], start = 1e3 * (now - start), now

    image, deepstack = version.vision(model, patches)
    done("vision")
    x = qwen3(model, torch.cat([image, model.random(tokens - len(image), 2048)]), version.llm_layers, deepstack)
    x = x if version is N17 else rms(x)
    done("llm")
    x = adapter(model, x, version.adapter_blocks)
    done("adapter")
    contexts = [x] if version is N15 else [x[len(image):], x[:len(image)]]
    denoise(model, contexts, version.dit_blocks, model.random(*version.actions), version.future_rows)
    done("denoise")
    times["total"] = sum(times.values())
    return times


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", choices=VERSIONS, default="n17")
    parser.add_argument("--layout", help="as of `ramet bench`; default: the first", default=None)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", choices=["bfloat16", "float32"], default="bfloat16")
    args = parser.parse_args()
    layouts = VERSIONS[args.version].layouts
    args.layout = args.layout or next(iter(layouts))
    if args.layout not in layouts:
        parser.error(f"--layout: {args.version} has {', '.join(layouts)}")
    return args


def main():
    args = parse_arguments()
    torch.set_num_threads(args.threads)
    model = Model(getattr(torch, args.dtype))
    runs, layers = [], []
    with torch.inference_mode():
        for _ in range(args.runs + 1):  # the first makes the weights
            model.calls = []
            runs.append(call(model, VERSIONS[args.version], args.layout))
            layers.append(model.time_linear_layers())
    median = {stage: round(statistics.median(run[stage] for run in runs[1:]), 2) for stage in runs[0]}
    print(json.dumps({"torch": torch.__version__, "version": args.version, "layout": args.layout, "dtype": args.dtype,
                      "threads": args.threads, "runs": args.runs, "median_ms": median,
                      "linear_layers_ms": round(statistics.median(layers[1:]), 2)}))


if __name__ == "__main__":
    main()
