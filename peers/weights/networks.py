"""Small networks of every family that can be read, as state dicts and as ONNX files, with the logits they must give."""

import json
import warnings

import numpy as np
import onnx
import onnx.helper as oh
import onnx.numpy_helper as onh
import onnxruntime
import safetensors.torch
import torch
from torch import nn

from settled import settled

IMAGES = 3


def pixels(shape):
    """The same images as the test makes: quarters of nothing, but far from flat."""
    count = IMAGES * int(np.prod(shape))
    return torch.tensor([((i * 37 + i // 7 * 11 + 11) % 101) / 100 for i in range(count)], dtype=torch.float32).reshape(IMAGES, *shape)


class Block(nn.Module):
    def __init__(self, inputs, width, stride, bottleneck):
        super().__init__()
        outputs = width * (4 if bottleneck else 1)
        if bottleneck:
            self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
            self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
            self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
            self.bn3 = nn.BatchNorm2d(outputs)
        else:
            self.conv1 = nn.Conv2d(inputs, width, 3, stride, 1, bias=False)
            self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.downsample = None
        if stride > 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        out = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        if hasattr(self, "conv3"):
            out = self.bn3(self.conv3(torch.relu(out)))
        return torch.relu(out + (x if self.downsample is None else self.downsample(x)))


class Residual(nn.Module):
    """A ResNet with the names torchvision gives its weights, small enough to be committed."""

    def __init__(self, channels, width, blocks, bottleneck, large, classes, dropout=False):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 7, 2, 3, bias=False) if large else nn.Conv2d(channels, width, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.maxpool = nn.MaxPool2d(3, 2, 1) if large else nn.Identity()
        inputs = width
        for stage, count in enumerate(blocks):
            layers = []
            for block in range(count):
                layers.append(Block(inputs, width << stage, 2 if stage and not block else 1, bottleneck))
                inputs = (width << stage) * (4 if bottleneck else 1)
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layers))
        self.stages = len(blocks)
        self.fc = nn.Sequential(nn.Dropout(0.5), nn.Linear(inputs, classes)) if dropout else nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.fc(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1))


class View(nn.Module):
    """Flattens as old code does, by a shape that is computed from the batch."""

    def forward(self, x):
        return x.view(x.size(0), -1)


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, stride, expand):
        super().__init__()
        hidden = inputs * expand
        self.residual = stride == 1 and inputs == outputs
        self.conv = nn.Sequential(
            nn.Conv2d(inputs, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(),
            nn.Conv2d(hidden, outputs, 1, bias=False), nn.BatchNorm2d(outputs),
        )

    def forward(self, x):
        return x + self.conv(x) if self.residual else self.conv(x)


class Excited(nn.Module):
    """The block of EfficientNet and MobileNetV3: a gate per channel."""

    def __init__(self, channels, activation):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, groups=channels, bias=False), nn.BatchNorm2d(channels), activation)
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, 2, 1), nn.SiLU(), nn.Conv2d(2, channels, 1), nn.Sigmoid())

    def forward(self, x):
        out = self.conv(x)
        return x + self.gate(out) * out


class Joined(nn.Module):
    """The block of DenseNet."""

    def __init__(self, channels, growth):
        super().__init__()
        self.norm, self.conv = nn.BatchNorm2d(channels), nn.Conv2d(channels, growth, 3, 1, 1, bias=False)

    def forward(self, x):
        return torch.cat([x, self.conv(torch.relu(self.norm(x)))], 1)


class Shuffled(nn.Module):
    """The block of ShuffleNetV2: half of the channels pass by, then all are shuffled."""

    def __init__(self, half):
        super().__init__()
        self.branch = nn.Sequential(nn.Conv2d(half, half, 1, bias=False), nn.BatchNorm2d(half), nn.ReLU(),
                                    nn.Conv2d(half, half, 3, 1, 1, groups=half, bias=False), nn.BatchNorm2d(half))

    def forward(self, x):
        passing, rest = x.chunk(2, dim=1)
        x = torch.cat([passing, self.branch(rest)], 1)
        n, channels, height, width = x.shape
        return x.view(n, 2, channels // 2, height, width).transpose(1, 2).contiguous().view(n, channels, height, width)


class BlueFirst(nn.Module):
    """Colours in another order, and some of the channels, by number and by slices."""

    def forward(self, x):
        x = x[:, [2, 1, 0]]
        return torch.cat([x, x[:, 1:], x[:, ::2]], 1)


class Normalised(nn.Module):
    def __init__(self, mean, std, model):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))
        self.model = model

    def forward(self, x):
        return self.model((x - self.mean) / self.std)


def vgg():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2, ceil_mode=True),
        nn.AvgPool2d(2, 1, padding=1, count_include_pad=False), View(), nn.Linear(6 * 25, 12), nn.ReLU(), nn.Dropout(), nn.Linear(12, 5),
    )


def mobilenet():
    return nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU6(), Inverted(4, 4, 1, 2), Inverted(4, 6, 2, 3),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(6, 5))


def efficient():
    return nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.SiLU(), Excited(4, nn.SiLU()), Excited(4, nn.Hardswish()), Excited(4, nn.LeakyReLU(0.1)),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5))


def dense():
    return nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, bias=False), Joined(4, 2), Joined(6, 2), nn.BatchNorm2d(8), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(8, 4, 1),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5))


def shuffled():
    return nn.Sequential(BlueFirst(), nn.Conv2d(7, 12, 3, 2, 1, bias=False), nn.BatchNorm2d(12), nn.ReLU(), Shuffled(6), Shuffled(6),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 5))


def export(model, shape, path, opset, batch="n", softmax=False):
    model = nn.Sequential(model, nn.Softmax(1)).eval() if softmax else model
    axes = {"image": {0: batch}, "logits": {0: batch}} if batch else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (torch.zeros(1, *shape),), str(path), input_names=["image"], output_names=["logits"], dynamic_axes=axes, opset_version=opset, dynamo=False)


def answers(path, images):
    """What ONNX Runtime says, image by image, since a file may have been exported for one."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: image[None]})[0] for image in images])


def by_hand(path, opset=17):
    """What tf2onnx makes of a Keras network: channels last, Pad before a window, SAME padding, ReduceMean, MatMul + Add."""
    rng = np.random.default_rng(7)
    array = lambda name, *shape: onh.from_array(rng.normal(0, 0.5, shape).astype(np.float32), name)
    ints = lambda name, values: onh.from_array(np.array(values, np.int64), name)
    start = [array("w1", 4, 3, 3, 3), array("b1", 4), array("w2", 6, 4, 3, 3), array("w3", 6, 5), array("b3", 5), array("shift", 6, 1, 1),
             ints("pads", [0, 0, 1, 1, 0, 0, 2, 1])] + ([ints("axes", [1, 2])] if opset >= 18 else [])
    nodes = [
        oh.make_node("Transpose", ["image"], ["x0"], perm=[0, 3, 1, 2]),
        oh.make_node("Pad", ["x0", "pads"], ["x1"], name="pad"),
        oh.make_node("Conv", ["x1", "w1", "b1"], ["x2"], name="conv1", strides=[2, 2], auto_pad="VALID"),
        oh.make_node("Relu", ["x2"], ["x3"]),
        oh.make_node("Pad", ["x3", "pads"], ["x4"]),
        oh.make_node("MaxPool", ["x4"], ["x5"], kernel_shape=[3, 3], strides=[2, 2]),
        oh.make_node("Conv", ["x5", "w2"], ["x6"], auto_pad="SAME_UPPER", strides=[2, 2], dilations=[1, 1]),
        oh.make_node("Add", ["shift", "x6"], ["x7"]),
        oh.make_node("Transpose", ["x7"], ["x8"], perm=[0, 2, 3, 1]),
        oh.make_node("ReduceMean", ["x8", "axes"], ["x9"], keepdims=0) if opset >= 18 else oh.make_node("ReduceMean", ["x8"], ["x9"], axes=[1, 2], keepdims=0),
        oh.make_node("MatMul", ["x9", "w3"], ["x10"]),
        oh.make_node("Add", ["x10", "b3"], ["x11"]),
        oh.make_node("Softmax", ["x11"], ["probabilities"]),
    ]
    graph = oh.make_graph(nodes, "by hand", [oh.make_tensor_value_info("image", 1, ["n", 16, 16, 3])], [oh.make_tensor_value_info("probabilities", 1, ["n", 5])], start)
    model = oh.make_model(graph, opset_imports=[oh.make_opsetid("", opset)])
    model.ir_version = min(model.ir_version, 10)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def lists(path):
    """A multilayer perceptron over flat pixels whose numbers are written as lists, in half precision, and as constants."""
    rng = np.random.default_rng(8)
    w1, w2, w3 = rng.normal(0, 0.3, (64, 12)), rng.normal(0, 0.5, (8, 12)), rng.normal(0, 0.5, (5, 8))
    start = [
        oh.make_tensor("w1", onnx.TensorProto.FLOAT, w1.shape, w1.ravel().tolist()),
        oh.make_tensor("w2", onnx.TensorProto.FLOAT16, w2.shape, w2.ravel().tolist()),
    ]
    nodes = [
        oh.make_node("Constant", [], ["b1"], value=onh.from_array(np.full((1, 12), 0.25, np.float32))),
        oh.make_node("MatMul", ["image", "w1"], ["x1"]),
        oh.make_node("Add", ["x1", "b1"], ["x2"]),
        oh.make_node("Relu", ["x2"], ["x3"]),
        oh.make_node("Cast", ["w2"], ["w2f"], to=1),
        oh.make_node("Gemm", ["x3", "w2f"], ["x4"], transB=1, alpha=0.5),
        oh.make_node("Sigmoid", ["x4"], ["x5"]),
        oh.make_node("Constant", [], ["w3"], value=onh.from_array(w3.astype(np.float32))),
        oh.make_node("Transpose", ["w3"], ["w3t"], perm=[1, 0]),
        oh.make_node("MatMul", ["x5", "w3t"], ["x6"]),
        oh.make_node("Constant", [], ["two"], value_float=2.0),
        oh.make_node("Mul", ["x6", "two"], ["logits"]),
    ]
    graph = oh.make_graph(nodes, "lists", [oh.make_tensor_value_info("image", 1, ["n", 64])], [oh.make_tensor_value_info("logits", 1, ["n", 5])], start)
    model = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)


def odd(out):
    """Files that must be refused."""
    value = lambda name, shape: oh.make_tensor_value_info(name, 1, shape)
    nodes = [
        oh.make_node("Conv", ["image", "w"], ["x"], name="stem"),
        oh.make_node("Sinh", ["x"], ["y"], name="/act/Sinh"),
        oh.make_node("Sinh", ["y"], ["z"], name="/act/Sinh_1"),
        oh.make_node("LSTM", ["z", "w", "w"], ["", "u"]),
        oh.make_node("Flatten", ["u"], ["logits"]),
    ]
    weights = onh.from_array(np.ones((2, 1, 3, 3), np.float32), "w")
    graph = oh.make_graph(nodes, "odd", [value("image", ["n", 1, 8, 8])], [value("logits", ["n", 2])], [weights])
    onnx.save(oh.make_model(graph, opset_imports=[oh.make_opsetid("", 17)]), out / "unknown_operators.onnx")
    nan = np.ones((2, 64), np.float32)
    nan[1, 3] = np.nan
    nodes = [oh.make_node("Flatten", ["image"], ["x"]), oh.make_node("Gemm", ["x", "w"], ["logits"], name="fc", transB=1)]
    graph = oh.make_graph(nodes, "nan", [value("image", ["n", 1, 8, 8])], [value("logits", ["n", 2])], [onh.from_array(nan, "w")])
    onnx.save(oh.make_model(graph, opset_imports=[oh.make_opsetid("", 17)]), out / "nan.onnx")
    torch.save({"fc.weight": torch.full((2, 64), float("nan")), "fc.bias": torch.zeros(2)}, out / "nan.pth")


def write(out):
    cases = []

    def case(file, shape, logits, **more):
        cases.append({"file": file, "input": list(shape), "logits": np.asarray(logits, np.float64).ravel().tolist(), **more})

    scale = {"mean": [0.4, 0.5, 0.6], "std": [0.2, 0.25, 0.3]}
    normalised = lambda model, shape: Normalised(scale["mean"][: shape[0]], scale["std"][: shape[0]], model).eval()(pixels(shape)).detach()
    weights = lambda shape: {"mean": scale["mean"][: shape[0]], "std": scale["std"][: shape[0]]}

    small, shape = settled(Residual(1, 2, [1, 1, 1], False, False, 5)), (1, 8, 8)
    torch.save(small.state_dict(), out / "residual.pth")
    torch.save(small.state_dict(), out / "residual_legacy.pth", _use_new_zipfile_serialization=False)
    torch.save({"epoch": 3, "model_state_dict": {"module." + k: v for k, v in small.state_dict().items()}, "optimizer_state_dict": {"state": {0: torch.ones(3)}}}, out / "residual_wrapped.pth")
    safetensors.torch.save_file(small.state_dict(), out / "residual.safetensors")
    for file in ["residual.pth", "residual_legacy.pth", "residual_wrapped.pth", "residual.safetensors"]:
        case(file, shape, normalised(small, shape), **weights(shape))
    half = settled(Residual(1, 2, [1, 1, 1], False, False, 5)).half()
    torch.save(half.state_dict(), out / "residual_half.pth")
    case("residual_half.pth", shape, normalised(half.float(), shape), **weights(shape))
    large, shape = settled(Residual(3, 2, [1, 2, 1], True, True, 5, dropout=True)), (3, 32, 32)
    last = {k: v.to(memory_format=torch.channels_last) if v.ndim == 4 else v for k, v in large.state_dict().items()}
    torch.save({"state_dict": {"backbone." + k: v for k, v in last.items()}}, out / "bottleneck.pth")
    case("bottleneck.pth", shape, normalised(large, shape), **weights(shape))
    mlp, shape = nn.Sequential(nn.Flatten(), nn.Linear(64, 12), nn.ReLU(), nn.Linear(12, 8, bias=False), nn.ReLU(), nn.Linear(8, 5)), (1, 8, 8)
    torch.save(mlp.state_dict(), out / "mlp.pth")
    case("mlp.pth", shape, normalised(mlp, shape), architecture="mlp", **weights(shape))

    shape = (3, 16, 16)
    models = {"vgg": vgg(), "mobilenet": mobilenet(), "efficient": efficient(), "dense": dense(), "resnet": Residual(3, 3, [1, 1], False, False, 5)}
    for name, opsets in {"vgg": [11, 17, 21], "mobilenet": [11, 18], "efficient": [13, 17], "dense": [14, 20], "resnet": [11, 12, 15, 19, 21]}.items():
        settled(models[name])
        for opset in opsets:
            file = f"{name}_{opset}.onnx"
            export(models[name], shape, out / file, min(opset, 20))
            if opset > 20:
                onnx.save(onnx.version_converter.convert_version(onnx.load(out / file), opset), out / file)
            case(file, shape, answers(out / file, pixels(shape).numpy()))
    export(Normalised(scale["mean"], scale["std"], models["resnet"]).eval(), shape, out / "normalised.onnx", 17, batch=None)
    case("normalised.onnx", shape, answers(out / "normalised.onnx", pixels(shape).numpy()))
    export(models["mobilenet"], shape, out / "softmax.onnx", 17, softmax=True)
    case("softmax.onnx", shape, models["mobilenet"](pixels(shape)).detach())
    for opset in [13, 18]:
        by_hand(out / f"by_hand_{opset}.onnx", opset)
        probabilities = answers(out / f"by_hand_{opset}.onnx", pixels(shape).permute(0, 2, 3, 1).contiguous().numpy())
        case(f"by_hand_{opset}.onnx", shape, probabilities, probabilities=True)
    lists(out / "lists.onnx")
    case("lists.onnx", (1, 8, 8), answers(out / "lists.onnx", pixels((1, 8, 8)).reshape(IMAGES, 64).numpy()))
    (out / "beside.weights").unlink(missing_ok=True)
    onnx.save(onnx.load(out / "resnet_15.onnx"), out / "beside.onnx", save_as_external_data=True, location="beside.weights", size_threshold=0)
    case("beside.onnx", shape, answers(out / "beside.onnx", pixels(shape).numpy()))
    odd(out)
    case("bottleneck.pth", (3, 32, 32), Normalised(scale["mean"], scale["std"], large).eval()(pixels((3, 32, 32)).flip(1)).detach(), order=[2, 1, 0], **weights((3, 32, 32)))
    mixed = settled(shuffled())
    for opset in [11, 13, 18]:
        export(mixed, shape, out / f"shuffled_{opset}.onnx", opset)
        case(f"shuffled_{opset}.onnx", shape, answers(out / f"shuffled_{opset}.onnx", pixels(shape).numpy()))
    (out / "networks.json").write_text(json.dumps(cases) + "\n")
