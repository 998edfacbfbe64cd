"""Times PyTorch, ONNX Runtime and duress-nn in turn, in one run, on the same weights and images.

Each repeat times every peer once and then the engine, with a pause before each so that no thread of the last one is still spinning. The
ratio is that of the medians of nine (or of REPEATS, at least three). Twice: by the clock with all cores, and by processor time with one thread each, which other work on the
machine changes little. Results are compared as well. Peak memory is that of fresh processes that do only that.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision

ROOT = Path(__file__).resolve().parents[2]
REPEATS = int(os.environ.get("REPEATS", "9"))


class Small(nn.Module):
    """`Residual::small(32, 2)`: three stages of two plain blocks for 32-pixel images."""

    def __init__(self, width=32, blocks=2, classes=10):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        Block, inputs = torchvision.models.resnet.BasicBlock, width
        for stage in range(3):
            outputs, layers = width << stage, []
            for block in range(blocks):
                stride = 2 if stage > 0 and block == 0 else 1
                down = None
                if stride > 1 or inputs != outputs:
                    down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
                layers.append(Block(inputs, outputs, stride, down))
                inputs = outputs
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layers))
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        for stage in (self.layer1, self.layer2, self.layer3):
            x = stage(x)
        return self.fc(x.mean((2, 3)))


class Normalised(nn.Module):
    """Pixels in [0, 1] in, as for an attack."""

    def __init__(self, model, mean, deviation):
        super().__init__()
        self.model = model
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("deviation", torch.tensor(deviation).view(1, -1, 1, 1))

    def forward(self, x):
        return self.model((x - self.mean) / self.deviation)


IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
PLAIN = ([0.0] * 3, [1.0] * 3)
MODELS = {
    "resnet50": (torchvision.models.resnet50, IMAGENET, 224, 8, 1000),
    "resnet18": (torchvision.models.resnet18, IMAGENET, 64, 32, 1000),
    "small": (Small, PLAIN, 32, 64, 10),
}


def made(name):
    make, (mean, deviation), size, items, classes = MODELS[name]
    torch.manual_seed(1)
    model = make()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            # As after training: neither zero nor one.
            nn.init.uniform_(module.weight, 0.5, 1.5), nn.init.uniform_(module.bias, -0.2, 0.2)
            nn.init.uniform_(module.running_mean, -0.2, 0.2), nn.init.uniform_(module.running_var, 0.8, 1.2)
    images = torch.rand(items, 3, size, size)
    return Normalised(model, mean, deviation).eval(), images, torch.arange(items) % classes


class Engine:
    """The example `bench` of duress-nn, as a process that obeys lines."""

    def __init__(self, name, model, images, folder, threads):
        cargo = os.environ.get("CARGO", "cargo")
        build = [cargo, "build", "--quiet", "--release", "--package", "duress-nn", "--example", "bench"]
        subprocess.run(build, cwd=ROOT, check=True)
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([target / "release/examples/bench"], cwd=ROOT, **pipes)
        weights, batch = Path(folder) / f"{name}.weights", Path(folder) / f"{name}.batch"
        write_weights(model.model, weights)
        batch.write_bytes(images.numpy().astype("<f4").tobytes())
        self.set, self.compiled_in = self.ask(f"load {name} {weights} {threads}").split()
        self.ask(f"batch {batch} {len(images)}")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def time(self, what, clock):
        """Seconds of one call, by the clock or of the processor."""
        before = float(self.ask("cpu"))
        took = float(self.ask(what))
        return took if clock is time.perf_counter else float(self.ask("cpu")) - before

    def numbers(self, what):
        return np.array(json.loads(self.ask(f"show {what}")))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def write_weights(model, path):
    places, lists, at = {}, [], 0
    for name, values in model.state_dict().items():
        if values.dtype == torch.float32:
            places[name] = at
            at += values.numel()
            lists.append(values.numpy().astype("<f4").tobytes())
    path.write_bytes(json.dumps(places).encode() + b"\n" + b"".join(lists))


def folded(model):
    """Batch norm folded into the convolutions, channels last: PyTorch at its best for a frozen network."""
    from torch.fx.experimental.optimization import fuse

    inner = fuse(model.model.eval()).to(memory_format=torch.channels_last)
    return Normalised(inner, model.mean.flatten().tolist(), model.deviation.flatten().tolist()).eval()


def forward(model, images):
    with torch.inference_mode():
        return model(images)


def gradient(model, images, labels):
    x = images.detach().requires_grad_()
    (slope,) = torch.autograd.grad(F.cross_entropy(model(x), labels, reduction="sum"), x)
    return slope


def trainer(model, images, labels):
    model = model.model.train()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)

    def step():
        optimiser.zero_grad(set_to_none=True)
        F.cross_entropy(model(images), labels).backward()
        optimiser.step()

    return step


def trades(model, images, labels, reach=8 / 255, steps=10, beta=6.0):
    """A step of TRADES as its authors have it: batch norms in evaluation while the divergence is climbed."""
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)

    def step():
        model.eval()
        with torch.no_grad():
            clean = F.softmax(model(images), 1)
        attacked = images + 0.001 * torch.randn_like(images)
        for _ in range(steps):
            attacked = attacked.detach().requires_grad_()
            divergence = F.kl_div(F.log_softmax(model(attacked), 1), clean, reduction="sum")
            (slope,) = torch.autograd.grad(divergence, attacked)
            attacked = attacked.detach() + 0.25 * reach * slope.sign()
            attacked = torch.min(torch.max(attacked, images - reach), images + reach).clamp(0, 1)
        model.train()
        optimiser.zero_grad(set_to_none=True)
        logits = model(images)
        robust = F.kl_div(F.log_softmax(model(attacked), 1), F.softmax(logits, 1), reduction="batchmean")
        (F.cross_entropy(logits, labels) + beta * robust).backward()
        optimiser.step()

    return step


def onnx_session(model, images, folder, name, threads):
    import onnxruntime

    path = str(Path(folder) / f"{name}.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (images,), path, dynamo=False, opset_version=17)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    pixels = {session.get_inputs()[0].name: images.numpy()}
    return lambda: session.run(None, pixels)


def timed(work, clock):
    begun = clock()
    work()
    return clock() - begun


def interleaved(peers, ours, clock):
    """Seconds of each, repeat by repeat; the first round warms up and does not count."""
    times = {name: [] for name in [*peers, "duress-nn"]}
    for repeat in range(REPEATS + 1):
        for name, work in peers.items():
            time.sleep(0.1)
            took = timed(work, clock)
            times[name] += [took] if repeat else []
        time.sleep(0.1)
        took = ours(clock)
        times["duress-nn"] += [took] if repeat else []
    return times


def report(task, times, bars):
    mine = statistics.median(times["duress-nn"])
    for name, found in times.items():
        ms = sorted(1e3 * x for x in found)
        line = f"| {task} | {name} | {statistics.median(ms):.1f} ({ms[2]:.1f}–{ms[-3]:.1f}) |"
        ratio = statistics.median(found) / mine
        line += "" if name == "duress-nn" else f" {ratio:.2f}×"
        line += f" | {bars[name]}× | {'yes' if ratio >= bars[name] else '**no**'} |" if name in bars else " | | |"
        print(line, flush=True)


def distance(a, b):
    a, b = np.asarray(a).ravel(), np.asarray(b).ravel()
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def compared(what, ours, theirs, folded):
    """Ours against PyTorch's. Where rounding decides on which side of a kink a deep network is, PyTorch's own two forms differ as well; there
    ours may be five times as far."""
    apart, own = distance(ours, theirs.detach()), distance(folded.detach(), theirs.detach())
    print(f"  {what}: {apart:.1e} from PyTorch's, relative; PyTorch folded is {own:.1e} from PyTorch", flush=True)
    if not apart <= max(1e-4, 5 * own):
        sys.exit(f"{what} differ")


def measure(name, folder, bars, threads, clock, only=()):
    bars = {task: bar for task, bar in bars.items() if not only or task in only}
    torch.set_num_threads(threads)
    model, images, labels = made(name)
    engine = Engine(name, model, images, folder, threads)
    how = "by the clock" if clock is time.perf_counter else "processor time"
    print(f"\n{name}: {len(images)} images of {images.shape[-1]} pixels, {threads} threads, {how}, {engine.set}", flush=True)
    best = folded(model)
    last = images.to(memory_format=torch.channels_last)
    if "forward" in bars:
        peers = {"PyTorch": lambda: forward(model, images), "PyTorch, folded, channels last": lambda: forward(best, last)}
        peers["ONNX Runtime"] = onnx_session(model, images, folder, name, threads)
        times = interleaved(peers, lambda clock: engine.time("forward", clock), clock)
        report(f"{name} forward", times, bars["forward"])
        compared("logits", engine.numbers("logits"), forward(model, images), forward(best, last))
    if "gradient" in bars:
        peers = {"PyTorch": lambda: gradient(model, images, labels)}
        peers["PyTorch, folded, channels last"] = lambda: gradient(best, last, labels)
        times = interleaved(peers, lambda clock: engine.time("gradient", clock), clock)
        report(f"{name} forward + input gradient", times, bars["gradient"])
        compared("gradient", engine.numbers("gradient"), gradient(model, images, labels), gradient(best, last, labels))
    if "train" in bars:
        last_model = made(name)[0].to(memory_format=torch.channels_last)
        peers = {"PyTorch": trainer(model, images, labels), "PyTorch, channels last": trainer(last_model, last, labels)}
        report(f"{name} SGD step", interleaved(peers, lambda clock: engine.time("train", clock), clock), bars["train"])
    if "trades" in bars:
        last_model = made(name)[0].to(memory_format=torch.channels_last)
        peers = {"PyTorch": trades(made(name)[0], images, labels), "PyTorch, channels last": trades(last_model, last, labels)}
        report(f"{name} TRADES epoch of one batch", interleaved(peers, lambda clock: engine.time("trades", clock), clock), bars["trades"])
    engine.close()


BARS = {
    "resnet50": {"forward": {"ONNX Runtime": 0.8}, "gradient": {"PyTorch": 1.3, "PyTorch, folded, channels last": 0.95}},
    "resnet18": {
        "forward": {"ONNX Runtime": 0.8},
        "gradient": {"PyTorch": 1.3, "PyTorch, folded, channels last": 0.95},
        "train": {"PyTorch": 1.2, "PyTorch, channels last": 1.0},
    },
    "small": {"train": {"PyTorch": 1.2, "PyTorch, channels last": 1.0}, "trades": {"PyTorch": 1.5}},
}


def peak(name):
    """What a fresh process with PyTorch needs for one gradient; run as `bench.py peak NAME`."""
    model, images, labels = made(name)
    for _ in range(2):
        gradient(model, images, labels)
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            print(line.split()[1])


def memory(name, folder):
    model, images, _ = made(name)
    engine = Engine(name, model, images, folder, os.cpu_count())
    engine.ask("gradient"), engine.ask("gradient")
    ours = int(engine.ask("memory")) / 1024
    engine.close()
    own = subprocess.run([sys.executable, __file__, "peak", name], check=True, capture_output=True, text=True)
    idle = subprocess.run([sys.executable, "-c", IDLE], check=True, capture_output=True, text=True)
    theirs, idle = int(own.stdout) / 1024, int(idle.stdout) / 1024
    print(f"\npeak memory, {name} forward + input gradient: duress-nn {ours:.0f} MB (weights of the file and of the network included)")
    print(f"PyTorch {theirs:.0f} MB, of which {idle:.0f} MB before there is a model")


IDLE = """
import torch, torchvision
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def main(names):
    load = os.getloadavg()
    print(f"{os.cpu_count()} cores, load {load[0]:.1f} {load[1]:.1f} {load[2]:.1f}, PyTorch {torch.__version__}")
    print("| Task | Who | median ms (middle five) | Ratio | Bar | Met |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        only = [name for name in names if name in ("forward", "gradient", "train", "trades")]
        for name in [name for name in names if name in BARS] or BARS:
            if "clock" not in names:
                measure(name, folder, BARS[name], 1, time.process_time, only)
            if "processor" not in names:
                measure(name, folder, BARS[name], os.cpu_count(), time.perf_counter, only)
        if not names or "resnet50" in names:
            memory("resnet50", folder)
    print("load at the end: {:.1f}".format(os.getloadavg()[0]))


if __name__ == "__main__" and sys.argv[1:2] == ["peak"]:
    peak(sys.argv[2])
