"""Asks a network about adversarial images that duress found, with other software, and compares.

    duress report RUN --images images
    python examples/confirm_in_torch.py network.onnx images/*.npz [--mean 0.1307 --std 0.3081]

A `.onnx` file is asked through ONNX Runtime; a `.pt` file is loaded with torch.jit.load. For every archive: how many answers are the same, how far logits are
apart, how many of the breaks are breaks, and the largest norms as duress wrote them down. Leaves with 1 if any answer differs.
"""

import argparse
import sys

import numpy as np


def asker(file, mean, std):
    scale = lambda x: ((x - np.reshape(mean, (1, -1, 1, 1))) / np.reshape(std, (1, -1, 1, 1))).astype(np.float32)
    if file.endswith(".onnx"):
        import onnxruntime

        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        return lambda x: session.run(None, {name: scale(x)})[-1]
    import torch

    model = torch.jit.load(file).eval()

    def ask(x):
        with torch.no_grad():
            return model(torch.from_numpy(scale(x))).numpy()

    return ask


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--mean", type=float, nargs="+", default=[0.0])
    parser.add_argument("--std", type=float, nargs="+", default=[1.0])
    args = parser.parse_args()
    ask = asker(args.network, args.mean, args.std)
    differ = 0
    for file in args.archives:
        held = np.load(file)
        theirs = np.concatenate([ask(batch) for batch in np.array_split(held["images"], max(1, len(held["images"]) // 128))])
        answers = theirs.argmax(1)
        same = answers == held["answers"]
        differ += int((~same).sum())
        breaks = held["broken"]
        confirmed = (answers != held["labels"]) & breaks
        print(f"{file}: {same.sum()} of {len(same)} answers are the same; {confirmed.sum()} of {breaks.sum()} breaks confirmed; "
              f"largest change L∞ {held['linf'].max():.6f}, L2 {held['l2'].max():.4f}, L1 {held['l1'].max():.3f}")
        if "logits" in held:
            print(f"  logits differ by at most {np.abs(theirs - held['logits']).max():.2e} of {np.abs(held['logits']).max():.2e}")
    sys.exit(1 if differ else 0)


main()
