"""Opens in PyTorch what `duress report RUN --weights DIR` wrote, and compares answers.

    python peers/training/weights.py DIR

Residual networks of `trained`: the file is loaded into a module of torchvision's blocks with `load_state_dict(strict=True)`, its pixels normalised
as the metadata says, and asked about random images, as is duress-nn (the example `logits`, which reads the same file).
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_file
from torchvision.models.resnet import BasicBlock

ROOT = Path(__file__).resolve().parents[2]
ITEMS = 16


class Residual(nn.Module):
    """A residual network of plain blocks for small images, of the widths that a state dict has."""

    def __init__(self, state):
        super().__init__()
        width, channels, side, _ = state["conv1.weight"].shape
        self.conv1, self.bn1 = nn.Conv2d(channels, width, side, 1, side // 2, bias=False), nn.BatchNorm2d(width)
        stages = sorted({name.split(".")[0] for name in state if name.startswith("layer")})
        inputs, self.stages = width, stages
        for at, stage in enumerate(stages):
            blocks, layers = len({name.split(".")[1] for name in state if name.startswith(stage + ".")}), []
            for block in range(blocks):
                outputs = state[f"{stage}.{block}.conv1.weight"].shape[0]
                stride, down = (2 if at > 0 and block == 0 else 1), None
                if f"{stage}.{block}.downsample.0.weight" in state:
                    down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
                layers.append(BasicBlock(inputs, outputs, stride, down))
                inputs = outputs
            setattr(self, stage, nn.Sequential(*layers))
        self.fc = nn.Linear(inputs, state["fc.weight"].shape[0])

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        for stage in self.stages:
            x = getattr(self, stage)(x)
        return self.fc(x.mean((2, 3)))


def theirs(file, pixels):
    state = load_file(file)
    with safe_open(file, "pt") as opened:
        beside = opened.metadata()
    model = Residual(state).eval()
    model.load_state_dict(state, strict=True)
    mean, std = (torch.tensor(json.loads(beside[key])).view(1, -1, 1, 1) for key in ("mean", "std"))
    with torch.inference_mode():
        return model((pixels - mean) / std).numpy(), json.loads(beside["classes"])


def ours(file, pixels, folder):
    path = Path(folder) / "pixels"
    path.write_bytes(pixels.numpy().astype("<f4").tobytes())
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    asked = {"file": str(file), "input": list(pixels.shape[1:]), "pixels": str(path)}
    subprocess.run([target / "release/examples/logits"], input=json.dumps(asked), text=True, check=True)
    return np.fromfile(str(path) + ".logits", "<f4")


def main(folder):
    build = [os.environ.get("CARGO", "cargo"), "build", "--quiet", "--release", "--package", "duress-nn", "--example", "logits"]
    subprocess.run(build, cwd=ROOT, check=True)
    files = sorted(Path(folder).glob("*_seed*_best.safetensors"))
    if not files:
        sys.exit(f"{folder} holds no SUBJECT_seedSEED_best.safetensors")
    for file in files:
        with safe_open(file, "pt") as opened:
            shape = json.loads(opened.metadata()["duress-network"])["input"]
        torch.manual_seed(1)
        pixels = torch.rand(ITEMS, *shape)
        logits, classes = theirs(file, pixels)
        with tempfile.TemporaryDirectory() as scratch:
            apart = np.abs(ours(file, pixels, scratch).reshape(logits.shape) - logits).max()
        print(f"{file.name}: {len(classes)} classes, logits at most {apart:.1e} apart, of {np.abs(logits).max():.1f}")
        if not apart < 1e-3:
            sys.exit("they differ")


if __name__ == "__main__":
    main(sys.argv[1])
