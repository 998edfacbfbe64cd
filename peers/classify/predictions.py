"""Makes the predictions of `studies/classify/recorded`: three ways to train a small network, three seeds, four conditions.

    .venv/classify/bin/python peers/classify/predictions.py

scikit-learn's digits, 8 × 8, scaled to [0, 1]; 900 to fit, 297 to validate (the temperature), 600 to test; the split is fixed. A network of
two convolutions. *baseline*: cross-entropy. *trades*: cross-entropy + 6·KL(clean ‖ adversarial). *tri-objective*: cross-entropy +
3·KL + 0.5·(1 − cosine of the input gradients of the true class, clean and adversarial). Attack of training: 5 steps; of testing: PGD with
10 steps of ε/4 and a random start, L∞ in pixel space. Logits are kept in 32nds, compressed, with the ids of the items.
"""

import pathlib

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

OUT = pathlib.Path(__file__).parents[2] / "studies/classify/recorded/predictions"
SEEDS, SEVERITIES, TRAIN_EPSILON = [42, 123, 456], [0.05, 0.1, 0.2], 0.1


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, stride=2, padding=1), torch.nn.ReLU(),
        torch.nn.Flatten(), torch.nn.Linear(32 * 16, 10),
    )


def attack(net, x, y, epsilon, steps, kl=None):
    """Climbs the cross-entropy, or the divergence from `kl`, within ±epsilon and the box."""
    moved = (x + epsilon * (2 * torch.rand_like(x) - 1)).clamp(0, 1)
    for _ in range(steps):
        moved.requires_grad_(True)
        z = net(moved)
        loss = F.cross_entropy(z, y, reduction="sum") if kl is None else F.kl_div(z.log_softmax(1), kl, reduction="sum")
        (slope,) = torch.autograd.grad(loss, moved)
        moved = moved.detach() + epsilon / 4 * slope.sign()
        moved = (x + (moved - x).clamp(-epsilon, epsilon)).clamp(0, 1)
    return moved.detach()


def saliency(net, x, y):
    x = x.clone().requires_grad_(True)
    picked = net(x).gather(1, y[:, None]).sum()
    return torch.autograd.grad(picked, x, create_graph=True)[0].flatten(1)


def loss_of(objective, net, x, y):
    z = net(x)
    task = F.cross_entropy(z, y)
    if objective == "baseline":
        return task
    with torch.no_grad():
        p = z.softmax(1)
    moved = attack(net, x, y, TRAIN_EPSILON, 5, kl=p)
    robust = F.kl_div(net(moved).log_softmax(1), z.softmax(1), reduction="batchmean")
    if objective == "trades":
        return task + 6 * robust
    alike = F.cosine_similarity(saliency(net, x, y), saliency(net, moved, y), dim=1).mean()
    return task + 3 * robust + 0.5 * (1 - alike)


def train(objective, seed, x, y):
    torch.manual_seed(seed)
    net = network()
    optimiser = torch.optim.Adam(net.parameters(), 2e-3)
    for _ in range(25):
        for batch in torch.randperm(len(x)).split(64):
            optimiser.zero_grad()
            loss_of(objective, net, x[batch], y[batch]).backward()
            optimiser.step()
    return net


def keep(name, logits, ids, **more):
    rounded = np.round(logits.detach().numpy() * 32) / 32
    np.savez_compressed(OUT / name, logits=rounded.astype(np.float16), ids=ids.astype(np.int16), **more)


def main():
    torch.set_num_threads(1)
    digits = load_digits()
    x = torch.tensor(digits.data / 16, dtype=torch.float32).reshape(-1, 1, 8, 8)
    y = torch.tensor(digits.target)
    order = np.random.default_rng(0).permutation(len(y))
    fit, validate, test = order[:900], order[900:1197], np.sort(order[1197:])
    rows = "".join(f"{i},{y[i]}\n" for i in test)
    (OUT.parent / "labels.csv").write_text("id,label\n" + rows)
    for objective in ["baseline", "trades", "tri-objective"]:
        for seed in SEEDS:
            net = train(objective, seed, x[fit], y[fit])
            keep(f"{objective}_seed{seed}_validation.npz", net(x[validate]), validate, label=y[validate].numpy())
            keep(f"{objective}_seed{seed}_clean.npz", net(x[test]), test)
            right = [(net(x[test]).argmax(1) == y[test]).float().mean().item()]
            for epsilon in SEVERITIES:
                torch.manual_seed(seed)
                z = net(attack(net, x[test], y[test], epsilon, 10))
                right.append((z.argmax(1) == y[test]).float().mean().item())
                keep(f"{objective}_seed{seed}_pgd_{epsilon}.npz", z, test)
            print(objective, seed, [round(r, 3) for r in right], flush=True)


main()
