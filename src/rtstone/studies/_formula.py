# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Formulas of derived quantities (rates,
MB/s, per cent): only arithmetic over named numbers, read from a study file."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from functools import cache

TIMES = ("mean_ns", "median_ns", "min_ns", "max_ns", "time_ns", "operations")
"""Numbers that every result offers a formula besides its figures:
times of one operation and of all together, and the operation count."""


class FormulaError(ValueError):
    """A formula that is not arithmetic, or has no value for these numbers; the text gives the reason."""


@cache
def parsed(formula: str) -> ast.expr:
    """The formula as a tree of numbers, names, `+ - * /` and brackets. Raises FormulaError for anything else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # constructs that Python warns about are refused below
            tree = ast.parse(formula.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError(f"{formula!r} is no formula") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) not in (int, float):
            raise FormulaError(f"{formula!r}: {node.value!r} is no number")
        if not isinstance(node, _ALLOWED):
            raise FormulaError(f"{formula!r}: only numbers, names, + - * / and brackets make a formula")
    return tree


_ALLOWED = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.Name, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub, ast.Load)


def names(formula: str) -> tuple[str, ...]:
    """The names in the formula, each once. Raises FormulaError."""
    return tuple(dict.fromkeys(node.id for node in ast.walk(parsed(formula)) if isinstance(node, ast.Name)))


def evaluate(formula: str, numbers: Mapping[str, float]) -> float:
    """The formula's value. Raises FormulaError where a name has no number, and for a division by zero."""
    return _value(parsed(formula), numbers)


def _value(node: ast.expr, numbers: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            if name not in numbers:
                raise FormulaError(f"the record has no {name}")
            return float(numbers[name])
        case ast.UnaryOp(operand=operand):
            return -_value(operand, numbers)
        case ast.BinOp(left=left, op=op, right=right):
            return _two(op, _value(left, numbers), _value(right, numbers), ast.unparse(right))
    raise FormulaError("not a formula")


def _two(op: ast.operator, left: float, right: float, divisor: str) -> float:
    if isinstance(op, ast.Add):
        return left + right
    if isinstance(op, ast.Sub):
        return left - right
    if isinstance(op, ast.Mult):
        return left * right
    if right == 0:
        raise FormulaError(f"{divisor} is 0")
    return left / right
