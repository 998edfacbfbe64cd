"""`attack-suite` against torchattacks' AutoAttack, paired on the same networks and images; `apgd` against its APGD.

    cargo build --release -p duress-nn --example attack_peer
    python peers/attacks/suite.py [names of networks]

Networks are taught here on two fifths of scikit-learn's digits, of which the rest, over 1,000 images, is attacked: plain, taught with PGD, taught with TRADES, and
the plain one with logits 10 and 10,000 times as large, with its input rounded to nine levels, and with noise that is other noise each time (there AutoAttack runs in its
`rand` form); and `real`, the LeNet in the package `deepchecks` on 1,000 test digits of MNIST, neither of which was made here (see real.py). PyTorch judges the images of
both sides; of the noisy network the mean of twenty answers. Times are processor seconds on one thread, of everything a side does. SEED makes other networks, EPSILONS
other budgets; IMAGES takes only so many of the images, for a machine that has no time.
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
PEER = ROOT / "target/release/examples/attack_peer"
SEED = int(os.environ.get("SEED", "7001"))
LEVELS, NOISE, EPSILON = 8, 0.1, 0.1
EPSILONS = [float(e) for e in os.environ.get("EPSILONS", "0.1 0.2").split()]
IMAGES = int(os.environ.get("IMAGES", "0")) or None


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


def autoattack(model, x, y, epsilon, noise):
    begun = time.process_time()
    attack = torchattacks.AutoAttack(model, norm="Linf", eps=epsilon, version="rand" if noise else "standard", n_classes=10, seed=SEED)
    images = torch.cat([attack(a, b) for a, b in zip(x.split(256), y.split(256))])
    return images, time.process_time() - begun


def apgd(model, x, y, epsilon):
    begun = time.process_time()
    attack = torchattacks.APGD(model, norm="Linf", eps=epsilon, steps=100, n_restarts=1, seed=SEED, loss="ce")
    images = torch.cat([attack(a, b) for a, b in zip(x.split(256), y.split(256))])
    return images, time.process_time() - begun


def ours(model, x, y, epsilons, noise, attack):
    """The same by duress, up a ladder."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        torch.onnx.export(model, (x[:1],), str(folder / "network.onnx"), input_names=["image"], output_names=["logits"], dynamic_axes={"image": {0: "n"}, "logits": {0: "n"}}, opset_version=17, dynamo=False)
        (folder / "images.f32").write_bytes(x.numpy().astype("<f4").tobytes())
        (folder / "labels.u8").write_bytes(y.numpy().astype(np.uint8).tobytes())
        job = {"kind": "file", "file": str(folder / "network.onnx"), "input": list(x.shape[1:]), "classes": 10, "severities": [str(e) for e in epsilons], "norm": "linf", "steps": 100, "attack": attack, "noise": noise}
        (folder / "job.json").write_text(json.dumps(job))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = subprocess.run([PEER, folder], input=f"{SEED}\n", capture_output=True, text=True, check=True, env=os.environ | {"RAYON_NUM_THREADS": "1"}).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        images = np.fromfile(folder / "adversarial.f32", "<f4").reshape(len(epsilons), *x.shape)
        told = json.loads(said.splitlines()[-1])
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return [torch.from_numpy(one.copy()) for one in images], seconds, told["doubts"]


def compare(name, model, plain, noise, test, epsilons):
    """`plain` is the model without its noise, which duress adds itself."""
    x, y = (part[:IMAGES] for part in test)
    clean = right(model, x, y, noise).mean().item()
    images, seconds, doubts = ours(plain, x, y, epsilons, noise, "attack-suite")
    theirs_seconds = 0.0
    for epsilon, mine in zip(epsilons, images):
        theirs, took = autoattack(model, x, y, epsilon, noise)
        theirs_seconds += took
        assert (mine - x).abs().max() <= epsilon + 1e-6 and mine.min() >= 0 and mine.max() <= 1
        a, b = right(model, mine, y, noise), right(model, theirs, y, noise)
        difference = (a - b).numpy()
        half = 1.96 * difference.std(ddof=1) / math.sqrt(len(difference))
        print(f"| {name} | {len(y)} | {100 * clean:.1f} | {epsilon} | {100 * a.mean():.2f} | {100 * b.mean():.2f} | {100 * difference.mean():+.2f} | {100 * (difference.mean() + half):+.2f} |", flush=True)
    print(f"  {name}: duress {seconds:.1f} s, AutoAttack {theirs_seconds:.1f} s of processor: {theirs_seconds / seconds:.1f} times; {doubts}", flush=True)
    if not noise and name in ("plain", "pgd-at", "trades", "real"):
        mine, mine_took, _ = ours(plain, x, y, epsilons[-1:], noise, "apgd")
        theirs, took = apgd(model, x, y, epsilons[-1])
        print(f"  {name}: APGD-CE at {epsilons[-1]}: {100 * right(model, mine[0], y, 0).mean():.2f} % in {mine_took:.2f} s, torchattacks {100 * right(model, theirs, y, 0).mean():.2f} % in {took:.2f} s: {took / mine_took:.1f} times", flush=True)


def packaged():
    """Weights and images that were made elsewhere."""
    import real

    folder = ROOT / ".venv/attacks-data/real"
    folder.mkdir(parents=True, exist_ok=True)
    real.DIGITS = 1000
    _, _, model, test = real.lenet(folder)
    return model, test


def main():
    fit, test = digits()
    plain = taught("plain", fit)
    networks = {
        "plain": lambda: (plain, plain, 0.0, EPSILONS),
        "pgd-at": lambda: (*[taught("pgd-at", fit)] * 2, 0.0, EPSILONS),
        "trades": lambda: (*[taught("trades", fit)] * 2, 0.0, EPSILONS),
        "scaled 10": lambda: (*[Masked(plain, scale=10.0)] * 2, 0.0, EPSILONS),
        "scaled 100": lambda: (*[Masked(plain, scale=100.0)] * 2, 0.0, EPSILONS),
        "scaled 1e4": lambda: (*[Masked(plain, scale=1e4)] * 2, 0.0, EPSILONS),
        "quantised": lambda: (*[Masked(plain, levels=LEVELS)] * 2, 0.0, EPSILONS),
        "randomised": lambda: (Masked(plain, noise=NOISE), plain, NOISE, EPSILONS),
    }
    print("| Network | Images | Clean | ε | attack-suite | AutoAttack | Difference | Upper end |\n|---|---|---|---|---|---|---|---|")
    for name, make in networks.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            model, without_noise, noise, epsilons = make()
            compare(name, model, without_noise, noise, test, epsilons)
    if not sys.argv[1:] or "real" in sys.argv[1:]:
        model, others = packaged()
        compare("real", model, model, 0.0, others, EPSILONS)


main()
