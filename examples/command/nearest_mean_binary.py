"""The classifier of nearest_mean.py with binary frames, still in plain Python: numbers do not pass through text.

    [subject.nearest-mean]
    use = "command"
    on = "digits"
    command = ["python3", "nearest_mean_binary.py"]
    accepts = "images"
    answers = "classes"
    learns = "labels"
    protocol = "binary"
"""

import json
import struct
import sys
from array import array

HEADER = struct.Struct("<4sHBBQ4Q")
KINDS = {"images": 1, "windows": 2, "probabilities": 3, "logits": 4, "gradient": 5, "checkpoint": 6}
CODES = {0: "B", 1: "f", 2: "d"}


def receive():
    """The next line, and the shape and numbers of the frame behind it."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit()
    question = json.loads(line)
    if "frame" not in question:
        return question, [], array("B")
    magic, version, _, dtype, length, *shape = HEADER.unpack(sys.stdin.buffer.read(HEADER.size))
    assert (magic, version) == (b"DRSF", 1), "not a frame"
    numbers = array(CODES[dtype])
    numbers.frombytes(sys.stdin.buffer.read(length))
    if sys.byteorder == "big":
        numbers.byteswap()
    return question, [size for size in shape if size], numbers


def send(reply, kind=None, shape=(), numbers=array("B")):
    """A line, and a frame behind it where there is a kind."""
    out = sys.stdout.buffer
    if kind:
        reply["frame"] = kind
    out.write(json.dumps(reply).encode() + b"\n")
    if kind:
        dtype = next(code for code, letter in CODES.items() if letter == numbers.typecode)
        axes = list(shape) + [0] * (4 - len(shape))
        out.write(HEADER.pack(b"DRSF", 1, KINDS[kind], dtype, len(numbers) * numbers.itemsize, *axes))
        if sys.byteorder == "big":
            numbers.byteswap()
        out.write(numbers.tobytes())
    out.flush()


def rows(shape, numbers):
    size = len(numbers) // shape[0]
    return [numbers[i * size : (i + 1) * size] for i in range(shape[0])]


def learn(images, labels, classes):
    means = []
    for k in range(len(classes)):
        mine = [image for image, label in zip(images, labels) if label == k]
        means.append([sum(pixels) / len(mine) for pixels in zip(*mine)])
    return means


def logits(means, image):
    return [-sum((x - m) ** 2 for x, m in zip(image, mean)) for mean in means]


def main():
    means = None
    while True:
        question, shape, numbers = receive()
        if "hello" in question:
            send({"hello": 1})
        elif "fit" in question:
            means = learn(rows(shape, numbers), question["labels"], question["classes"])
            checkpoint = array("B", json.dumps(means).encode())
            send({"id": question["id"]}, "checkpoint", [len(checkpoint)], checkpoint)
        elif "restore" in question:
            means = json.loads(numbers.tobytes())
            send({"id": question["id"]})
        else:
            said = [logits(means, image) for image in rows(shape, numbers)]
            flat = array("d", [x for row in said for x in row])
            send({"id": question["id"]}, "logits", [len(said), len(means)], flat)


main()
