"""A PyTorch classifier for duress, with gradients, so that it can be attacked from outside. Binary frames; see docs/command.md.

    [subject.mine]
    use = "command"
    on = "digits"
    command = ["python3", "torch_classifier.py", "weights.pt"]
    accepts = "images"
    answers = "classes"
    protocol = "binary"
    gradients = true

Replace `network` by your own. `weights.pt` is a state dict; without one, the weights are those of seed 0.
"""

import json
import struct
import sys

import numpy as np
import torch

HEADER = struct.Struct("<4sHBBQ4Q")
KINDS = {"images": 1, "windows": 2, "probabilities": 3, "logits": 4, "gradient": 5, "checkpoint": 6}
CLASSES = [str(digit) for digit in range(10)]


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 64, len(CLASSES)),
    )


def receive(device):
    """The next line, and the tensor behind it."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit()
    question = json.loads(line)
    if "frame" not in question:
        return question, None
    magic, version, _, dtype, length, *shape = HEADER.unpack(sys.stdin.buffer.read(HEADER.size))
    assert (magic, version, dtype) == (b"DRSF", 1, 1), "not a frame of f32"
    numbers = np.frombuffer(bytearray(sys.stdin.buffer.read(length)), dtype="<f4")
    return question, torch.from_numpy(numbers.reshape([size for size in shape if size])).to(device)


def send(reply, kind=None, tensor=None):
    """A line, and a tensor behind it where there is one."""
    if kind:
        reply["frame"] = kind
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
    if kind:
        numbers = np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype="<f4")
        axes = list(numbers.shape) + [0] * (4 - numbers.ndim)
        sys.stdout.buffer.write(HEADER.pack(b"DRSF", 1, KINDS[kind], 1, numbers.nbytes, *axes))
        sys.stdout.buffer.write(numbers.data)
    sys.stdout.buffer.flush()


def loss(model, question, images):
    labels = torch.tensor(question["labels"], device=images.device)
    images.requires_grad_(question["gradient"])
    logits = model(images)
    losses = torch.nn.functional.cross_entropy(logits, labels, reduction="none")
    reply = {"id": question["id"], "losses": losses.tolist(), "right": (logits.argmax(1) == labels).tolist()}
    if not question["gradient"]:
        return send(reply)
    # The sum has each image's own gradient: no image's loss depends on another image.
    (gradient,) = torch.autograd.grad(losses.sum(), images)
    send(reply, "gradient", gradient)


def gradient(model, question, images):
    """Any slope of the logits back to the pixels."""
    images.requires_grad_()
    slopes = torch.tensor(question["slopes"], device=images.device)
    (gradient,) = torch.autograd.grad((model(images) * slopes).sum(), images)
    send({"id": question["id"]}, "gradient", gradient)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = network()
    if len(sys.argv) > 1:
        model.load_state_dict(torch.load(sys.argv[1], weights_only=True))
    model.to(device).eval()
    while True:
        question, images = receive(device)
        if "hello" in question:
            send({"hello": 1, "classes": CLASSES, "slopes": True})
        elif question.get("ask") == "loss":
            loss(model, question, images)
        elif question.get("ask") == "gradient":
            gradient(model, question, images)
        else:
            with torch.no_grad():
                send({"id": question["id"]}, "logits", model(images))


if __name__ == "__main__":
    main()
