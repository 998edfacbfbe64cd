"""Small ONNX files with what exporters write around and between layers: activations that bend, the padding of TorchScript, rounding, one logit,
two outputs, trees. What ONNX Runtime answers is what duress-nn has to answer; written node by node, so that each pattern is there whatever an exporter
does next year."""

import json

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SHAPE = [1, 6, 6]


class Graph:
    def __init__(self, opset):
        self.nodes, self.constants, self.opset, self.count = [], [], opset, 0
        self.draws = np.random.default_rng(opset)

    def constant(self, values):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def add(self, operator, *inputs, outputs=None, **attributes):
        self.count += 1
        outputs = outputs or [f"v{self.count}"]
        self.nodes.append(helper.make_node(operator, inputs, outputs, name=f"{operator}{self.count}", **attributes))
        return outputs[0]

    def weights(self, *shape):
        fan = np.prod(shape[1:])
        return self.constant((self.draws.normal(size=shape) * np.sqrt(2 / fan)).astype(np.float32))

    def conv(self, x, inputs, outputs, side):
        return self.add("Conv", x, self.weights(outputs, inputs, side, side), self.constant(self.draws.normal(size=outputs).astype(np.float32) / 3))

    def dense(self, x, inputs, outputs, output=None):
        return self.add("Gemm", self.add("Flatten", x), self.weights(outputs, inputs), transB=1, outputs=output and [output])

    def save(self, path, outputs, imports=None):
        ports = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in outputs]
        image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", *SHAPE])
        graph = helper.make_graph(self.nodes, "bends", [image], ports, self.constants)
        imports = imports or [helper.make_opsetid("", self.opset)]
        onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=9), path)


def padded(graph, x, before, after):
    """F.pad as TorchScript writes it: the amounts of the last axis first, turned round step by step."""
    amounts = graph.constant(np.array([before[1], after[1], before[0], after[0]], np.int64))
    zeros = graph.add("ConstantOfShape", graph.constant(np.array([4], np.int64)), value=helper.make_tensor("z", TensorProto.INT64, [1], [0]))
    pairs = graph.add("Reshape", graph.add("Concat", amounts, zeros, axis=0), graph.constant(np.array([-1, 2], np.int64)))
    ends = [graph.constant(np.array([value], np.int64)) for value in [-1, np.iinfo(np.int64).min, 0, -1]]
    turned = graph.add("Transpose", graph.add("Slice", pairs, *ends), perm=[1, 0])
    flat = graph.add("Reshape", turned, graph.constant(np.array([-1], np.int64)))
    return graph.add("Pad", x, graph.add("Cast", flat, to=TensorProto.INT64), graph.constant(np.float32(0)))


def gelu_by_erf(graph, x):
    share = graph.add("Add", graph.add("Erf", graph.add("Div", x, graph.constant(np.float32(2**0.5)))), graph.constant(np.float32(1)))
    return graph.add("Mul", graph.add("Mul", x, share), graph.constant(np.float32(0.5)))


def mish_by_parts(graph, x):
    return graph.add("Mul", x, graph.add("Tanh", graph.add("Softplus", x)))


def bends(path, opset):
    graph = Graph(opset)
    x = graph.conv(padded(graph, "image", (0, 1), (1, 2)), 1, 4, 3)
    steps = [
        lambda x: graph.add("Tanh", x),
        lambda x: gelu_by_erf(graph, x),
        lambda x: graph.add("Elu", x, alpha=0.7),
        lambda x: graph.add("Selu", x),
        lambda x: graph.add("Softplus", x),
        lambda x: mish_by_parts(graph, x),
        lambda x: graph.add("PRelu", x, graph.constant(np.array([0.1, -0.2, 0.3, 0.5], np.float32).reshape(4, 1, 1))),
        lambda x: graph.add("PRelu", x, graph.constant(np.array([0.25], np.float32))),
    ]
    if opset >= 20:
        steps += [lambda x: graph.add("Gelu", x), lambda x: graph.add("Gelu", x, approximate="tanh"), lambda x: graph.add("Mish", x)]
    for step in steps:
        x = step(x)
        x = graph.conv(x, 4, 4, 1)
    graph.dense(x, 4 * 5 * 7, 5, "logits")
    graph.save(path, [("logits", TensorProto.FLOAT, ["n", 5])])


def rounded(path):
    graph = Graph(17)
    levels = graph.constant(np.float32(7))
    x = graph.add("Div", graph.add("Round", graph.add("Mul", "image", levels)), levels)
    graph.dense(graph.add("Relu", graph.conv(x, 1, 4, 3)), 64, 5, "logits")
    graph.save(path, [("logits", TensorProto.FLOAT, ["n", 5])])


def one_logit(path):
    graph = Graph(18)
    z = graph.dense(graph.add("Relu", graph.conv("image", 1, 4, 3)), 64, 1)
    graph.add("Identity", graph.add("Sigmoid", z), outputs=["probability"])
    graph.save(path, [("probability", TensorProto.FLOAT, ["n", 1])])


def two_outputs(path):
    """As skl2onnx writes a classifier."""
    graph = Graph(16)
    x = graph.dense("image", 36, 5)
    graph.add("Identity", graph.add("Softmax", x, axis=1), outputs=["probabilities"])
    graph.add("ArgMax", x, axis=1, keepdims=0, outputs=["label"])
    graph.save(path, [("label", TensorProto.INT64, ["n"]), ("probabilities", TensorProto.FLOAT, ["n", 5])])


def trees(path):
    """As onnxmltools writes xgboost: nothing but ai.onnx.ml."""
    node = helper.make_node(
        "TreeEnsembleClassifier", ["image"], ["label", "probabilities"], domain="ai.onnx.ml", name="TreeEnsembleClassifier",
        nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0], nodes_modes=["BRANCH_LT", "LEAF", "LEAF"],
        nodes_values=[0.5, 0.0, 0.0], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], nodes_missing_value_tracks_true=[0, 0, 0],
        nodes_hitrates=[1.0, 1.0, 1.0], class_treeids=[0, 0], class_nodeids=[1, 2], class_ids=[0, 0], class_weights=[-1.0, 1.0],
        classlabels_int64s=[0, 1], post_transform="LOGISTIC",
    )
    ports = [helper.make_tensor_value_info("label", TensorProto.INT64, ["n"]), helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", 2])]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 36])
    graph = helper.make_graph([node], "trees", [image], ports)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", 3)], ir_version=9), path)


def pixels(count):
    """The same images as the tests make."""
    i = np.arange(count * np.prod(SHAPE))
    return (((i * 37 + i // 7 * 11 + 11) % 101) / np.float32(100)).astype(np.float32).reshape(count, *SHAPE)


def write(out):
    cases = []
    makers = {"bends_17.onnx": lambda p: bends(p, 17), "bends_20.onnx": lambda p: bends(p, 20), "rounded.onnx": rounded, "one_logit.onnx": one_logit, "two_outputs.onnx": two_outputs}
    for file, make in makers.items():
        make(out / file)
        session = onnxruntime.InferenceSession(out / file, providers=["CPUExecutionProvider"])
        name = session.get_outputs()[-1].name
        answers = session.run([name], {"image": pixels(3)})[0]
        cases.append({"file": file, "output": name, "answers": answers.astype(float).reshape(-1).tolist()})
    trees(out / "trees.onnx")
    onnxruntime.InferenceSession(out / "trees.onnx", providers=["CPUExecutionProvider"])
    (out / "bends.json").write_text(json.dumps(cases, indent=1) + "\n")
