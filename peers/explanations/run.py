"""Explanations by Captum, scikit-image, scikit-learn and Quantus, and by duress-nn.

    cargo xtask peers explanations                reference values, then the bench
    python peers/explanations/run.py reference    writes crates/duress-nn/tests/explanations.json
    python peers/explanations/run.py bench        times both sides in turn, in one run (see bench.py)

The network is a small residual net; its weights and the images come from a formula that Rust has as well, and so do the draws. What is
compared, and where a peer is not what its paper says:

- maps: Captum's Saliency, InputXGradient, IntegratedGradients, Occlusion, LayerGradCam. Grad-CAM++ is taken from its paper and held against pytorch-grad-cam;
  SmoothGrad is the mean of Captum's Saliency over our draws.
- curves: from the paper's definition, with the whole image as first point. Quantus' PixelFlipping leaves that point out, and flips the values of a
  colour image one by one rather than its pixels; on a grey image it agrees from the second point on. Its "black" is the darkest value of the image.
- noisy linear imputation, sparseness, complexity, relevance mass, top-k and pointing game: Quantus, which agrees with the papers on maps without ties
  (its relevance mass is asked for positive maps only: it counts negative values too; its sparseness adds 1e-7 to every value).
- infidelity and max-sensitivity: Captum, with our draws. Quantus' infidelity perturbs patches with a baseline and is another quantity.
- concept vectors: scikit-learn's LogisticRegression.
"""

import json
import math
import sys
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "crates/duress-nn/tests/explanations.json"
SHAPE, ITEMS, CLASSES, WIDTH = (3, 16, 16), 2, 3, 6
MASK64 = (1 << 64) - 1


# Chance, as duress-core has it.


def philox(key, counter):
    key = [key & 0xFFFFFFFF, key >> 32]
    c = [counter[0] & 0xFFFFFFFF, counter[0] >> 32, counter[1] & 0xFFFFFFFF, counter[1] >> 32]
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(b >> 32) ^ c[1] ^ key[0], b & 0xFFFFFFFF, (a >> 32) ^ c[3] ^ key[1], a & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


class Seed:
    def __init__(self, key, stream):
        self.key, self.stream = key, stream

    @staticmethod
    def new(number):
        return Seed(number, 0).child("duress")

    def child(self, label):
        data = label.encode()
        words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)] + [len(data)]
        seed = self
        for word in words:
            a, b, c, d = philox(seed.key, [seed.stream, word])
            seed = Seed(a | b << 32, c | d << 32)
        return seed

    def uniforms(self, count):
        words = [word for block in range(-(-count // 2)) for word in philox(self.key, [block, self.stream])]
        pairs = [words[2 * at] | words[2 * at + 1] << 32 for at in range(count)]
        return np.array([(bits >> 11) / 2.0**53 for bits in pairs])

    def normals(self, count):
        u = self.uniforms(2 * count)
        return np.sqrt(-2.0 * np.log(1.0 - u[0::2])) * np.cos(2.0 * math.pi * u[1::2])


# The network and its images.


def generated(count, salt):
    """Numbers in [0, 1) that Rust makes in the same way: a finaliser of MurmurHash3 over a counter."""
    h = (np.arange(count, dtype=np.uint64) + np.uint64(salt) * np.uint64(1_000_003)) & np.uint64(0xFFFFFFFF)
    for shift, factor in [(16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)]:
        h ^= h >> np.uint64(shift)
        h = (h * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return h.astype(np.float64) / 2.0**32


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride > 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        past = x if self.downsample is None else self.downsample(x)
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + past)


class Residual(nn.Module):
    """`Residual::small(width, blocks)`, with its normalisation."""

    def __init__(self, channels, width, blocks, classes, mean, scale):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        stage = lambda inputs, outputs, stride: nn.Sequential(
            *[Block(inputs if k == 0 else outputs, outputs, stride if k == 0 else 1) for k in range(blocks)]
        )
        self.layer1, self.layer2, self.layer3 = stage(width, width, 1), stage(width, 2 * width, 2), stage(2 * width, 4 * width, 2)
        self.fc = nn.Linear(4 * width, classes)
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
        self.register_buffer("scale", torch.tensor(scale).view(1, -1, 1, 1), persistent=False)

    def below(self, x):
        return self.layer2(self.layer1(F.relu(self.bn1(self.conv1((x - self.mean) * self.scale)))))

    def above(self, x):
        return self.fc(self.layer3(x).mean((2, 3)))

    def forward(self, x):
        return self.above(self.below(x))


def fill(model):
    for name, held in model.state_dict().items():
        if name.endswith("num_batches_tracked"):
            continue
        u = generated(held.numel(), sum((at + 1) * byte for at, byte in enumerate(name.encode())))
        if held.dim() > 1:
            values = (2 * u - 1) * math.sqrt(6.0 / held[0].numel())
        elif name.endswith("weight") or name.endswith("running_var"):
            values = u + 0.5
        else:
            values = u - 0.5
        held.copy_(torch.tensor(values.astype(np.float32)).reshape(held.shape))
    return model.eval()


def network(channels=3):
    return fill(Residual(channels, WIDTH, 1, CLASSES, [0.4] * channels, [2.0 + 0.5 * k for k in range(channels)]))


def short(values):
    return [float(f"{x:.8g}") for x in np.asarray(values, dtype=np.float64).flatten()]


# Maps.


def maps(model, x, targets):
    from captum.attr import InputXGradient, IntegratedGradients, LayerAttribution, LayerGradCam, Occlusion, Saliency

    slopes = Saliency(model).attribute(x, targets, abs=False)
    mean = x.mean((2, 3), keepdim=True).expand_as(x)
    integrated = IntegratedGradients(model)
    covered = Occlusion(model).attribute(x, (3, 6, 6), (3, 4, 4), baselines=0.0, target=targets)
    yield "input gradient, sum", slopes.sum(1)
    yield "input gradient, absolute sum", slopes.abs().sum(1)
    yield "input gradient, absolute max", slopes.abs().amax(1)
    yield "gradient times input", InputXGradient(model).attribute(x, targets).sum(1)
    yield "integrated gradients, black", integrated.attribute(x, 0.0 * x, targets, n_steps=20).sum(1)
    yield "integrated gradients, mean", integrated.attribute(x, mean, targets, n_steps=33).sum(1)
    yield "smooth grad", torch.stack([Saliency(model).attribute(noisy, targets, abs=False) for noisy in noisy_copies(x)]).mean(0).sum(1)
    yield "occlusion", covered[:, 0]
    for name, layer in [("layer1", model.layer1), ("layer2", model.layer2), ("layer3", model.layer3)]:
        for sign in ["positive", "signed"]:
            cam = LayerGradCam(model, layer).attribute(x, targets, relu_attributions=sign == "positive")
            yield f"grad-cam, {name}, {sign}", LayerAttribution.interpolate(cam, SHAPE[1:], "bilinear")[:, 0]
    yield "grad-cam++, layer2", plus_plus(model, x, targets)


def noisy_copies(x):
    for draw in range(4):
        noise = [Seed.new(item).child(f"smooth-grad {draw}").normals(x[0].numel()) for item in range(len(x))]
        yield x + torch.tensor((0.1 * np.array(noise)).astype(np.float32)).reshape(x.shape)


def plus_plus(model, x, targets):
    """From the paper, with the logit's slope in the place of exp(logit)'s. pytorch-grad-cam has the same weights but for the 1e-6 that it
    adds to the denominator, which moves this map by 1 % of its largest value; with that number in ours the two are held against each other."""
    from pytorch_grad_cam import GradCAMPlusPlus

    a = model.below(x).detach().requires_grad_()
    (g,) = torch.autograd.grad(model.above(a).gather(1, targets[:, None]).sum(), a)
    below = 2 * g**2 + a.sum((2, 3), keepdim=True) * g**3
    weights = lambda added: (g**2 / (torch.where(below == 0, torch.ones_like(below), below) + added) * F.relu(g)).sum((2, 3))
    peer = GradCAMPlusPlus(model=model, target_layers=[model.layer2]).get_cam_weights(x, None, targets, a.detach().numpy(), g.numpy())
    apart = np.abs(weights(1e-6).detach().numpy() - peer).max() / np.abs(peer).max()
    assert apart < 1e-5, f"Grad-CAM++ and pytorch-grad-cam are {apart} apart"
    cam = (weights(0.0)[:, :, None, None] * a).sum(1, keepdim=True)
    return F.interpolate(F.relu(cam), SHAPE[1:], mode="bilinear", align_corners=False)[:, 0]


# Curves.


def curves(model, x, targets, scores):
    """Deletion and insertion in `steps` shares, from the definition."""
    places, steps = SHAPE[1] * SHAPE[2], 10
    for fill_name in ["black", "mean"]:
        fills = torch.zeros_like(x) if fill_name == "black" else x.mean((2, 3), keepdim=True).expand_as(x)
        found = {"deletion": [], "insertion": []}
        for item in range(len(x)):
            order = np.argsort(-scores[item].flatten(), kind="stable")
            for way, (start, end) in {"deletion": (x, fills), "insertion": (fills, x)}.items():
                for step in range(steps + 1):
                    gone = order[: (2 * places * step + steps) // (2 * steps)].copy()
                    image = start[item].clone().reshape(3, -1)
                    image[:, gone] = end[item].reshape(3, -1)[:, gone]
                    found[way].append(F.softmax(model(image.reshape(1, *SHAPE)), 1)[0, targets[item]].item())
        for way, values in found.items():
            yield f"{way}, {fill_name}", values


def pixel_flipping(model, x, targets, scores, areas=False):
    """Quantus on grey images: the points after the first, or their areas."""
    import quantus

    if not hasattr(np, "trapz"):  # NumPy 2.4 has it under its other name only, which Quantus 0.6 does not know.
        np.trapz = np.trapezoid
    metric = quantus.PixelFlipping(features_in_step=32, perturb_baseline=0.0, return_auc_per_sample=areas, disable_warnings=True, normalise=False)
    return metric(model=model, x_batch=x.numpy(), y_batch=targets.numpy(), a_batch=scores[:, None], softmax=True, device="cpu")


def faithfulness(model, x, targets, attributions):
    from captum.attr import Saliency
    from captum.metrics import infidelity, sensitivity_max

    draws = 6
    noise = [
        [np.broadcast_to((0.2 * Seed.new(item).child(f"infidelity {draw}").normals(256)).astype(np.float32).reshape(1, 16, 16), SHAPE) for draw in range(draws)]
        for item in range(len(x))
    ]
    noise = torch.tensor(np.array(noise)).reshape(-1, *SHAPE)

    def off(inputs, *_):
        return noise, inputs - noise

    whole = torch.zeros_like(x)
    whole[:, 0] = attributions
    for name, normalize in [("plain", False), ("scaled", True)]:
        # A map counts once for each place, so the whole of it goes into one channel.
        yield f"infidelity, {name}", infidelity(model, off, x, whole, target=targets, n_perturb_samples=draws, normalize=normalize).tolist()

    moved = [
        [(-0.05 + 0.1 * Seed.new(item).child(f"sensitivity {draw}").uniforms(768)).reshape(SHAPE) for draw in range(draws)] for item in range(len(x))
    ]
    moved = torch.tensor(np.array(moved)).reshape(-1, *SHAPE)

    def move(inputs, _radius):
        return (inputs.double() + moved).clamp(0, 1).float()

    explain = lambda inputs, target: (Saliency(model).attribute(inputs[0] if isinstance(inputs, tuple) else inputs, target, abs=False).sum(1),)
    yield "max-sensitivity, relative", sensitivity_max(explain, x, move, n_perturb_samples=draws, target=targets).tolist()


# Measures of maps.


def measures(maps_of_two):
    import quantus
    from scipy.stats import spearmanr
    from skimage.metrics import structural_similarity

    a, b = [one.astype(np.float64) for one in maps_of_two]
    unit = lambda one: (one - one.min()) / (one.max() - one.min())
    yield "ssim", structural_similarity(unit(a), unit(b), gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=1.0)
    yield "spearman", spearmanr(a.flatten(), b.flatten()).statistic
    yield "cosine", float((a * b).sum() / np.linalg.norm(a) / np.linalg.norm(b))
    yield "unit distance", float(np.linalg.norm(a / np.linalg.norm(a) - b / np.linalg.norm(b)))
    mask = np.zeros((16, 16), bool)
    mask[3:9, 5:13] = True
    asked = dict(x_batch=np.zeros((1, 1, 16, 16)), y_batch=np.array([0]), s_batch=mask[None, None], model=None)
    quiet = dict(disable_warnings=True, display_progressbar=False, normalise=False)
    call = lambda metric, one: float(metric(a_batch=one[None, None], **asked)[0])
    yield "sparseness", call(quantus.Sparseness(abs=True, **quiet), a)
    yield "entropy", call(quantus.Complexity(abs=True, **quiet), a)
    yield "relevance mass", call(quantus.RelevanceMassAccuracy(abs=False, **quiet), np.maximum(a, 0.0))
    yield "pointing game", call(quantus.PointingGame(abs=False, **quiet), a)
    # As Quantus has them by itself: the gauges' `compat = "quantus"`.
    loud = dict(disable_warnings=True, display_progressbar=False)
    tied = a.copy()
    tied[0, 0] = tied[5, 7] = 2 * a.max()
    yield "sparseness of quantus", call(quantus.Sparseness(**loud), a)
    yield "relevance mass of quantus", call(quantus.RelevanceMassAccuracy(**loud), a)
    yield "pointing game of quantus, tied", call(quantus.PointingGame(**loud), tied)
    yield "top k in mask", call(quantus.TopKIntersection(k=48, abs=False, **quiet), a)


def imputation(x):
    from quantus.functions.perturb_func import noisy_linear_imputation

    gone = np.flatnonzero(generated(256, 4321) < 0.7)
    return noisy_linear_imputation(x[0].double().numpy(), gone, noise=0.0)


def concepts(model, x, targets):
    from sklearn.linear_model import LogisticRegression

    rows = generated(14 * 9, 99).reshape(14, 9).astype(np.float32)
    rows[:6, 2] += 0.5
    for weight in [1.0, 50.0]:
        fitted = LogisticRegression(C=weight, tol=1e-12, max_iter=100_000, solver="newton-cholesky").fit(rows.astype(np.float64), [1] * 6 + [0] * 8)
        yield f"weights, {weight:g}", np.append(fitted.coef_[0], fitted.intercept_)
    a = model.below(x).detach().requires_grad_()
    (g,) = torch.autograd.grad(model.above(a).gather(1, targets[:, None]).sum(), a)
    along = torch.tensor((generated(a[0].numel(), 77) - 0.5).astype(np.float32)).reshape(a[0].shape)
    yield "sensitivities", (g * along).sum((1, 2, 3)).tolist()
    by_channel = torch.tensor((generated(a.shape[1], 78) - 0.5).astype(np.float32))
    yield "sensitivities of channels", (g.sum((2, 3)) * by_channel).sum(1).tolist()


def reference():
    torch.set_num_threads(1)
    targets = torch.tensor([1, 2])
    x = torch.tensor(generated(ITEMS * math.prod(SHAPE), 7_777).astype(np.float32)).reshape(ITEMS, *SHAPE)
    model = network()
    with torch.no_grad():
        found = {"logits": short(model(x))}
    found["maps"] = {name: short(values.detach().numpy()) for name, values in maps(model, x, targets)}
    gradient = np.array(found["maps"]["input gradient, sum"], dtype=np.float32).reshape(ITEMS, 16, 16)
    with torch.no_grad():
        found["curves"] = {name: short(values) for name, values in curves(model, x, targets, gradient)}
        grey, grey_x = network(1), x[:, :1].contiguous()
        found["pixel flipping"] = short(pixel_flipping(grey, grey_x, targets, gradient))
        found["pixel flipping areas"] = short(pixel_flipping(grey, grey_x, targets, gradient, areas=True))
    found["faithfulness"] = {name: short(values) for name, values in faithfulness(model, x, targets, torch.tensor(gradient))}
    found["measures"] = {name: float(f"{value:.12g}") for name, value in measures(gradient)}
    found["imputation"] = short(imputation(x))
    found["concepts"] = {name: short(values) for name, values in concepts(model, x, targets)}
    text = ",\n".join(f"{json.dumps(name)}:{json.dumps(values, separators=(',', ':'))}" for name, values in found.items())
    REFERENCE.write_text("{\n" + text + "\n}\n")
    print(f"{len(found)} parts, {REFERENCE.stat().st_size} bytes")


def main(args):
    warnings.filterwarnings("ignore")
    if not args or args[0] == "reference":
        reference()
    if not args or args[0] == "bench":
        import bench

        bench.main(args[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
