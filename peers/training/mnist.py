"""TRADES on MNIST, scaled down: the recipe of its authors (https://github.com/yaodongyu/TRADES, train_trades_mnist.py) in PyTorch, and `trained`.

    python peers/training/mnist.py FOLDER [SEED ...]      FOLDER holds the IDX files of MNIST; TRAIN=3000 takes fewer images

Both sides: a residual network of three stages from 8 channels on, 6,000 images for training and 1,000 of the test set, ε = 0.3, β = 1, SGD with rate 0.01 and momentum
0.9, batches of 128, 8 epochs, 10 inner steps of 0.075 (the authors: a network of four convolutions, 60,000 images, 40 steps of 0.01, 100 epochs). Printed
are accuracy and accuracy under PGD of 20 steps of 0.0375 from a random start, seed by seed, and how far the means are apart in standard errors.
"""

import gzip
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision.models.resnet import BasicBlock

ROOT = Path(__file__).resolve().parents[2]
TRAIN, TEST, REACH, BETA, EPOCHS, BATCH, STEPS = int(os.environ.get("TRAIN", 6000)), 1000, 0.3, 1.0, 8, 128, 10

STUDY = """
name = "trades-on-mnist"
seeds = [{seed}]

[dataset.mnist]
use = "npz-images"
path = "mnist.npz"

[subject.trades]
use = "trained"
on = "mnist"
network = "residual"
width = 8
objective = "trades"
adversarial = {reach}
attack-steps = {steps}
beta = {beta}
optimiser = "sgd"
learning-rate = 0.01
momentum = 0.9
weight-decay = 0
schedule = "constant"
class-weights = "equal"
batch = {batch}
epochs = {epochs}

[ladder.pgd]
use = "pgd"
severities = [{reach}]
steps = 20

[analysis]
gauges = ["accuracy"]
"""


def idx(folder, name):
    found = next(Path(folder).rglob(f"{name}*"))
    raw = found.read_bytes()
    raw = gzip.decompress(raw) if found.suffix == ".gz" else raw
    dimensions = raw[3]
    shape = [int.from_bytes(raw[4 + 4 * d : 8 + 4 * d], "big") for d in range(dimensions)]
    return np.frombuffer(raw[4 + 4 * dimensions :], np.uint8).reshape(shape)


class Small(nn.Module):
    def __init__(self, mean, std, width=8):
        super().__init__()
        self.mean, self.std = mean, std
        self.conv1, self.bn1, inputs, stages = nn.Conv2d(1, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), width, []
        for stage in range(3):
            outputs, stride, down = width << stage, 1 if stage == 0 else 2, None
            if stage:
                down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
            stages.append(BasicBlock(inputs, outputs, stride, down))
            inputs = outputs
        self.stages, self.fc = nn.Sequential(*stages), nn.Linear(inputs, 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1((x - self.mean) / self.std)))
        return self.fc(self.stages(x).mean((2, 3)))


def climbed(model, images, start, steps, step, loss):
    attacked = start
    for _ in range(steps):
        attacked = attacked.detach().requires_grad_()
        (slope,) = torch.autograd.grad(loss(model(attacked)), attacked)
        attacked = attacked.detach() + step * slope.sign()
        attacked = torch.min(torch.max(attacked, images - REACH), images + REACH).clamp(0, 1)
    return attacked.detach()


def theirs(seed, train, test):
    torch.manual_seed(seed)
    (images, labels), (held, truth) = train, test
    model = Small(images.mean(), images.std())
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(images)).split(BATCH):
            x, y = images[batch], labels[batch]
            model.eval()
            with torch.no_grad():
                clean = F.softmax(model(x), 1)
            near = x + 0.001 * torch.randn_like(x)
            divergence = lambda logits: F.kl_div(F.log_softmax(logits, 1), clean, reduction="sum")
            attacked = climbed(model, x, near, STEPS, 2.5 * REACH / STEPS, divergence)
            model.train()
            optimiser.zero_grad(set_to_none=True)
            logits = model(x)
            robust = F.kl_div(F.log_softmax(model(attacked), 1), F.softmax(logits, 1), reduction="batchmean")
            (F.cross_entropy(logits, y) + BETA * robust).backward()
            optimiser.step()
    model.eval()
    right = lambda x: (model(x).argmax(1) == truth).float().mean().item()
    start = (held + REACH * (2 * torch.rand_like(held) - 1)).clamp(0, 1)
    attacked = climbed(model, held, start, 20, 2.5 * REACH / 20, lambda logits: F.cross_entropy(logits, truth, reduction="sum"))
    with torch.no_grad():
        return right(held), right(attacked)


def ours(seed, folder):
    study, run = Path(folder) / f"study-{seed}.toml", Path(folder) / f"run-{seed}"
    study.write_text(STUDY.format(seed=seed, reach=REACH, steps=STEPS, beta=BETA, batch=BATCH, epochs=EPOCHS))
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = [target / "release/duress", "run", study, "--out", run]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    estimates = json.loads((run / "5-findings.json").read_text())["estimates"]
    at = {json.dumps(one["place"]["under"], sort_keys=True): one for one in estimates if one["gauge"] == "accuracy"}
    values = [one["value"]["value"] for one in at.values()]
    return max(values), min(values)


def main(folder, seeds):
    with tempfile.TemporaryDirectory() as scratch:
        sets = []
        for name, count in (("train", TRAIN), ("t10k", TEST)):
            images, labels = idx(folder, f"{name}-images")[:count], idx(folder, f"{name}-labels")[:count]
            sets.append((images, labels))
        np.savez(Path(scratch) / "mnist.npz", train_images=sets[0][0], train_labels=sets[0][1], test_images=sets[1][0], test_labels=sets[1][1])
        tensors = [(torch.tensor(x / 255.0, dtype=torch.float32).unsqueeze(1), torch.tensor(y.astype(np.int64))) for x, y in sets]
        pairs = []
        for seed in seeds:
            pairs.append((theirs(seed, *tensors), ours(seed, scratch)))
            print(f"seed {seed}: PyTorch {pairs[-1][0][0]:.3f} clean, {pairs[-1][0][1]:.3f} attacked; ours {pairs[-1][1][0]:.3f}, {pairs[-1][1][1]:.3f}", flush=True)
    for at, what in enumerate(("clean", "attacked")):
        a, b = ([pair[side][at] for pair in pairs] for side in (0, 1))
        apart = statistics.mean(b) - statistics.mean(a)
        error = math.sqrt(sum(statistics.variance(x) for x in (a, b)) / len(pairs)) if len(pairs) > 1 else math.nan
        print(f"{what}: PyTorch {statistics.mean(a):.3f}, ours {statistics.mean(b):.3f}, {apart:+.3f} apart, standard error {error:.3f}")


if __name__ == "__main__":
    main(sys.argv[1], [int(seed) for seed in sys.argv[2:]] or [1, 2, 3])
