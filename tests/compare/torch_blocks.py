"""The parts of GR00T's models as plain PyTorch: the same products, attentions, norms and activations in the same order,
with made-up weights. Nothing of a model framework stands around them."""
import time

import torch
import torch.nn.functional as F

STEPS = 4


class Model:
    """Weights are made when first asked for, and every use of a linear layer is noted."""

    def __init__(self, dtype):
        self.dtype, self.weights, self.calls = dtype, {}, []

    def random(self, *shape):
        return torch.randn(*shape, dtype=self.dtype)

    def linear(self, name, x, out):
        if name not in self.weights:
            self.weights[name] = (self.random(out, x.shape[-1]) * x.shape[-1] ** -0.5, torch.zeros(out, dtype=self.dtype))
        self.calls.append((name, x.shape[0]))
        return F.linear(x, *self.weights[name])

    def feed_forward(self, name, x, inner):
        hidden = F.gelu(self.linear(name + ".fc1", x, inner), approximate="tanh")
        return self.linear(name + ".fc2", hidden, x.shape[-1])

    def attention(self, name, x, context, heads, parts=None, kv_heads=None, head_dim=None, turn=None, causal=False):
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

    def time_linear_layers(self):
        """Milliseconds of the linear layers noted so far alone, each with rows that are already there."""
        rows = {(count, self.weights[name][0].shape[1]) for name, count in self.calls}
        inputs = {key: self.random(*key) for key in rows}
        start = time.perf_counter()
        for name, count in self.calls:
            weight, bias = self.weights[name]
            F.linear(inputs[count, weight.shape[1]], weight, bias)
        return 1e3 * (time.perf_counter() - start)


def rope(model, head_dim, rows):
    cos, sin = model.random(2, rows, 1, head_dim)

    def turn(x):
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat([-b, a], dim=-1) * sin

    return turn


def norm(x):
    return F.layer_norm(x, x.shape[-1:])


def rms(x):
    return F.rms_norm(x, x.shape[-1:], eps=1e-6)


def encoder_block(model, name, x, heads, inner, parts, turn=None):
    n = norm(x)
    x = x + model.attention(name, n, n, heads, parts, turn=turn)
    return x + model.feed_forward(name, norm(x), inner)


def qwen3(model, x, layers, deepstack=()):
    turn = rope(model, 128, len(x))
    for block in range(layers):
        name = f"llm.{block}"
        n = rms(x)
        x = x + model.attention(name, n, n, 16, kv_heads=8, head_dim=128, turn=lambda h: turn(rms(h)), causal=True)
        n = rms(x)
        inner = F.silu(model.linear(name + ".gate", n, 6144)) * model.linear(name + ".up", n, 6144)
        x = x + model.linear(name + ".down", inner, 2048)
        if block < len(deepstack):
            x = torch.cat([x[:len(deepstack[block])] + deepstack[block], x[len(deepstack[block]):]])
    return x


def adapter(model, x, blocks):
    x = norm(x)
    for block in range(blocks):
        x = encoder_block(model, f"adapter.{block}", x, 32, 8192, None)
    return x


def denoise(model, contexts, blocks, actions, future_rows=0):
    """Every second block of the DiT attends to one of `contexts`, in turn; the others to themselves."""
    rows, action_dim = actions.shape
    state = model.random(1 + future_rows, 1536)
    for step in range(STEPS):
        encoded = model.linear("encoder.W1", actions, 1536)
        encoded = model.linear("encoder.W2", torch.cat([encoded, encoded], dim=-1), 1536)
        x = torch.cat([state, model.linear("encoder.W3", F.silu(encoded), 1536)])
        time_vector = model.random(1, 1536)
        for block in range(blocks):
            name = f"dit.{block}"
            scale, shift = model.linear(name + ".ada", F.silu(time_vector), 3072).chunk(2, dim=-1)
            n = norm(x) * (1 + scale) + shift
            other = n if block % 2 else contexts[block // 2 % len(contexts)]
            x = x + model.attention(name, n, other, 32)
            x = x + model.feed_forward(name, norm(x), 6144)
        out = model.linear("dit.proj_out_2", norm(x), 1024)
        velocity = model.linear("decoder.2", F.relu(model.linear("decoder.1", out, 1024)), action_dim)
        actions = actions + velocity[-rows:] / STEPS
    return actions
