"""One classifier behind four masks: the class with the nearest mean, in plain Python. See docs/command.md for what it reads and writes.

    python3 masked.py plain | scaled | rounded | noisy

`scaled` multiplies its logits by 10,000, `rounded` rounds its input to nine levels and has no slope where it does, `noisy` adds noise to its input, other noise each
time. None of that makes it harder to break, and each misleads an attack in another way.
"""

import json
import math
import random
import sys

SCALE = {"scaled": 1e4}
LEVELS = 8
NOISE = 0.1


def learn(images, labels, classes):
    means = []
    for k in range(len(classes)):
        mine = [image for image, label in zip(images, labels) if label == k]
        means.append([sum(pixels) / len(mine) for pixels in zip(*mine)])
    return means


class Masked:
    def __init__(self, mask):
        self.mask, self.scale, self.means, self.chance = mask, SCALE.get(mask, 1.0), None, random.Random(0)

    def shown(self, image):
        if self.mask == "rounded":
            return [round(x * LEVELS) / LEVELS for x in image]
        if self.mask == "noisy":
            return [x + self.chance.gauss(0, NOISE) for x in image]
        return image

    def logits(self, image):
        # The square of the image itself is the same for every class.
        return [self.scale * sum(m * (2 * x - m) for x, m in zip(image, mean)) for mean in self.means]

    def gradient(self, slopes):
        if self.mask == "rounded":
            return [0.0] * len(self.means[0])
        pulls = [2 * self.scale * slope for slope in slopes]
        return [sum(pull * m for pull, m in zip(pulls, pixels)) for pixels in zip(*self.means)]

    def loss(self, image, label):
        """The cross-entropy at a label, whether the label is the answer, and how the loss changes with each pixel."""
        values = self.logits(self.shown(image))
        largest = max(values)
        powers = [math.exp(value - largest) for value in values]
        slopes = [power / sum(powers) - (k == label) for k, power in enumerate(powers)]
        return math.log(sum(powers)) + largest - values[label], values.index(largest) == label, self.gradient(slopes)

    def reply(self, question):
        if "hello" in question:
            return {"hello": 1, "slopes": True}
        reply = {"id": question["id"]}
        if "fit" in question:
            self.means = learn(question["images"], question["labels"], question["classes"])
            return reply | {"checkpoint": json.dumps(self.means)}
        if "restore" in question:
            self.means = json.loads(question["checkpoint"])
            return reply
        images = question["images"]
        if question["ask"] == "loss":
            losses = [self.loss(image, label) for image, label in zip(images, question["labels"])]
            reply |= {"losses": [x for x, _, _ in losses], "right": [x for _, x, _ in losses]}
            return reply | ({"gradient": [x for _, _, x in losses]} if question["gradient"] else {})
        if question["ask"] == "gradient":
            return reply | {"gradient": [self.gradient(slopes) for slopes in question["slopes"]]}
        return reply | {"logits": [self.logits(self.shown(image)) for image in images]}


def main():
    masked = Masked(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(masked.reply(json.loads(line))), flush=True)


main()
