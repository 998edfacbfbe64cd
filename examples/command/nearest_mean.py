"""A classifier for duress in plain Python: the class with the nearest mean. It speaks JSON lines; see docs/command.md.

    [subject.nearest-mean]
    use = "command"
    on = "digits"
    command = ["python3", "nearest_mean.py"]
    accepts = "images"
    answers = "classes"
    learns = "labels"
"""

import json
import sys


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
        else:
            reply = {"id": question["id"], "logits": [logits(means, image) for image in question["images"]]}
        print(json.dumps(reply), flush=True)


main()
