"""Times Quantus with Captum and duress-nn in turn, in one run, on the same weights and images.

    python peers/explanations/run.py bench [small] [large] [integrated] [quality]

Processor time on one thread each, the median of `REPEATS` (3). *Quality* is what a study of stability and faithfulness asks of 256 images:
Grad-CAM maps of them clean and with noise, SSIM, Spearman, cosine, L2 and top-k between the two, deletion and insertion in 50 steps. Quantus has no
insertion: its PixelFlipping is given a perturbation that puts pixels back, which is the same work. Quantus flips the values of a colour image one by one,
in 48 steps, so areas are near each other and not the same; the other means are.
"""

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

import run

ROOT = Path(__file__).resolve().parents[2]
REPEATS = int(os.environ.get("REPEATS", 3))
# What Quantus flips at once must divide the places of an image; it flips values, so that there are 48 steps.
FLIPPED = 64
# Width, blocks in a stage, side, images.
NETWORKS = {"small": (16, 1, 32, 256), "large": (32, 2, 32, 256)}


def made(name):
    width, blocks, side, items = NETWORKS[name]
    torch.manual_seed(1)
    model = run.Residual(3, width, blocks, 10, [0.5] * 3, [4.0] * 3)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5), torch.nn.init.uniform_(module.bias, -0.2, 0.2)
            torch.nn.init.uniform_(module.running_mean, -0.2, 0.2), torch.nn.init.uniform_(module.running_var, 0.8, 1.2)
    images = torch.rand(items, 3, side, side)
    moved = (images + 0.05 * torch.randn_like(images)).clamp(0, 1)
    return model.eval(), images, moved, torch.arange(items) % 10


class Engine:
    """The example `explain` of duress-nn, as a process that obeys lines."""

    def __init__(self, name, model, images, moved, folder):
        cargo = os.environ.get("CARGO", "cargo")
        subprocess.run([cargo, "build", "--quiet", "--release", "--package", "duress-nn", "--example", "explain"], cwd=ROOT, check=True)
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        self.process = subprocess.Popen([target / "release/examples/explain"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        width, blocks, side, _ = NETWORKS[name]
        weights, one, other = [Path(folder) / f"{name}.{what}" for what in ("weights", "images", "moved")]
        write_weights(model, weights)
        one.write_bytes(images.numpy().astype("<f4").tobytes()), other.write_bytes(moved.numpy().astype("<f4").tobytes())
        self.set = self.ask(f"load {width} {blocks} {side} {weights} 1")
        self.ask(f"images {one} {len(images)}"), self.ask(f"moved {other}")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def timed(self, line):
        before = float(self.ask("cpu"))
        found = self.ask(line)
        return float(self.ask("cpu")) - before, [float(x) for x in found.split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def write_weights(model, path):
    import json

    places, lists, at = {}, [], 0
    for name, values in model.state_dict().items():
        if values.dtype == torch.float32:
            places[name] = at
            at += values.numel()
            lists.append(values.numpy().astype("<f4").tobytes())
    path.write_bytes(json.dumps(places).encode() + b"\n" + b"".join(lists))


class Peer:
    """Quantus, with Captum's maps."""

    def __init__(self, model, images, moved, targets):
        self.model, self.images, self.moved, self.targets = model, images, moved, targets
        self.x, self.y = images.numpy(), targets.numpy()

    def timed(self, what, *args):
        before = time.process_time()
        found = getattr(self, what)(*args)
        return time.process_time() - before, np.atleast_1d(found).tolist()

    def explain(self):
        from captum.attr import LayerAttribution, LayerGradCam

        cam = LayerGradCam(self.model, self.model.layer3)

        def maps(pixels):
            found = cam.attribute(pixels, self.targets, relu_attributions=True)
            return LayerAttribution.interpolate(found, tuple(pixels.shape[2:]), "bilinear").detach().numpy()

        self.maps, self.moved_maps = maps(self.images), maps(self.moved)
        return self.maps.mean()

    def stability(self):
        from quantus.functions import similarity_func as similarity
        from skimage.metrics import structural_similarity

        unit = lambda a: (a - a.min()) / (a.max() - a.min())
        rows = []
        for a, b in zip(self.maps[:, 0], self.moved_maps[:, 0]):
            if a.min() == a.max() or b.min() == b.max():
                continue
            k = a.size // 10
            top = lambda m: set(np.argsort(-m.flatten())[:k])
            one, other = a / np.linalg.norm(a), b / np.linalg.norm(b)
            # Quantus' own ssim has uniform windows of 7; the one that was asked for is scikit-image's.
            like = structural_similarity(unit(a), unit(b), gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=1.0)
            flat = a.flatten(), b.flatten()
            rank, angle = similarity.correlation_spearman(*flat), 1 - similarity.cosine(*flat)
            rows.append([like, rank, angle, similarity.distance_euclidean(one.flatten(), other.flatten()), len(top(a) & top(b)) / k])
        return np.mean(rows, axis=0)

    def flipped(self, x, perturb):
        import quantus

        metric = quantus.PixelFlipping(
            features_in_step=FLIPPED, perturb_func=perturb, perturb_baseline=0.0, abs=False, normalise=False,
            return_auc_per_sample=False, disable_warnings=True, display_progressbar=False,
        )  # fmt: skip
        curves = np.array(metric(model=self.model, x_batch=x, y_batch=self.y, a_batch=self.maps, softmax=True, device="cpu", batch_size=64))
        return np.trapezoid(curves, axis=1).mean() / (curves.shape[1] - 1)

    def deletion(self):
        from quantus.functions.perturb_func import batch_baseline_replacement_by_indices

        return self.flipped(self.x, batch_baseline_replacement_by_indices)

    def insertion(self):
        whole, state = self.x.reshape(len(self.x), -1), {"batch": 0, "calls": 0}

        def put_back(arr, indices, **_):
            start = 64 * (state["calls"] // (whole.shape[1] // FLIPPED))
            state["calls"] += 1
            out = arr.copy()
            rows = np.arange(len(arr))[:, None]
            out[rows, indices] = whole[start : start + len(arr)][rows, indices]
            return out

        return self.flipped(np.zeros_like(self.x), put_back)

    def integrated(self, steps):
        from captum.attr import IntegratedGradients

        captum = IntegratedGradients(self.model)
        # As many points at once as Captum is usually given; all at once would need gigabytes.
        found = [captum.attribute(x, 0.0 * x, t, n_steps=steps, internal_batch_size=256) for x, t in zip(self.images.split(32), self.targets.split(32))]
        return torch.cat(found).sum(1).abs().mean().item()


def compared(peer, engine, whats):
    times = {what: ([], []) for what in whats}
    for _ in range(REPEATS):
        for what in whats:
            name, *args = what.split(" ")
            theirs, their_means = peer.timed(name, *map(int, args))
            ours, our_means = engine.timed(what)
            times[what][0].append(theirs), times[what][1].append(ours)
            if len(times[what][0]) == 1:
                print(f"    {what}: theirs {np.round(their_means, 5)}, ours {np.round(our_means, 5)}", flush=True)
    return {what: [statistics.median(side) for side in sides] for what, sides in times.items()}


def main(args):
    torch.set_num_threads(1)
    names = [name for name in NETWORKS if name in args] or list(NETWORKS)
    kinds = [kind for kind in ("quality", "integrated") if kind in args] or ["quality", "integrated"]
    for name in names:
        model, images, moved, targets = made(name)
        with tempfile.TemporaryDirectory() as folder:
            engine, peer = Engine(name, model, images, moved, folder), Peer(model, images, moved, targets)
            print(f"{name} {NETWORKS[name]}, {engine.set}, load {os.getloadavg()[0]:.1f}", flush=True)
            whats = ["explain", "stability", "deletion", "insertion"] if "quality" in kinds else []
            found = compared(peer, engine, whats + (["integrated 50"] if "integrated" in kinds else []))
            if whats:
                found["quality together"] = [sum(found[what][side] for what in whats) for side in (0, 1)]
            for what, (theirs, ours) in found.items():
                print(f"    {what:20} theirs {theirs:8.2f} s   ours {ours:8.2f} s   {theirs / ours:5.2f}x", flush=True)
            engine.close()
        if "integrated" in kinds:
            print(f"    largest resident size, 16 images, 50 and 1,600 steps: {memory(name, 50)} and {memory(name, 1600)} MiB", flush=True)


def memory(name, steps):
    """Of a fresh process that does only that."""
    model, images, moved, _ = made(name)
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(name, model, images[:16], moved[:16], folder)
        engine.ask(f"integrated {steps}")
        found = int(engine.ask("memory")) // 1024
        engine.close()
    return found
