"""A classifier for duress in plain Python: the class with the nearest mean. It speaks JSON lines; see docs/command.md.

    [subject.nearest-mean]
    use = "command"
    on = "digits"
    command = ["python3", "nearest_mean.py"]
    accepts = "images"
    answers = "classes"
    learns = "labels"
    gradients = true    # so that it can be attacked
"""

import json
import math
import sys


def learn(images, labels, classes):
    means = []
    for k in range(len(classes)):
        mine = [image for image, label in zip(images, labels) if label == k]
        means.append([sum(pixels) / len(mine) for pixels in zip(*mine)])
    return means


def logits(means, image):
    return [-sum((x - m) ** 2 for x, m in zip(image, mean)) for mean in means]


def loss(means, image, label):
    """The cross-entropy at a label, whether the label is the answer, and how the loss changes with each pixel."""
    values = logits(means, image)
    largest = max(values)
    powers = [math.exp(value - largest) for value in values]
    shares = [power / sum(powers) for power in powers]
    slopes = [share - (k == label) for k, share in enumerate(shares)]
    gradient = [sum(-2 * slope * (x - mean[i]) for slope, mean in zip(slopes, means)) for i, x in enumerate(image)]
    return math.log(sum(powers)) + largest - values[label], values.index(largest) == label, gradient


def main():
    means = None
    for line in sys.stdin:
        question = json.loads(line)
        if "hello" in question:
            reply = {"hello": 1}
        elif "fit" in question:
            means = learn(question["images"], question["labels"], question["classes"])
            reply = {"id": question["id"], "checkpoint": json.dumps(means)}
        elif "restore" in question:
            means = json.loads(question["checkpoint"])
            reply = {"id": question["id"]}
        elif question["ask"] == "loss":
            losses = [loss(means, image, label) for image, label in zip(question["images"], question["labels"])]
            reply = {"id": question["id"], "losses": [x for x, _, _ in losses], "right": [x for _, x, _ in losses]}
            if question["gradient"]:
                reply["gradient"] = [x for _, _, x in losses]
        else:
            reply = {"id": question["id"], "logits": [logits(means, image) for image in question["images"]]}
        print(json.dumps(reply), flush=True)


main()
