"""Losses of fifty steps of each objective in PyTorch, to compare ours with.

The same network, images, order and starts of attacks as crates/duress-nn/tests/it/training.rs, drawn from the
project's own counter-based draws, which are written down here a second time. Writes
crates/duress-nn/tests/training.json.
"""

import json
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

OUT = Path(__file__).resolve().parents[2] / "crates/duress-nn/tests/training.json"
STEPS, ITEMS, SHAPE, CLASSES = 50, 24, (3, 8, 8), 3
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def philox(key, counter):
    k = [key & M32, key >> 32]
    c = [counter[0] & M32, counter[0] >> 32, counter[1] & M32, counter[1] >> 32]
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(b >> 32) ^ c[1] ^ k[0], b & M32, (a >> 32) ^ c[3] ^ k[1], a & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c


class Seed:
    def __init__(self, key, stream=0):
        self.key, self.stream = key, stream

    @staticmethod
    def new(number):
        return Seed(number).child("duress")

    def child(self, label):
        data = label.encode()
        words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data), 8)] + [len(data)]
        seed = self
        for word in words:
            a, b, c, d = philox(seed.key, [seed.stream, word])
            seed = Seed(a | b << 32, c | d << 32)
        return seed

    def draws(self):
        return Draws(self)


class Draws:
    def __init__(self, seed):
        self.seed, self.block, self.words = seed, 0, []

    def bits32(self):
        if not self.words:
            self.words = philox(self.seed.key, [self.block, self.seed.stream])
            self.block += 1
        return self.words.pop(0)

    def bits64(self):
        low = self.bits32()
        return low | self.bits32() << 32

    def uniform(self):
        return (self.bits64() >> 11) / (1 << 53)

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(math.tau * self.uniform())

    def below(self, bound):
        threshold = (-bound & M64) % bound
        while True:
            wide = self.bits64() * bound
            if wide & M64 >= threshold:
                return wide >> 64

    def shuffle(self, things):
        for last in range(len(things) - 1, 0, -1):
            other = self.below(last + 1)
            things[last], things[other] = things[other], things[last]


def array(draw, *shape):
    """Draws as single precision has them, to be worked on in double: near an image the slope of a divergence
    is a small difference of large numbers, and PyTorch's own single precision loses the signs of some pixels."""
    return torch.tensor(np.array([draw() for _ in range(math.prod(shape))], dtype=np.float32).reshape(shape)).double()


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 4, 3, 1, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(4)
        self.conv2 = torch.nn.Conv2d(4, 8, 3, 2, 1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(8)
        self.fc = torch.nn.Linear(8, CLASSES)
        normal = Seed.new(1).child("network").draws().normal
        with torch.no_grad():
            for layer in (self.conv1, self.conv2, self.fc):
                layer.weight.copy_(0.3 * array(normal, *layer.weight.shape))
            self.fc.bias.zero_()

    def maps(self, x):
        x = F.relu(self.bn1(self.conv1((x - 0.5) * 2)))
        x = F.relu(self.bn2(self.conv2(x)))
        return F.conv2d(x, self.fc.weight[:, :, None, None], self.fc.bias)

    def forward(self, x):
        return self.maps(x).mean((2, 3))


def kl(first, second):
    """KL(softmax of first || softmax of second), the mean over items; both are moved."""
    return F.kl_div(F.log_softmax(second, 1), F.softmax(first, 1), reduction="batchmean")


def dissimilarity(a, b):
    """One minus (2 cov + C) / (var + var + C) over the places of a map, the mean over items."""
    a, b = a - a.mean(1, keepdim=True), b - b.mean(1, keepdim=True)
    flat = 0.03**2
    shared = 2 * (a * b).mean(1) + flat
    spread = (a * a).mean(1) + (b * b).mean(1) + flat
    return (1 - shared / spread).mean()


def attacked(net, x, y, climbs, start, noise, reach=0.1, steps=5, step=0.5):
    """Climbs cross-entropy or KL from anywhere within reach or from near the image, norms as they answer."""
    net.eval()
    if start == "uniform":
        at = x + reach * (2 * array(noise.uniform, *x.shape) - 1)
    else:
        at = (x + 0.001 * array(noise.normal, *x.shape)).clamp(x - reach, x + reach)
    at = at.clamp(0, 1)
    clean = net(x).detach()
    for _ in range(steps):
        at.requires_grad_()
        loss = F.cross_entropy(net(at), y, reduction="sum") if climbs == "ce" else kl(clean, net(at)) * len(x)
        (slope,) = torch.autograd.grad(loss, at)
        moved = at.detach() + step * reach * slope.sign()
        at = torch.maximum(torch.minimum(moved, x + reach), x - reach).clamp(0, 1)
    net.train()
    return at.detach()


def losses(objective, optimiser):
    torch.manual_seed(0)
    draw = Seed.new(1).child("images").draws()
    images = array(draw.uniform, ITEMS, *SHAPE)
    labels = torch.tensor([0 if i % 4 == 0 else 1 + i % 2 for i in range(ITEMS)])
    counts = torch.bincount(labels, minlength=CLASSES)
    weights = ITEMS / (CLASSES * counts.double())
    net = Small()
    matrices = [p for p in net.parameters() if p.dim() > 1]
    vectors = [p for p in net.parameters() if p.dim() == 1]
    if optimiser == "sgd":
        groups = [{"params": matrices, "weight_decay": 5e-4}, {"params": vectors, "weight_decay": 0}]
        step_down, rate = torch.optim.SGD(groups, lr=0.05, momentum=0.9), 0.05
    else:
        groups = [{"params": matrices, "weight_decay": 5e-4}, {"params": vectors, "weight_decay": 0}]
        step_down, rate = torch.optim.AdamW(groups, lr=0.01), 0.01
    seed = Seed.new(3)
    noise, order = seed.child("adversarial").draws(), seed.child("order").draws()
    places, told = list(range(ITEMS)), []
    net.train()
    for step in range(STEPS):
        order.shuffle(places)
        x, y = images[places], labels[places]
        for group in step_down.param_groups:
            group["lr"] = rate * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        task = lambda logits: F.cross_entropy(logits, y, weight=weights)
        if objective == "baseline":
            loss = task(net(x))
        elif objective == "adversarial":
            loss = task(net(attacked(net, x, y, "ce", "uniform", noise)))
        else:
            # Very near the image some signs hang on the last bit, and with maps in the loss fifty steps part for good.
            start = "near" if objective == "trades" else "uniform"
            moved = attacked(net, x, y, "kl", start, noise)
            maps, moved_maps = net.maps(x), net.maps(moved)
            logits, moved_logits = maps.mean((2, 3)), moved_maps.mean((2, 3))
            loss = task(logits) + (6 if objective == "trades" else 1) * kl(logits, moved_logits)
            if objective == "stability":
                of_label = lambda m: m.flatten(2)[torch.arange(ITEMS), y]
                loss = loss + 0.5 * dissimilarity(of_label(maps), of_label(moved_maps))
        step_down.zero_grad()
        loss.backward()
        step_down.step()
        told.append(loss.item())
    return told


def main():
    torch.set_default_dtype(torch.float64)
    cases = [("baseline", "sgd"), ("baseline", "adam"), ("adversarial", "sgd"), ("trades", "sgd"), ("stability", "sgd")]
    found = [{"objective": o, "optimiser": p, "losses": [round(x, 6) for x in losses(o, p)]} for o, p in cases]
    OUT.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
