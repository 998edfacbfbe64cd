"""The torch process of examples/command through the `command` subject, against torch called directly.

    cargo xtask peers command

The example `torch_peer` of duress-parts asks the process about the digits it is tested on, for logits, losses and gradients, and prints
them; here the same network is called without duress, and the two must agree to the rounding of f32.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples/command/torch_classifier.py"
TOLERANCE = 1e-5


def through_duress():
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "run", "--quiet", "--package", "duress-parts", "--example", "torch_peer", "--", sys.executable, str(SCRIPT)]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def directly(images, labels):
    spec = importlib.util.spec_from_file_location("torch_classifier", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.network().eval()
    images = torch.tensor(images, dtype=torch.float32).reshape(-1, 1, 8, 8).requires_grad_()
    logits = model(images)
    losses = torch.nn.functional.cross_entropy(logits, torch.tensor(labels), reduction="none")
    (gradient,) = torch.autograd.grad(losses.sum(), images)
    return {"logits": logits, "losses": losses, "gradient": gradient}


def main():
    ours = through_duress()
    theirs = directly(ours["images"], ours["labels"])
    for name, tensor in theirs.items():
        expected = tensor.detach().numpy().ravel()
        apart = np.abs(np.array(ours[name]).ravel() - expected).max() / np.abs(expected).max()
        print(f"{name}: {expected.size} numbers, largest difference {apart:.1e} of the largest (allowed {TOLERANCE:.0e})")
        if not apart <= TOLERANCE:
            sys.exit(f"{name} differ")
    print(f"pgd through the process: {ours['clean']:.3f} right when clean, {ours['attacked']:.3f} at 8/255")


main()
