"""Small classifiers of scikit-learn's digits, trained here, as a training script leaves them: {model}_seed{seed}_best."""

import safetensors.torch
import torch
from sklearn.datasets import load_digits
from torch import nn

from networks import Residual
from settled import settled

SEEDS = [42, 123]


def trained(model, images, labels, epochs):
    optimiser = torch.optim.Adam(model.parameters(), 0.01, weight_decay=1e-4)
    for _ in range(epochs):
        for batch in torch.randperm(len(images)).split(64):
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimiser.step()
    return model.eval()


def write(out):
    out.mkdir(exist_ok=True)
    digits = load_digits()
    # As the part `digits` has them: 16 shades, scaled to [0, 1]; here also brought to mean 0.3 and deviation 0.4.
    images = (torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16 - 0.3) / 0.4
    labels = torch.tensor(digits.target)
    for seed in SEEDS:
        torch.manual_seed(seed)
        mlp = trained(nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 10)), images, labels, 20)
        torch.save({"epoch": 20, "model_state_dict": mlp.state_dict()}, out / f"mlp_seed{seed}_best.pth")
        residual = trained(settled(Residual(1, 2, [1, 1, 1], False, False, 10)).train(), images, labels, 8)
        safetensors.torch.save_file(residual.state_dict(), out / f"residual_seed{seed}_best.safetensors")
        right = {name: (model(images).argmax(1) == labels).float().mean().item() for name, model in [("mlp", mlp), ("residual", residual)]}
        print(f"seed {seed}: right on all digits, those it was taught among them: {right}")
