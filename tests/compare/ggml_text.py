#!/usr/bin/env python3
"""Times the Qwen3 text stack of a GR00T model (16 layers, 2048 wide) in llama.cpp, with made-up weights.

    ggml_text.py --type q8_0 --tokens 90 --runs 5      needs xllamacpp and gguf, from PyPI; see docs/performance.md

Prints one JSON object: milliseconds of a prompt, median. Compare with the stage `llm` of `ramet bench`. No engine on ggml
runs a whole GR00T; the token table is cut to 512 rows, and the output head to as many.
"""
import argparse
import json
import statistics
import tempfile
from pathlib import Path

import gguf
import numpy as np
import xllamacpp

LAYERS, HIDDEN, INNER, HEADS, KV_HEADS, HEAD_DIM, TOKENS = 16, 2048, 6144, 16, 8, 128, 512
TYPES = {name.lower(): getattr(gguf.GGMLQuantizationType, name) for name in ["F32", "F16", "BF16", "Q8_0"]}


def add_settings(writer):
    writer.add_context_length(2048)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD_DIM)
    writer.add_value_length(HEAD_DIM)
    writer.add_rope_freq_base(5e6)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list([f"token{i}" for i in range(TOKENS)])
    writer.add_token_types([1] * TOKENS)
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(TOKENS - 2)
    writer.add_eos_token_id(TOKENS - 1)


def add_weights(writer, kind):
    rng = np.random.default_rng(0)

    def matrix(name, rows, columns):
        values = rng.standard_normal((rows, columns), dtype=np.float32) * columns**-0.5
        writer.add_tensor(name + ".weight", gguf.quants.quantize(values, kind), raw_dtype=kind)

    def gain(name, columns):
        writer.add_tensor(name + ".weight", np.ones(columns, np.float32))

    matrix("token_embd", TOKENS, HIDDEN)
    gain("output_norm", HIDDEN)
    for block in range(LAYERS):
        prefix = f"blk.{block}."
        for name, columns in [("attn_norm", HIDDEN), ("ffn_norm", HIDDEN), ("attn_q_norm", HEAD_DIM), ("attn_k_norm", HEAD_DIM)]:
            gain(prefix + name, columns)
        for name, rows in [("attn_q", HEADS * HEAD_DIM), ("attn_k", KV_HEADS * HEAD_DIM), ("attn_v", KV_HEADS * HEAD_DIM)]:
            matrix(prefix + name, rows, HIDDEN)
        matrix(prefix + "attn_output", HIDDEN, HEADS * HEAD_DIM)
        matrix(prefix + "ffn_gate", INNER, HIDDEN)
        matrix(prefix + "ffn_up", INNER, HIDDEN)
        matrix(prefix + "ffn_down", HIDDEN, INNER)


def write_model(path, kind):
    writer = gguf.GGUFWriter(str(path), "qwen3")
    add_settings(writer)
    add_weights(writer, kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def prompt_times(path, args):
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = params.n_batch = params.n_ubatch = 1024
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = args.threads
    params.n_parallel, params.cache_prompt, params.verbosity, params.port = 1, False, 0, 0
    server = xllamacpp.Server(params)
    times = []
    for run in range(args.runs + 1):  # the first warms up
        prompt = [(7 * i + run) % (TOKENS - 2) for i in range(args.tokens)]
        reply = server.handle_completions({"prompt": prompt, "n_predict": 1, "cache_prompt": False})
        timings = (reply if isinstance(reply, dict) else json.loads(reply))["timings"]
        assert timings["prompt_n"] == args.tokens, timings
        times.append(timings["prompt_ms"])
    return times[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--type", choices=TYPES, default="bf16")
    parser.add_argument("--tokens", type=int, default=90)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.gguf"
        write_model(path, TYPES[args.type])
        times = prompt_times(path, args)
    print(json.dumps({"xllamacpp": getattr(xllamacpp, "__version__", ""), "type": args.type, "tokens": args.tokens,
                      "threads": args.threads, "runs": args.runs, "prompt_ms": round(statistics.median(times), 2)}))


if __name__ == "__main__":
    main()
