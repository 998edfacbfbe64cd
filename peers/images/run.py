"""Small images of every kind, and what Pillow makes of them, for `crates/duress-parts/tests/fixtures/images`.

    cargo xtask peers images

Writes the images, `decoded.json` (samples of each, as `convert` to RGB or L leaves them) and `resized.json` (one picture at several sizes). Then lets
the example `resized` of duress-parts resize pictures that are not committed, and compares level by level.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "crates/duress-parts/tests/fixtures/images"
WIDTH, HEIGHT = 13, 9
SIZES = [(5, 5), (13, 4), (7, 9), (1, 1), (26, 18), (40, 3)]


def smooth(rng, height, width, channels):
    """Colours that change slowly, so that decoders of JPEG can be compared."""
    y, x = np.mgrid[0:height, 0:width]
    planes = [128 + 100 * np.sin(x / (3 + k) + rng.uniform(0, 6)) * np.cos(y / (4 + k) + rng.uniform(0, 6)) for k in range(channels)]
    return np.stack(planes, -1).clip(0, 255).astype(np.uint8)


def images(rng):
    rgb = rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    grey = rng.integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
    deep = rng.integers(0, 65536, (HEIGHT, WIDTH), dtype=np.uint16)
    alpha = rng.integers(0, 256, (HEIGHT, WIDTH, 1), dtype=np.uint8)
    soft = Image.fromarray(smooth(rng, 17, 20, 3))
    yield "rgb.png", Image.fromarray(rgb), {}
    yield "grey.png", Image.fromarray(grey), {}
    yield "grey16.png", Image.fromarray(deep), {}
    yield "rgba.png", Image.fromarray(np.concatenate([rgb, alpha], -1)), {}
    yield "grey-alpha.png", Image.fromarray(np.concatenate([grey[..., None], alpha], -1), "LA"), {}
    yield "palette.png", Image.fromarray(rgb).quantize(16), {}
    yield "bits.png", Image.fromarray(grey > 127), {}
    yield "one.png", Image.fromarray(rgb[:1, :1]), {}
    yield "baseline.jpg", soft, {"quality": 90, "subsampling": 0}
    yield "halved.jpg", soft, {"quality": 90, "subsampling": 2}
    yield "progressive.jpg", soft, {"quality": 90, "subsampling": 0, "progressive": True}
    yield "grey.jpg", soft.convert("L"), {"quality": 90}
    yield "one.jpg", soft.crop((0, 0, 1, 1)), {"quality": 95}
    yield "cmyk.jpg", soft.convert("CMYK"), {"quality": 95, "subsampling": 0}


def exif(path):
    """The same picture with an orientation, which is to be ignored."""
    picture = Image.open(OUT / "baseline.jpg")
    tags = Image.Exif()
    tags[0x0112] = 6
    picture.save(path, quality=90, subsampling=0, exif=tags)


def decoded(path):
    picture = Image.open(path)
    if picture.mode == "I;16":
        return {"width": picture.width, "height": picture.height, "channels": 1, "white": 65535, "samples": np.asarray(picture).ravel().tolist()}
    picture = picture.convert("L" if picture.mode in ("L", "LA", "1") else "RGB")
    samples = np.asarray(picture).ravel().tolist()
    return {"width": picture.width, "height": picture.height, "channels": len(picture.getbands()), "white": 255, "samples": samples}


def resized(picture, sizes):
    return [{"width": w, "height": h, "samples": np.asarray(picture.resize((w, h), Image.BILINEAR)).ravel().tolist()} for w, h in sizes]


def compare(rng):
    """Many pictures and sizes through our own code: how many levels differ."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = [tuple(int(side) for side in rng.integers(1, 90, 2)) for _ in range(40)]
        pictures = [Image.fromarray(rng.integers(0, 256, (*rng.integers(1, 200, 2), 3), dtype=np.uint8)) for _ in range(10)]
        for i, picture in enumerate(pictures):
            picture.save(f"{folder}/{i}.png")
        cargo = os.environ.get("CARGO", "cargo")
        jobs = [[f"{folder}/{i}.png", w, h] for i in range(len(pictures)) for w, h in sizes]
        command = [cargo, "run", "--quiet", "--package", "duress-parts", "--example", "resized"]
        ours = json.loads(subprocess.run(command, cwd=ROOT, check=True, input=json.dumps(jobs), text=True, stdout=subprocess.PIPE).stdout)
        theirs = [r["samples"] for picture in pictures for r in resized(picture, sizes)]
        differ = sum(int((np.array(a) != np.array(b)).sum()) for a, b in zip(ours, theirs, strict=True))
        print(f"{len(jobs)} pictures resized, {sum(map(len, theirs))} samples: {differ} differ from Pillow's")
        assert differ == 0


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    for name, picture, options in images(rng):
        picture.save(OUT / name, **options)
    exif(OUT / "turned.jpg")
    files = sorted(path for path in OUT.iterdir() if path.suffix in (".png", ".jpg"))
    (OUT / "decoded.json").write_text(json.dumps({path.name: decoded(path) for path in files}) + "\n")
    colour, grey = Image.open(OUT / "rgb.png"), Image.open(OUT / "grey.png")
    (OUT / "resized.json").write_text(
        json.dumps(
            {
                "rgb.png": resized(colour, SIZES),
                "grey.png": resized(grey, SIZES),
                "luma": np.asarray(colour.convert("L")).ravel().tolist(),
            }
        )
        + "\n"
    )
    compare(rng)


main()
