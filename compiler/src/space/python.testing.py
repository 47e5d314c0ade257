"""Evaluates expressions in CPython: JSON [[text, names], ...] in, one [kind, value] for each out.

Kinds: int, float, bool, str, list, tuple, set, range; syntax, raised. Beyond: an integer of more than 64 bits, or too many steps.
Every node is wrapped, so that an integer is looked at wherever it is made.
"""
import ast
import json
import math
import sys
import warnings

warnings.simplefilter("ignore")


class Beyond(Exception):
    pass


def seen(value):
    if type(value) is int and not -(2**63) <= value < 2**64:
        raise Beyond()
    if type(value) is range and (abs(value.stop - value.start) > 10_000 * abs(value.step)):
        raise Beyond()
    if type(value) is complex:
        raise TypeError("complex")
    return value


def is_int(*values):
    return all(isinstance(value, int) for value in values)


def power(a, b):
    if is_int(a, b) and abs(a) > 1 and b > 64:
        raise Beyond()
    return a**b


def shifted(a, b):
    if is_int(a, b) and a != 0 and b > 64:
        raise Beyond()
    return a << b


def times(a, b):
    for of, by in ((a, b), (b, a)):
        if isinstance(of, (str, list, tuple)) and is_int(by) and len(of) * by > 10_000:
            raise Beyond()
    return a * b


special = {ast.Pow: "power", ast.LShift: "shifted", ast.Mult: "times"}


class Watched(ast.NodeTransformer):
    def visit(self, node):
        node = super().generic_visit(node)
        if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node
        if isinstance(node, ast.GeneratorExp):
            return node
        if isinstance(node, ast.BinOp) and type(node.op) in special:
            node = ast.Call(ast.Name(special[type(node.op)], ast.Load()), [node.left, node.right], [])
        return ast.Call(ast.Name("seen", ast.Load()), [node], [])


def raised_power(a, b, of=None):
    return power(a, b) if of is None else pow(a, b, of)


names = "min max sum any all len sorted abs round int float bool range list tuple set".split()
builtins = {name: __builtins__.__dict__[name] for name in names}
builtins.update(ceil=math.ceil, floor=math.floor, math=math, pow=raised_power)
builtins.update(seen=seen, power=power, shifted=shifted, times=times)


def encoded(value):
    kind = type(value).__name__
    if kind in ("list", "tuple"):
        return [kind, [encoded(item) for item in value]]
    if kind == "set":
        return [kind, sorted((encoded(item) for item in value), key=json.dumps)]
    if kind == "range":
        return [kind, [encoded(item) for item in value]]
    return [kind, value if kind in ("bool", "str") else repr(value)]


def answer(text, given):
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return ["syntax", None]
    try:
        tree = ast.fix_missing_locations(Watched().visit(tree))
        return encoded(eval(compile(tree, "", "eval"), {"__builtins__": builtins, **given}))
    except Beyond:
        return ["beyond", None]
    except Exception as error:
        return ["raised", type(error).__name__]


json.dump([answer(text, given) for text, given in json.load(sys.stdin)], sys.stdout)
