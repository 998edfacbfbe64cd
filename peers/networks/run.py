"""Networks run by PyTorch and by duress-nn.

    cargo xtask peers networks                 reference values, then the bench
    python peers/networks/run.py reference     writes crates/duress-nn/tests/reference.json
    python peers/networks/run.py bench [resnet50] [resnet18] [small] [forward] [gradient] [train] [trades] [clock | processor]
                                               times both sides in turn, in one run (see bench.py)

A reference case is a small network as duress-nn writes it, without its weights: both sides make those from one formula, so the
file stays small. Values: logits, the gradient with the pixels of the summed cross-entropy, and, with batch norm in training mode, the
weighted loss and the gradient with every weight, as its length and a projection.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "crates/duress-nn/tests/reference.json"


def generated(count, salt):
    """Numbers in [0, 1) that Rust makes in the same way: a finaliser of MurmurHash3 over a counter."""
    h = (np.arange(count, dtype=np.uint64) + np.uint64(salt) * np.uint64(1_000_003)) & np.uint64(0xFFFFFFFF)
    for shift, factor in [(16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)]:
        h ^= h >> np.uint64(shift)
        h = (h * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return h.astype(np.float64) / 2.0**32


def tensor(values, *shape):
    return torch.tensor(values.astype(np.float32)).reshape(*shape)


def spread(count, fan, salt):
    return (2.0 * generated(count, salt) - 1.0) * math.sqrt(6.0 / fan)


class Case:
    """A graph being written down, node by node."""

    def __init__(self, name, shape, classes, items=3, order=None):
        self.name, self.shape, self.classes, self.items = name, shape, classes, items
        self.nodes = []
        c = shape[0]
        normalise = {"mean": [0.4 + 0.1 * k for k in range(c)] if order else [0.4] * c, "scale": [2.0 + 0.5 * k for k in range(c)]}
        self.add("normalise", [], {"normalise": normalise | ({"order": order} if order else {})})

    def add(self, name, inputs, operator):
        self.nodes.append({"name": name, "inputs": inputs, "operator": operator})
        return len(self.nodes) - 1

    @property
    def last(self):
        return len(self.nodes) - 1

    def op(self, operator, *inputs):
        return self.add(str(len(self.nodes)), list(inputs) or [self.last], operator)

    def conv(self, inputs, outputs, kernel, stride=1, padding=0, groups=1, dilation=1, bias=False, of=None):
        pair = lambda x: list(x) if isinstance(x, (list, tuple)) else [x, x]
        four = list(padding) if isinstance(padding, (list, tuple)) else [padding] * 4
        window = {"kernel": pair(kernel), "stride": pair(stride), "padding": four, "dilation": pair(dilation)}
        operator = {"inputs": inputs, "outputs": outputs, "groups": groups, "window": window, "bias": bias}
        return self.op({"conv": operator}, *([] if of is None else [of]))

    def norm(self, channels, of=None):
        return self.op({"batch-norm": {"channels": channels, "epsilon": 1e-5}}, *([] if of is None else [of]))

    def dense(self, inputs, outputs):
        return self.op({"dense": {"inputs": inputs, "outputs": outputs}})

    def pool(self, kind, kernel, stride, padding=0, ceil=False, count_outside=None):
        four = list(padding) if isinstance(padding, (list, tuple)) else [padding] * 4
        window = {"kernel": [kernel] * 2, "stride": [stride] * 2, "padding": four, "dilation": [1, 1], "ceil": ceil}
        if kind == "max-pool":
            return self.op({"max-pool": window})
        return self.op({"avg-pool": {"window": window, "count_outside": count_outside}})

    def conv_norm_relu(self, *args, of=None, **kwargs):
        self.conv(*args, of=of, **kwargs)
        self.norm(args[1])
        return self.op("relu")

    # PyTorch.

    def weights(self):
        """A list of named tensors for each node, made from the formula, and written into no file."""
        held = []
        for at, node in enumerate(self.nodes):
            (kind, of), lists = (list(node["operator"].items())[0] if isinstance(node["operator"], dict) else (None, None)), {}
            if kind == "conv":
                each = of["inputs"] // of["groups"]
                kh, kw = of["window"]["kernel"]
                lists["weight"] = tensor(spread(of["outputs"] * each * kh * kw, each * kh * kw, 8 * at), of["outputs"], each, kh, kw)
                if of["bias"]:
                    lists["bias"] = tensor(generated(of["outputs"], 8 * at + 1) - 0.5, -1)
            elif kind == "dense":
                lists["weight"] = tensor(spread(of["outputs"] * of["inputs"], of["inputs"], 8 * at), of["outputs"], of["inputs"])
                lists["bias"] = tensor(generated(of["outputs"], 8 * at + 1) - 0.5, -1)
            elif kind == "batch-norm":
                draw = lambda salt: tensor(generated(of["channels"], 8 * at + salt), -1)
                lists = {"weight": draw(0) + 0.5, "bias": draw(1) - 0.5, "mean": draw(2) - 0.5, "variance": draw(3) + 0.5}
            held.append(lists)
        return held

    def run(self, x, held, training):
        values = []
        for node, lists in zip(self.nodes, held):
            operator = node["operator"]
            kind, of = list(operator.items())[0] if isinstance(operator, dict) else (operator, None)
            given = [values[k] for k in node["inputs"]]
            values.append(apply(kind, of, given, lists, x, training))
        return values[-1]


def padded(x, four, value=0.0):
    top, bottom, left, right = four
    return F.pad(x, (left, right, top, bottom), value=value)


def apply(kind, of, given, lists, image, training):
    x = given[0] if given else image
    if kind == "normalise":
        x = x[:, of["order"]] if "order" in of else x
        return (x - torch.tensor(of["mean"]).view(1, -1, 1, 1)) * torch.tensor(of["scale"]).view(1, -1, 1, 1)
    if kind == "conv":
        w = of["window"]
        return F.conv2d(padded(x, w["padding"]), lists["weight"], lists.get("bias"), w["stride"], 0, w["dilation"], of["groups"])
    if kind == "batch-norm":
        mean, variance = lists["mean"].clone(), lists["variance"].clone()
        return F.batch_norm(x, mean, variance, lists["weight"], lists["bias"], training, 0.1, of["epsilon"])
    if kind == "dense":
        return F.linear(x, lists["weight"], lists["bias"])
    if kind == "max-pool":
        if len(set(of["padding"])) == 1:
            return F.max_pool2d(x, of["kernel"], of["stride"], of["padding"][0], 1, of["ceil"])
        return F.max_pool2d(padded(x, of["padding"], -math.inf), of["kernel"], of["stride"])
    if kind == "avg-pool":
        w = of["window"]
        return F.avg_pool2d(x, w["kernel"], w["stride"], w["padding"][0], w["ceil"], of["count_outside"])
    if kind == "clip":
        return F.hardtanh(x, of["low"], of["high"])
    if kind == "leaky-relu":
        return F.leaky_relu(x, of)
    simple = {
        "relu": F.relu,
        "sigmoid": torch.sigmoid,
        "silu": F.silu,
        "hard-sigmoid": F.hardsigmoid,
        "hard-swish": F.hardswish,
        "global-avg-pool": lambda x: x.mean((2, 3)),
        "flatten": lambda x: x.flatten(1),
        "dropout": lambda x: x,
    }
    if kind in simple:
        return simple[kind](x)
    if kind == "add":
        return given[0] + given[1]
    if kind == "mul":
        by = given[1]
        return given[0] * (by.view(*by.shape[:2], 1, 1) if by.dim() == 2 and given[0].dim() == 4 else by)
    if kind == "concat":
        return torch.cat(given, 1)
    if kind == "pick":
        return x[:, of]
    raise ValueError(kind)


def cases():
    case = Case("dense layers", [2, 3, 5], 4, items=7)
    case.op("flatten"), case.dense(30, 70), case.op("relu"), case.dense(70, 33), case.op({"dropout": 0.0}), case.dense(33, 4)
    yield case

    case = Case("plain convolutions, flattened", [3, 12, 11], 5)
    case.conv(3, 9, 3, padding=1, bias=True), case.op("relu"), case.pool("max-pool", 2, 2)
    case.conv(9, 34, [2, 3], bias=True), case.op("relu"), case.op("flatten"), case.dense(34 * 5 * 3, 5)
    yield case

    case = Case("residual blocks", [3, 10, 10], 3, items=5)
    first = case.conv_norm_relu(3, 16, 3, padding=1)
    case.conv_norm_relu(16, 16, 3, padding=1, of=first), case.conv(16, 16, 3, padding=1)
    case.op("add", case.norm(16), first)
    second = case.op("relu")
    case.conv_norm_relu(16, 48, 3, 2, 1, of=second), case.conv(48, 48, 3, padding=1)
    wide = case.norm(48)
    case.conv(16, 48, 1, 2, of=second)
    case.op("add", wide, case.norm(48)), case.op("relu"), case.op("global-avg-pool"), case.dense(48, 3)
    yield case

    case = Case("bottleneck after a large stem", [3, 33, 35], 3, items=2)
    case.conv_norm_relu(3, 40, 7, 2, 3)
    first = case.pool("max-pool", 3, 2, 1)
    case.conv_norm_relu(40, 16, 1, of=first), case.conv_norm_relu(16, 16, 3, 2, 1), case.conv(16, 70, 1)
    wide = case.norm(70)
    case.conv(40, 70, 1, 2, of=first)
    case.op("add", case.norm(70), wide), case.op("relu"), case.op("global-avg-pool"), case.dense(70, 3)
    yield case

    case = Case("depthwise, clipped at six", [3, 13, 13], 4)
    six = {"clip": {"low": 0.0, "high": 6.0}}
    case.conv(3, 8, 3, 2, 1), case.norm(8)
    first = case.op(six)
    case.conv(8, 40, 1, of=first), case.norm(40), case.op(six), case.conv(40, 40, 3, 1, 1, groups=40), case.norm(40), case.op(six)
    case.conv(40, 8, 1), case.op("add", first, case.norm(8))
    case.conv(8, 24, 1), case.norm(24), case.op(six), case.conv(24, 24, 3, 2, 1, groups=24, bias=True), case.op(six)
    case.op("global-avg-pool"), case.dense(24, 4)
    yield case

    case = Case("squeeze and excite, smooth curves", [3, 9, 9], 3)
    case.conv(3, 12, 3, 1, 1), case.norm(12)
    first = case.op("hard-swish")
    case.op("global-avg-pool"), case.dense(12, 6), case.op("silu"), case.dense(6, 12)
    case.op("mul", first, case.op("sigmoid"))
    second = case.op("silu")
    case.op("global-avg-pool"), case.dense(12, 12)
    case.op("mul", second, case.op("hard-sigmoid")), case.conv(12, 10, 3, 2, 1), case.op("sigmoid"), case.op("flatten")
    case.dense(250, 3)
    yield case

    case = Case("groups, gaps, uneven borders, joins", [2, 14, 15], 3)
    case.conv(2, 12, [3, 4], 1, [2, 1, 0, 3], dilation=[2, 1], bias=True)
    first = case.op({"leaky-relu": 0.125})
    case.conv(12, 20, 3, [2, 1], 1, groups=4, of=first), case.norm(20)
    second = case.op("relu")
    third = case.conv(12, 6, 1, [2, 1], of=first)
    case.op("concat", second, third, second), case.norm(46), case.op("relu"), case.pool("avg-pool", 3, 2, 1, True, True)
    case.pool("avg-pool", 2, 1, 1, False, False), case.pool("max-pool", 2, 2, [0, 1, 1, 0]), case.conv(46, 7, 2, 3, 2, dilation=2)
    case.op({"clip": {"low": -1.5, "high": 2.0}}), case.op("add", case.last, case.last), case.op("flatten"), case.dense(7 * 6, 3)
    yield case

    case = Case("grey images, windows apart", [1, 17, 19], 2, items=4)
    case.conv(1, 20, 2, 3, bias=True), case.op("relu"), case.pool("max-pool", 3, 2, 0, True), case.conv(20, 40, 3, 1, 1, groups=2)
    case.op("mul", case.last, case.last), case.norm(40), case.op("global-avg-pool"), case.dense(40, 2)
    yield case

    case = Case("channels taken apart and shuffled, blue first", [3, 9, 8], 3, order=[2, 0, 1])
    first = case.conv_norm_relu(3, 20, 3, 1, 1)
    half = case.op({"pick": list(range(10))}, first)
    case.conv_norm_relu(10, 22, 1, of=case.op({"pick": list(range(10, 20))}, first))
    case.op("concat", half, case.last)
    case.op({"pick": [4 * of + group for group in range(4) for of in range(8)]}), case.op("relu")
    case.op({"pick": [5, 5, 0, 31, 7]}), case.conv(5, 6, 3, 2, 1), case.op("global-avg-pool"), case.dense(6, 3)
    yield case


def reference(case):
    c, h, w = case.shape
    labels = torch.arange(case.items) % case.classes
    pixels = tensor(generated(case.items * c * h * w, 7_777), case.items, c, h, w)
    held = case.weights()
    x = pixels.clone().requires_grad_()
    logits = case.run(x, held, training=False)
    (gradient,) = torch.autograd.grad(F.cross_entropy(logits, labels, reduction="sum"), x)
    learnt = [lists[name].requires_grad_() for lists in held for name in ("weight", "bias") if name in lists]
    weight = (1.0 + labels).float()
    loss = (weight * F.cross_entropy(case.run(pixels, held, training=True), labels, reduction="none")).sum()
    slopes = [slope.double().flatten() for slope in torch.autograd.grad(loss, learnt)]
    along = [torch.tensor(generated(slope.numel(), 9_999) - 0.5) for slope in slopes]
    short = lambda values: [float(f"{x:.7g}") for x in values]
    return {
        "name": case.name,
        "shape": case.shape,
        "classes": case.classes,
        "items": case.items,
        "nodes": case.nodes,
        "logits": short(logits.flatten().tolist()),
        "gradient": short(gradient.flatten().tolist()),
        "loss": loss.item(),
        "slopes": [short([slope.norm().item(), (slope * way).sum().item()]) for slope, way in zip(slopes, along)],
    }


def main(args):
    if not args or args[0] == "reference":
        torch.set_num_threads(1)
        found = [reference(case) for case in cases()]
        REFERENCE.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in found) + "\n]\n")
        print(f"{len(found)} cases, {REFERENCE.stat().st_size} bytes")
    if not args or args[0] == "bench":
        import bench

        bench.main(args[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
