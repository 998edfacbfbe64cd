"""What a state dict does not say, against PyTorch: stem, strides, epsilon, normalisation.

    cargo xtask peers probes

Writes small networks with their probes to crates/duress-parts/tests/data/probes, for tests without Python. Then holds whole networks against
PyTorch: `duress check` refuses the probe until the study says what is unusual, and the logits agree to 1e-4 of the largest. The probe is
written by the lines that docs/networks.md shows, as they stand there. `run.py fixtures` stops after the small networks.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
import torchvision
from torch import nn

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "peers/weights"))
from settled import settled

OUT = ROOT / "crates/duress-parts/tests/data/probes"
TOLERANCE = 1e-4
# Variances so small that what is added to them matters.
VARIANCE = (0.02, 1)
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
CARGO = os.environ.get("CARGO", "cargo")


def documented_lines():
    """The lines of docs/networks.md that write a probe."""
    text = (ROOT / "docs/networks.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    (lines,) = [block for block in blocks if "probe.npz" in block]
    return lines


def write_probe(model, file, images=None):
    """Runs them in the folder of the file; with `images`, for that many smaller images."""
    lines = documented_lines()
    if images:
        lines = lines.replace("torch.rand(8, 3, 32, 32)", f"torch.rand({images}, 3, 16, 16)")
        assert lines != documented_lines()
    here = os.getcwd()
    os.chdir(file.parent)
    try:
        exec(compile(lines, "docs/networks.md", "exec"), {"model": model})
        Path("probe.npz").rename(file)
    finally:
        os.chdir(here)


def cifar_stem(model, stride, pool):
    """A first convolution of 3 x 3, as people put it in for small images; some keep the max-pool."""
    model.conv1 = nn.Conv2d(3, model.conv1.out_channels, 3, stride, 1, bias=False)
    if not pool:
        model.maxpool = nn.Identity()
    return model


def stride_first(model):
    """ResNet v1: the stride in the 1 x 1 convolution of a bottleneck."""
    for module in model.modules():
        if isinstance(module, torchvision.models.resnet.Bottleneck) and module.stride > 1:
            module.conv1.stride, module.conv2.stride = (module.stride, module.stride), (1, 1)
    return model


def with_epsilon(model, epsilon):
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eps = epsilon
    return model


def narrow(block, width, blocks):
    """torchvision's ResNet, so narrow that it can be committed."""
    model = torchvision.models.ResNet(block, blocks, num_classes=5)
    scaled = lambda channels: max(1, channels * width // 64)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Conv2d):
                inputs = child.in_channels if child.in_channels == 3 else scaled(child.in_channels)
                setattr(module, name, nn.Conv2d(inputs, scaled(child.out_channels), child.kernel_size, child.stride, child.padding, bias=False))
            elif isinstance(child, nn.BatchNorm2d):
                setattr(module, name, nn.BatchNorm2d(scaled(child.num_features)))
            elif isinstance(child, nn.Linear):
                setattr(module, name, nn.Linear(scaled(child.in_features), 5))
    return model


def folded(model):
    """Batch norms inside the convolutions, as they are exported for inference."""
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    for module in list(model.modules()):
        names = {name for name, _ in module.named_children()}
        for at in ("1", "2", "3"):
            if {f"conv{at}", f"bn{at}"} <= names:
                setattr(module, f"conv{at}", fuse_conv_bn_eval(getattr(module, f"conv{at}"), getattr(module, f"bn{at}")))
                delattr(module, f"bn{at}")
                setattr(module, f"bn{at}", nn.Identity())
        if getattr(module, "downsample", None) is not None:
            module.downsample = nn.Sequential(fuse_conv_bn_eval(module.downsample[0], module.downsample[1]))
    return model


def cases(plain, bottleneck):
    """Networks that are read wrong until the study says what is unusual: name, model, and the keys that say it."""
    return [
        ("pool-kept", cifar_stem(plain(), 1, True), {"stem": "stride-1-pool"}),
        ("stride-2", cifar_stem(plain(), 2, False), {"stem": "stride-2"}),
        ("large-without-pool", drop_pool(plain()), {"stem": "stride-2"}),
        ("v1", stride_first(bottleneck()), {"stride-in": "1x1"}),
        ("epsilon", with_epsilon(cifar_stem(plain(), 1, False), 1e-3), {"epsilon": 1e-3}),
        ("all-three", stride_first(with_epsilon(cifar_stem(bottleneck(), 1, True), 1e-3)), {"stem": "stride-1-pool", "stride-in": "1x1", "epsilon": 1e-3}),
        ("usual-small", cifar_stem(plain(), 1, False), {}),
        ("usual-large", bottleneck(), {}),
    ]


def drop_pool(model):
    model.maxpool = nn.Identity()
    return model


def fixtures():
    """Small networks with their probes, and the keys that they need."""
    OUT.mkdir(parents=True, exist_ok=True)
    block = torchvision.models.resnet
    keys = {}
    for name, model, unusual in cases(lambda: narrow(block.BasicBlock, 2, [1, 1, 1, 1]), lambda: narrow(block.Bottleneck, 2, [1, 1, 1, 1])):
        settled(model, VARIANCE)
        torch.save(model.state_dict(), OUT / f"{name}.pth")
        write_probe(model, OUT / f"{name}.npz", images=2)
        keys[name] = unusual
    model = folded(settled(cifar_stem(narrow(block.BasicBlock, 2, [1, 1, 1, 1]), 1, False), VARIANCE))
    torch.save(model.state_dict(), OUT / "folded.pth")
    (OUT / "keys.json").write_text(json.dumps(keys, indent=1) + "\n")
    size = sum(file.stat().st_size for file in OUT.iterdir())
    print(f"wrote {size} bytes to {OUT.relative_to(ROOT)}", flush=True)


def toml(value):
    return json.dumps(value)


def study(folder, name, keys):
    """A study that tests the network on its probe's images."""
    lines = [
        'name = "probe"', "seeds = [1]", "[dataset.images]", 'use = "npz-images"', f'file = "{name}-data.npz"',
        "[subject.net]", 'use = "network"', 'on = "images"', f'file = "{name}.pth"', f'probe = "{name}.npz"', f"mean = {toml(MEAN)}", f"std = {toml(STD)}",
        *[f"{key} = {toml(value)}" for key, value in keys.items()],
        "[analysis]", 'gauges = ["accuracy"]', 'units = "items"',
    ]
    file = folder / f"{name}.toml"
    file.write_text("\n".join(lines) + "\n")
    command = [CARGO, "run", "--quiet", "--package", "duress-cli", "--", "check", str(file), "--timing", "0"]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def logits(folder, name, pixels, keys):
    """The logits of crates/duress-nn/examples/logits.rs."""
    file = folder / "pixels"
    file.write_bytes(np.ascontiguousarray(pixels, np.float32).tobytes())
    stems = {"stride-1": [1, False], "stride-1-pool": [1, True], "stride-2": [2, False], "stride-2-pool": [2, True]}
    asked = {"file": str(folder / f"{name}.pth"), "pixels": str(file), "input": list(pixels.shape[1:]), "mean": MEAN, "std": STD}
    asked |= {"stem": stems[keys["stem"]]} if "stem" in keys else {}
    asked |= {"stride_first": keys.get("stride-in") == "1x1"}
    asked |= {"epsilon": keys["epsilon"]} if "epsilon" in keys else {}
    command = [CARGO, "run", "--quiet", "--package", "duress-nn", "--example", "logits"]
    subprocess.run(command, cwd=ROOT, check=True, input=json.dumps(asked), text=True, stdout=subprocess.PIPE)
    return np.fromfile(f"{file}.logits", np.float32).astype(np.float64)


def whole(folder):
    models = torchvision.models
    for name, model, keys in cases(lambda: models.resnet18(num_classes=10), lambda: models.resnet50(num_classes=10)):
        settled(model, VARIANCE)
        torch.save({"state_dict": model.state_dict()}, folder / f"{name}.pth")
        write_probe(model, folder / f"{name}.npz")
        probe = np.load(folder / f"{name}.npz")
        inputs, theirs = probe["inputs"], probe["logits"].astype(np.float64).ravel()
        images = np.concatenate([inputs, np.clip(inputs * 0.9, 0, 1)]).astype(np.float32)
        np.savez(folder / f"{name}-data.npz", x=images, y=np.arange(len(images)) % 10)
        largest = np.abs(theirs).max()
        apart = {"as read": None, "as stated": None}
        for how, stated in [("as read", {}), ("as stated", keys)]:
            apart[how] = np.abs(logits(folder, name, inputs, stated) - theirs).max() / largest
            code, said = study(folder, name, stated)
            refused = how == "as read" and bool(keys)
            if (code == 2 and "gives other logits than the probe" in said) != refused or (code == 0) == refused:
                sys.exit(f"{name}, {how}: exit {code}\n{said}")
        print(f"{name}: {100 * apart['as read']:.2g} % of the largest logit off as read, {apart['as stated']:.1e} as stated with {keys or 'nothing'}", flush=True)
        if not apart["as stated"] <= TOLERANCE:
            sys.exit(f"{name} differs")


def main():
    torch.manual_seed(16)
    fixtures()
    if sys.argv[1:] == ["fixtures"]:
        return
    with tempfile.TemporaryDirectory() as folder:
        whole(Path(folder))


main()
