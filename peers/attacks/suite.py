"""`attack-suite` against AutoAttack, paired on the same networks and images; `apgd`, aimed and not, against torchattacks' APGD.

    cargo build --release -p duress-nn --example attack_peer
    [AUTOATTACK=folder] python peers/attacks/suite.py [names of networks]

Networks are taught here on two fifths of scikit-learn's digits, of which the rest, over 1,000 images, is attacked: plain, taught with PGD, taught with TRADES, and
the plain one with logits 10, 100 and 10,000 times as large, with its input rounded to nine levels, and with noise that is other noise each time (there AutoAttack runs in
its `rand` form); `real`, the LeNet in the package `deepchecks` on 1,000 test digits of MNIST, neither of which was made here (see real.py); and `large`, a network
of 1.2 GFLOP on 200 images of CIFAR-10 (its budgets are smaller: `UNSEEN=1 IMAGES=24 EPSILONS="…" … suite.py scan` says how many of 24 other images `apgd` leaves there).

AutoAttack is met in two forms: torchattacks', whose APGD and FAB take ten steps, and, where AUTOATTACK names a folder with its sources, the authors' own, which takes a
hundred as `attack-suite` does. PyTorch judges the images of all sides; of the noisy network the mean of twenty answers. Times are processor seconds on one thread, of
everything a side does, each budget by itself. SEED makes other networks, EPSILONS other budgets; IMAGES takes only so many of the images, for a machine that has no time;
ASCENTS compares `apgd` over so many seeds (five), 0 not at all;
KEPT names a folder where what the others found is kept, with the seconds it took, and taken from the next time.
"""

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import torch
import torchattacks
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
ROOT = Path(__file__).resolve().parents[2]
PEER = Path(os.environ.get("PEER", ROOT / "target/release/examples/attack_peer"))
SEED = int(os.environ.get("SEED", "7001"))
LEVELS, NOISE, EPSILON = 8, 0.1, 0.1
EPSILONS = [float(e) for e in os.environ.get("EPSILONS", "0.1 0.2").split()]
IMAGES = int(os.environ.get("IMAGES", "0")) or None
AUTOATTACK = os.environ.get("AUTOATTACK")
KEPT = os.environ.get("KEPT")
LARGE_IMAGES = 200
# One start decides little about one item: the mean of several ascents is compared.
APGD_SEEDS = range(SEED, SEED + int(os.environ.get("ASCENTS", "5")))


def digits():
    records = np.fromfile(ROOT / "crates/duress-parts/data/digits.bin", np.uint8).reshape(-1, 65)
    order = np.random.default_rng(SEED).permutation(len(records))
    x = torch.tensor(records[order, :64].reshape(-1, 1, 8, 8) / 16, dtype=torch.float32)
    y = torch.tensor(records[order, 64].astype(np.int64))
    return (x[:700], y[:700]), (x[700:], y[700:])


def network():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(256, 10))


def climbed(model, x, steps, loss):
    near = (x + torch.empty_like(x).uniform_(-EPSILON, EPSILON)).clamp(0, 1)
    for _ in range(steps):
        near.requires_grad_()
        (slope,) = torch.autograd.grad(loss(model(near)), near)
        near = (near.detach() + EPSILON / 4 * slope.sign()).clamp(x - EPSILON, x + EPSILON).clamp(0, 1)
    return near.detach()


def taught(how, data):
    torch.manual_seed(SEED)
    model, (x, y) = network(), data
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(40):
        for which in torch.randperm(len(x)).split(64):
            seen, truth = x[which], y[which]
            loss = F.cross_entropy(model(seen), truth)
            if how == "pgd-at":
                near = climbed(model, seen, 7, lambda z: F.cross_entropy(z, truth))
                loss = F.cross_entropy(model(near), truth)
            if how == "trades":
                clean = F.log_softmax(model(seen), 1)
                towards = clean.detach()
                near = climbed(model, seen, 7, lambda z: F.kl_div(F.log_softmax(z, 1), towards, log_target=True, reduction="batchmean"))
                loss = loss + 6 * F.kl_div(F.log_softmax(model(near), 1), clean, log_target=True, reduction="batchmean")
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval()


class Masked(nn.Module):
    def __init__(self, inner, scale=1.0, levels=0, noise=0.0):
        super().__init__()
        self.inner, self.scale, self.levels, self.noise = inner, scale, levels, noise

    def forward(self, x):
        if self.levels:
            x = torch.round(x * self.levels) / self.levels
        if self.noise:
            x = x + self.noise * torch.randn_like(x)
        z = self.inner(x)
        return z * self.scale if self.scale != 1.0 else z


def right(model, images, labels, noise):
    with torch.no_grad():
        answers = [(model(images).argmax(1) == labels).double() for _ in range(20 if noise else 1)]
    return torch.stack(answers).mean(0)


class InLine(nn.Module):
    """The image as it is. The way back through it lays a gradient out in rows, which torchattacks' FAB takes for granted and PyTorch's wide convolutions do not do."""

    def forward(self, x):
        return x.flatten(1).unflatten(1, x.shape[1:])


def torchattacks_suite(model, x, y, epsilon, noise):
    if isinstance(model, Wide):
        model = nn.Sequential(InLine(), model).eval()
    attack = torchattacks.AutoAttack(model, norm="Linf", eps=epsilon, version="rand" if noise else "standard", n_classes=10, seed=SEED)
    return torch.cat([attack(a, b) for a, b in zip(x.split(256), y.split(256))])


def original_suite(model, x, y, epsilon, noise):
    sys.path.insert(0, AUTOATTACK)
    from autoattack import AutoAttack

    attack = AutoAttack(model, norm="Linf", eps=epsilon, version="rand" if noise else "standard", seed=SEED, verbose=False, device="cpu")
    return attack.run_standard_evaluation(x, y, bs=250)


def torchattacks_apgd(model, x, y, epsilon, seed, aimed):
    how = {"norm": "Linf", "eps": epsilon, "steps": 100, "n_restarts": 1, "seed": seed}
    attack = torchattacks.APGDT(model, n_classes=10, **how) if aimed else torchattacks.APGD(model, loss="ce", **how)
    return torch.cat([attack(a, b) for a, b in zip(x.split(256), y.split(256))])


def kept(name, make):
    """What `make` gives and the seconds of processor that it took; from the folder of what is kept, if it is there."""
    file = Path(KEPT or "", f"{name}-{SEED}-{IMAGES}.npz".replace(" ", "-"))
    if KEPT and file.exists():
        found = np.load(file)
        return torch.from_numpy(found["images"]), float(found["seconds"])
    begun = time.process_time()
    images = make().detach()
    seconds = time.process_time() - begun
    if KEPT:
        Path(KEPT).mkdir(parents=True, exist_ok=True)
        np.savez(file, images=images.numpy(), seconds=seconds)
    return images, seconds


def ours(model, x, y, epsilon, noise, **attack):
    """The same by duress."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        torch.onnx.export(model, (x[:1],), str(folder / "network.onnx"), input_names=["image"], output_names=["logits"], dynamic_axes={"image": {0: "n"}, "logits": {0: "n"}}, opset_version=17, dynamo=False)
        (folder / "images.f32").write_bytes(x.numpy().astype("<f4").tobytes())
        (folder / "labels.u8").write_bytes(y.numpy().astype(np.uint8).tobytes())
        seed = attack.pop("seed", SEED)
        job = {"kind": "file", "file": str(folder / "network.onnx"), "input": list(x.shape[1:]), "classes": 10, "severities": [str(epsilon)], "norm": "linf", "steps": 100, "noise": noise, **attack}
        (folder / "job.json").write_text(json.dumps(job))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = subprocess.run([PEER, folder], input=f"{seed}\n", capture_output=True, text=True, check=True, env=os.environ | {"RAYON_NUM_THREADS": "1"}).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        images = torch.from_numpy(np.fromfile(folder / "adversarial.f32", "<f4").reshape(x.shape))
        assert (images - x).abs().max() <= epsilon + 1e-6 and images.min() >= 0 and images.max() <= 1
        told = json.loads(said.splitlines()[-1])
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return images, seconds, told


def paired(a, b):
    """The mean difference, and the upper end of its interval, in points."""
    difference = 100 * (a - b).numpy()
    half = 1.96 * difference.std(ddof=1) / math.sqrt(len(difference))
    return f"{difference.mean():+.2f}, {difference.mean() + half:+.2f}"


def compare_suites(name, model, plain, noise, test, epsilon):
    """`plain` is the model without its noise, which duress adds itself."""
    x, y = (part[:IMAGES] for part in test)
    clean = right(model, x, y, noise).mean().item()
    images, seconds, told = ours(plain, x, y, epsilon, noise, attack="attack-suite")
    mine = right(model, images, y, noise)
    suites = {"torchattacks": torchattacks_suite} | ({"original": original_suite} if AUTOATTACK else {})
    for peer, suite in suites.items():
        images, took = kept(f"{name}-{epsilon}-{peer}", lambda: suite(model, x, y, epsilon, noise))
        theirs = right(model, images, y, noise)
        row = [name, len(y), f"{100 * clean:.1f}", epsilon, peer, f"{100 * mine.mean():.2f}", f"{100 * theirs.mean():.2f}", paired(mine, theirs), f"{seconds:.1f}, {took:.1f}", f"{took / seconds:.1f}"]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    print(f"  asked {told['queries']} times, {told['gradients']} for gradients; {told['doubts']}", flush=True)


def compare_apgd(name, model, test, epsilon, aimed):
    """The mean of several ascents of either side."""
    x, y = (part[:IMAGES] for part in test)
    sides = [[], []]
    took = [0.0, 0.0]
    for seed in APGD_SEEDS:
        images, seconds, _ = ours(model, x, y, epsilon, 0.0, attack="apgd", targets=9 if aimed else 0, seed=seed)
        theirs, their_seconds = kept(f"{name}-{epsilon}-apgd-{aimed}-{seed}", lambda: torchattacks_apgd(model, x, y, epsilon, seed, aimed))
        for side, found in zip(sides, (images, theirs)):
            side.append(right(model, found, y, 0))
        took = [took[0] + seconds, took[1] + their_seconds]
    mine, theirs = (torch.stack(side) for side in sides)
    of = lambda side: f"{100 * side.mean():.2f} ({' '.join(f'{100 * one.mean():.2f}' for one in side)})"
    what = "APGD on the DLR, nine classes" if aimed else "APGD on the cross-entropy"
    print(f"  {name} {epsilon}, {what}: {of(mine)}, torchattacks {of(theirs)}, difference {paired(mine.mean(0), theirs.mean(0))}; {took[0]:.2f}, {took[1]:.2f} s: {took[1] / took[0]:.1f} times", flush=True)


def compare(name, model, plain, noise, test):
    for epsilon in EPSILONS:
        compare_suites(name, model, plain, noise, test, epsilon)
        if APGD_SEEDS and not noise and name in ("plain", "pgd-at", "trades", "real"):
            compare_apgd(name, model, test, epsilon, False)
            compare_apgd(name, model, test, epsilon, True)


def packaged():
    """Weights and images that were made elsewhere."""
    import real

    folder = ROOT / ".venv/attacks-data/real"
    folder.mkdir(parents=True, exist_ok=True)
    real.DIGITS = 1000
    _, _, model, test = real.lenet(folder)
    return model, test


def calibrated(model, x):
    """Random weights with batch norms that know their images: what they pass on has mean 0 and deviation 1, as in a network that was taught."""
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.momentum = None
    model.train()
    with torch.no_grad():
        for batch in x.split(64):
            model(batch)
    return model.eval()


def with_head(body, x, y):
    """A last layer by ridge regression on what the rest of a network makes of the images."""
    with torch.no_grad():
        seen = torch.cat([body(batch) for batch in x.split(64)])
    mean, deviation = seen.mean(0), seen.std(0) + 1e-6
    seen = torch.cat([(seen - mean) / deviation, torch.ones(len(seen), 1)], 1).double()
    wanted = F.one_hot(y, 10).double() - 0.1
    found = torch.linalg.solve(seen.T @ seen + len(y) * torch.eye(seen.shape[1]).double(), seen.T @ wanted)
    body.fc = nn.Linear(len(mean), 10)
    weight = 10 * found[:-1].T / deviation
    body.fc.weight.data = weight.float()
    body.fc.bias.data = (10 * found[-1] - weight @ mean.double()).float()
    return body


class Wide(nn.Module):
    """Four wide convolutions (1.2 GFLOP an answer at 32 pixels) before a mean over squares and a last layer."""

    def __init__(self):
        super().__init__()
        layers = [nn.Conv2d(3, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU()]
        for _ in range(4):
            layers += [nn.Conv2d(128, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.AvgPool2d(8), nn.Flatten())
        self.fc = nn.Identity()

    def forward(self, x):
        return self.fc(self.body(x))


def large():
    """A network over 1 GFLOP on CIFAR-10: random weights below a last layer that was fitted. Right is what it says of the clean images."""
    import run

    (x, y), (tested, _) = run.cifar(1000, LARGE_IMAGES)
    torch.manual_seed(SEED)
    model = with_head(calibrated(Wide(), x[:256]), x, y)
    with torch.no_grad():
        return model, (tested, model(tested).argmax(1))


def scan():
    """How many images `apgd` leaves standing on the large network, to choose budgets by. On the images of the comparison that would be tuning: UNSEEN=1 has others."""
    assert os.environ.get("UNSEEN") == "1", "UNSEEN=1 takes other images than those that are compared on"
    model, (x, y) = large()
    x, y = x[:IMAGES], y[:IMAGES]
    for epsilon in EPSILONS:
        images, seconds, _ = ours(model, x, y, epsilon, 0.0, attack="apgd")
        print(f"{epsilon}: {int(right(model, images, y, 0).sum())} of {len(y)} stand, {seconds:.1f} s", flush=True)


def main():
    if sys.argv[1:] == ["scan"]:
        return scan()
    fit, test = digits()
    plain = taught("plain", fit)
    networks = {
        "plain": lambda: (plain, plain, 0.0),
        "pgd-at": lambda: (*[taught("pgd-at", fit)] * 2, 0.0),
        "trades": lambda: (*[taught("trades", fit)] * 2, 0.0),
        "scaled 10": lambda: (*[Masked(plain, scale=10.0)] * 2, 0.0),
        "scaled 100": lambda: (*[Masked(plain, scale=100.0)] * 2, 0.0),
        "scaled 1e4": lambda: (*[Masked(plain, scale=1e4)] * 2, 0.0),
        "quantised": lambda: (*[Masked(plain, levels=LEVELS)] * 2, 0.0),
        "randomised": lambda: (Masked(plain, noise=NOISE), plain, NOISE),
    }
    print("| Network | Images | Clean | ε | AutoAttack | attack-suite | Its | Difference, upper end | Seconds | Ratio |\n|---|---|---|---|---|---|---|---|---|---|")
    for name, make in networks.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            model, without_noise, noise = make()
            compare(name, model, without_noise, noise, test)
    for name, make in {"real": packaged, "large": large}.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            model, others = make()
            compare(name, model, model, 0.0, others)


if __name__ == "__main__":
    main()
