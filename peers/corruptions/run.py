"""What `imagecorruptions` makes of images, for `crates/duress-parts/tests/fixtures/corruptions.json`, and how long it takes beside ours.

    cargo xtask peers corruptions

The images are made from whole numbers, by the same rule here and in `crates/duress-parts/tests/it/corruptions.rs`: nothing but what the package
answers is committed. Of corruptions without chance the file has samples of the levels; of those with chance the mean, the mean absolute value and
the standard deviation of the change over 200 images. `run.py bench` only measures; `run.py fog frost` makes only those anew.
"""

import functools
import inspect
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"
warnings.simplefilter("ignore")

import cv2
import numpy as np
from imagecorruptions import corrupt, corruptions
from skimage import filters

cv2.setNumThreads(1)
ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "crates/duress-parts/tests/fixtures/corruptions.json"
SIDE, IMAGES, STRIDE = 64, 200, 97
WITHOUT_CHANCE = ["defocus_blur", "zoom_blur", "brightness", "contrast", "pixelate", "jpeg_compression", "gaussian_blur", "saturate"]
# How often each image is corrupted. Where one draw moves a whole image (a surface, a pane, a direction, a few drops), 200 draws leave an error of
# 1 to 5 % in the reference itself; so many rounds bring it to about half a percent. The test draws as often.
WITH_CHANCE = {
    "gaussian_noise": 1, "shot_noise": 1, "impulse_noise": 1, "speckle_noise": 1, "glass_blur": 1, "elastic_transform": 1,
    "motion_blur": 12, "snow": 2, "frost": 100, "fog": 36, "spatter": 36,
}

if "multichannel" not in inspect.signature(filters.gaussian).parameters:
    corruptions.gaussian = lambda image, sigma, multichannel=False, **keys: filters.gaussian(
        image, sigma=sigma, channel_axis=-1 if multichannel else None, **keys
    )


def scattered(*numbers):
    """16 bits that depend on whole numbers."""
    mixed = 0
    for number in numbers:
        mixed = (mixed * 31 + number + 1) * 2654435761 % 2**32
    return mixed >> 16


def picture(index, side):
    """A picture in colour: waves, a disk, and grain."""
    y, x = np.mgrid[0:side, 0:side].astype(np.int64)
    planes = []
    for channel in range(3):
        level = np.full((side, side), 60 + scattered(index, channel) % 120, np.int64)
        for wave in range(2):
            across, down = scattered(index, 10 + wave) % 4, 1 + scattered(index, 20 + wave) % 3
            period = 9 + scattered(index, 30 + wave) % 30
            height = 20 + scattered(index, 40 + wave, channel) % 40
            along = (x * across + y * down) % (2 * period)
            level += np.abs(along - period) * height // period - height // 2
        right, below = scattered(index, 50) % side, scattered(index, 51) % side
        radius = side // 8 + scattered(index, 52) % (side // 4)
        inside = (x - right) ** 2 + (y - below) ** 2 < radius**2
        level += np.where(inside, scattered(index, 53, channel) % 121 - 60, 0)
        grain = ((index * 3 + channel) * 65536 + y * 256 + x) * 2654435761 % 2**32 >> 20
        planes.append(np.clip(level + grain % 17 - 8, 0, 255))
    return np.stack(planes, -1).astype(np.uint8)


@functools.lru_cache
def pictures():
    return [picture(index, SIDE) for index in range(IMAGES)]


def samples(name, severity):
    pictures = [corrupt(picture(index, SIDE), corruption_name=name, severity=severity) for index in range(2)]
    return np.concatenate([one.reshape(-1)[::STRIDE] for one in pictures]).tolist()


def moments(name, severity, rounds):
    np.random.seed(severity)
    count = total = absolute = squares = 0.0
    for before in pictures():
        for _ in range(rounds):
            change = corrupt(before, corruption_name=name, severity=severity).astype(float) - before
            count += change.size
            total += change.sum()
            absolute += np.abs(change).sum()
            squares += (change**2).sum()
    mean = total / count
    return {"mean": round(mean, 4), "absolute": round(absolute / count, 4), "sd": round((squares / count - mean**2) ** 0.5, 4)}


def keep_photographs():
    """The package reads and scales its photographs of frost again for every image."""
    scale, scaled = cv2.resize, {}
    cv2.imread = functools.lru_cache(cv2.imread)

    def resize(image, dsize, **keys):
        key = (image.shape, image[:3, :3].tobytes(), dsize, *keys.items())
        if image.size < 10**5:
            return scale(image, dsize=dsize, **keys)
        if key not in scaled:
            scaled[key] = scale(image, dsize=dsize, **keys)
        return scaled[key]

    cv2.resize = resize


def reference(only):
    found = json.loads(OUT.read_text()) if only else {"samples": {}, "moments": {}}
    wanted = lambda name: not only or name in only
    keep_photographs()
    for name in filter(wanted, WITHOUT_CHANCE):
        found["samples"][name.replace("_", "-")] = [samples(name, severity) for severity in range(1, 6)]
    for name, rounds in WITH_CHANCE.items():
        if not wanted(name):
            continue
        found["moments"][name.replace("_", "-")] = [moments(name, severity, rounds) for severity in range(1, 6)]
        print(name, found["moments"][name.replace("_", "-")], flush=True)
    lines = [f'"{kind}": {{\n' + ",\n".join(f'"{name}": {json.dumps(rows)}' for name, rows in table.items()) + "\n}" for kind, table in found.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def ours():
    """Milliseconds per image of every corruption, by the example of duress-parts, on one thread."""
    ran = subprocess.run(
        ["cargo", "run", "--release", "--quiet", "-p", "duress-parts", "--example", "corruptions"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )
    return json.loads(ran.stdout)


def bench(side=224, rounds=3):
    before, theirs = picture(7, side), {}
    for name in WITHOUT_CHANCE + list(WITH_CHANCE):
        best = float("inf")
        for _ in range(rounds):
            start = time.process_time()
            for severity in range(1, 6):
                corrupt(before, corruption_name=name, severity=severity)
            best = min(best, (time.process_time() - start) / 5 * 1e3)
        theirs[name.replace("_", "-")] = best
    mine = ours()
    print(f"CPU ms per image of {side} x {side}, mean over the five levels, best of {rounds}, one thread")
    for name, ms in theirs.items():
        print(f"{name:20} {ms:9.2f} {mine[name]:8.2f} {ms / mine[name]:8.1f}")
    for label, leave in (("all 19", ()), ("without glass-blur", ("glass-blur",))):
        left = sum(ms for name, ms in theirs.items() if name not in leave)
        right = sum(mine[name] for name in theirs if name not in leave)
        print(f"{label:20} {left:9.2f} {right:8.2f} {left / right:8.1f}")


if __name__ == "__main__":
    if sys.argv[1:] != ["bench"]:
        reference(sys.argv[1:])
    if sys.argv[1:] in ([], ["bench"]):
        bench()
