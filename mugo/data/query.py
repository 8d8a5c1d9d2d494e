"""Queries that select games: what `--where` understands.

    black_rank >= 7 and white_rank >= 7
    source.str.contains('KGS') and not handicap
    size in [9, 13] or date.str[:4] == '2019'
    abs(black_rank - white_rank) <= 1 and komi.notna()

The syntax is part of that of pandas.DataFrame.query: names of columns, numbers, strings, lists; comparisons, chained
ones too; `and`, `or`, `not`, or `&`, `|`, `~`, which bind like them; `in`, `not in`; `+ - * / // %` on numbers; `abs`;
the methods of METHODS and of STRING_METHODS.  pandas itself evaluates attributes and calls of any object, so a query
that came with a downloaded checkpoint could run any code: here the syntax tree is evaluated node by node, and a node of
any other type is an error.  Regular expressions are RE2's, whose time is linear in the text (Cox 2007): no query can
take long.
"""
import ast
import io
import operator
import tokenize
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mugo.core.files import BadInput

MAX_LENGTH = 4000                        # characters of a query
MAX_DEPTH = 50                           # operations inside operations
MAX_INDEX = 1 << 31                      # of a character

_ARITHMETIC: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
_COMPARISONS: dict[type, Callable] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge}


def _regex(function: Callable, prefix: str = "", suffix: str = "") -> Callable:
    def matches(column: pd.Series, pattern: str, case: bool = True) -> pd.Series:
        function(pa.array([""]), pattern)                # raises for 'a)|(b', which prefix and suffix would make valid
        found = function(pa.array(column, pa.string()), f"{prefix}{pattern}{suffix}", ignore_case=not case)
        return pd.Series(found.to_numpy(zero_copy_only=False).astype(bool), index=column.index)
    return matches


def _contains(column: pd.Series, pat: str, case: bool = True, regex: bool = True) -> pd.Series:
    return _regex(pc.match_substring_regex if regex else pc.match_substring)(column, pat, case)


# Method -> (function of a Series and the arguments, names of the arguments with their types)
STRING_METHODS: dict[str, tuple[Callable, dict[str, type | tuple]]] = {
    "contains": (_contains, {"pat": str, "case": bool, "regex": bool}),
    "match": (_regex(pc.match_substring_regex, "^(?:", ")"), {"pattern": str, "case": bool}),
    "fullmatch": (_regex(pc.match_substring_regex, "^(?:", ")$"), {"pattern": str, "case": bool}),
    "startswith": (lambda column, pat: column.str.startswith(pat), {"pat": str}),
    "endswith": (lambda column, pat: column.str.endswith(pat), {"pat": str}),
    "lower": (lambda column: column.str.lower(), {}),
    "upper": (lambda column: column.str.upper(), {}),
    "strip": (lambda column: column.str.strip(), {}),
    "len": (lambda column: column.str.len(), {}),
}
METHODS: dict[str, tuple[Callable, dict[str, type | tuple]]] = {
    "isna": (lambda column: column.isna(), {}),
    "notna": (lambda column: column.notna(), {}),
    "isin": (lambda column, values: column.isin(values), {"values": list}),
    "between": (lambda column, left, right: column.between(left, right), {"left": (int, float, str),
                                                                           "right": (int, float, str)}),
}


class _Invalid(Exception):
    """Why a query cannot be evaluated."""


def matching_rows(games: pd.DataFrame, query: str) -> np.ndarray:
    """Whether each game satisfies a query: bool (len(games),); '' is satisfied by all.

    With an unknown number (NaN) every comparison but != is false.  Raises BadInput for a text that is not such a query,
    a name that is not a column, operands of the wrong type, and a value that is not true or false for each game.
    """
    if not query:
        return np.ones(len(games), bool)
    try:
        value = _Evaluator(games).value(_parse(query))
        if not _is_condition(value):
            raise _Invalid("this is not a condition: its value must be true or false for each game")
    except _Invalid as error:
        raise BadInput(f"--where {_shortened(query)!r}: {error}") from None
    return value.to_numpy(bool)


def names_in(query: str, schema: dict[str, type]) -> set[str]:
    """The columns that a query reads, of tables of this schema.  Raises BadInput as matching_rows does, but for what
    only the values of the columns decide.  '' reads none."""
    if not query:
        return set()
    matching_rows(pd.DataFrame(columns=list(schema)).astype(schema), query)
    return {node.id for node in ast.walk(_parse(query)) if isinstance(node, ast.Name)} & set(schema)


def _shortened(query: str) -> str:
    return query if len(query) <= 200 else f"{query[:200]}..."


def _parse(query: str) -> ast.expr:
    """The syntax tree of a query.  `&`, `|` and `~` become `and`, `or` and `not`, as in pandas.DataFrame.query."""
    if len(query) > MAX_LENGTH:
        raise _Invalid(f"a query has at most {MAX_LENGTH} characters, not {len(query)}")
    words = {"&": " and ", "|": " or ", "~": " not "}
    try:
        with warnings.catch_warnings():                  # of Python's compiler: invalid escapes, "is" with a literal
            warnings.simplefilter("ignore")
            tokens = list(tokenize.generate_tokens(io.StringIO(" ".join(query.splitlines()).strip()).readline))
            text = tokenize.untokenize((token.type, words.get(token.string, token.string)) for token in tokens)
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError) as error:
        reason = (error.msg if isinstance(error, SyntaxError) else
                  str(error) if isinstance(error, ValueError) else "invalid syntax")
        raise _Invalid(f"{reason}; an example of a query: black_rank >= 7 and source.str.contains('KGS')") from None
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        raise _Invalid(f"more than {MAX_DEPTH} operations inside each other")
    return tree


def _is_condition(value: Any) -> bool:
    return isinstance(value, pd.Series) and value.dtype == bool


def _is_number(value: Any) -> bool:
    if isinstance(value, pd.Series):
        return value.dtype.kind in "iuf"
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or isinstance(value, pd.Series) and not _is_condition(value) and not _is_number(value)


def _describe(value: Any) -> str:
    return ("true or false" if _is_condition(value) or isinstance(value, bool) else "a number" if _is_number(value)
            else "text" if _is_text(value) else "a list")


def _check_comparable(left: Any, right: Any) -> None:
    """Raise _Invalid unless both are numbers, text, or true or false."""
    for same in _is_number, _is_text, lambda value: _is_condition(value) or isinstance(value, bool):
        if same(left) and same(right):
            return
    raise _Invalid(f"{_describe(left)} cannot be compared with {_describe(right)}")


class _Evaluator:
    """Evaluates the nodes of a query: to a Series, a number, a string, a bool, or a list of those."""

    def __init__(self, games: pd.DataFrame):
        self._games = games

    def value(self, node: ast.AST) -> Any:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise _Invalid(f"{_source(node)!r} is not allowed in a query")
        return method(node)

    def _name(self, node: ast.Name) -> pd.Series:
        if node.id not in self._games.columns:
            raise _Invalid(f"{node.id!r} is not a column (columns: {', '.join(self._games.columns)})")
        return self._games[node.id]

    def _constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, int | float | str):
            raise _Invalid(f"{_source(node)!r} is not allowed in a query")
        if isinstance(node.value, int) and abs(node.value) >= 1 << 63:
            raise _Invalid("a whole number has at most 63 bits")
        if isinstance(node.value, str) and any(0xD800 <= ord(c) < 0xE000 for c in node.value):
            raise _Invalid("a string contains half of a character (a surrogate)")
        return node.value

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> list:
        if not all(isinstance(element, ast.Constant | ast.UnaryOp) for element in node.elts):
            raise _Invalid("a list contains numbers and strings")
        return [self.value(element) for element in node.elts]

    _tuple = _set = _list

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return ~self._condition(value)
        if not isinstance(node.op, ast.USub | ast.UAdd) or not _is_number(value):
            raise _Invalid(f"{_source(node)!r} needs a number")
        return -value if isinstance(node.op, ast.USub) else value

    def _binop(self, node: ast.BinOp) -> Any:
        if type(node.op) not in _ARITHMETIC:
            raise _Invalid(f"{_source(node)!r} is not allowed in a query")
        left, right = self.value(node.left), self.value(node.right)
        if not _is_number(left) or not _is_number(right):
            raise _Invalid(f"{_source(node)!r} needs numbers")
        try:
            return _ARITHMETIC[type(node.op)](_signed(left), _signed(right))
        except (ZeroDivisionError, OverflowError) as error:
            raise _Invalid(str(error)) from None

    def _boolop(self, node: ast.BoolOp) -> pd.Series:
        values = [self._condition(self.value(operand)) for operand in node.values]
        result = values[0]
        for value in values[1:]:
            result = result & value if isinstance(node.op, ast.And) else result | value
        return result

    def _condition(self, value: Any) -> pd.Series:
        """A condition; a column of numbers is true where it is not 0."""
        if isinstance(value, pd.Series) and _is_number(value):
            return value != 0
        if not _is_condition(value):
            raise _Invalid(f"`and`, `or` and `not` need conditions, not {_describe(value)}")
        return value

    def _compare(self, node: ast.Compare) -> pd.Series:
        values = [self.value(operand) for operand in (node.left, *node.comparators)]
        result = None
        for kind, left, right in zip(node.ops, values, values[1:], strict=False):
            part = self._compare_two(kind, left, right)
            result = part if result is None else result & part
        assert result is not None
        return result

    def _compare_two(self, kind: ast.cmpop, left: Any, right: Any) -> pd.Series:
        if isinstance(kind, ast.In | ast.NotIn):
            if not isinstance(left, pd.Series) or not isinstance(right, list):
                raise _Invalid("`in` needs a column on its left and a list on its right")
            found = left.isin(right)
            return found if isinstance(kind, ast.In) else ~found
        if type(kind) not in _COMPARISONS:
            raise _Invalid("`is` is not allowed in a query")
        if isinstance(right, list) and isinstance(left, pd.Series) and isinstance(kind, ast.Eq | ast.NotEq):
            found = left.isin(right)                     # pandas: == with a list is `in`
            return found if isinstance(kind, ast.Eq) else ~found
        _check_comparable(left, right)
        if not isinstance(left, pd.Series) and not isinstance(right, pd.Series):
            raise _Invalid("a comparison needs a column")
        return _COMPARISONS[type(kind)](left, right).fillna(False).astype(bool)

    def _subscript(self, node: ast.Subscript) -> pd.Series:
        """column.str[2], column.str[:4]"""
        if not isinstance(node.value, ast.Attribute) or node.value.attr != "str":
            raise _Invalid(f"{_source(node)!r} is not allowed in a query")
        column = self._text_column(node.value.value)
        index = node.slice
        if isinstance(index, ast.Slice):
            parts = [None if part is None else self._index(part) for part in (index.lower, index.upper)]
            if index.step is not None:
                raise _Invalid("a slice has no step")
            return column.str[slice(*parts)]
        return column.str[self._index(index)].fillna("")

    def _index(self, node: ast.AST) -> int:
        value = self.value(node)
        if not isinstance(value, int) or isinstance(value, bool):
            raise _Invalid(f"{_source(node)!r} is not a whole number")
        if abs(value) >= MAX_INDEX:
            raise _Invalid(f"{_source(node)!r} is too large for an index")
        return value

    def _text_column(self, node: ast.AST) -> pd.Series:
        column = self.value(node)
        if not isinstance(column, pd.Series) or not _is_text(column):
            raise _Invalid(f"{_source(node)!r} is not a column of text")
        return column.fillna("")

    def _call(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "abs" and len(node.args) == 1 and not node.keywords:
            value = self.value(node.args[0])
            if not _is_number(value):
                raise _Invalid("abs needs a number")
            return abs(_signed(value))
        if not isinstance(function, ast.Attribute):
            raise _Invalid(f"{_source(function)!r} is not a function of queries")
        if isinstance(function.value, ast.Attribute) and function.value.attr == "str":
            methods, column, prefix = STRING_METHODS, self._text_column(function.value.value), "str."
        else:
            methods, column, prefix = METHODS, self.value(function.value), ""
        if function.attr not in methods or not isinstance(column, pd.Series):
            raise _Invalid(f"{prefix}{function.attr} is not a method of queries ({', '.join(METHODS)}, "
                           f"{', '.join(f'str.{name}' for name in STRING_METHODS)})")
        method, kinds = methods[function.attr]
        arguments = self._arguments(node, f"{prefix}{function.attr}", kinds)
        if function.attr == "between":
            for value in arguments.values():
                _check_comparable(column, value)
        try:
            return method(column, **arguments)
        except (pa.ArrowInvalid, TypeError, ValueError) as error:
            raise _Invalid(f"{_source(node)}: {error}") from None

    def _arguments(self, node: ast.Call, name: str, kinds: dict) -> dict:
        """The arguments of a method by name, of the types in `kinds`; only a bool may be left out."""
        if len(node.args) > len(kinds) or any(keyword.arg not in kinds for keyword in node.keywords):
            raise _Invalid(f"the arguments of {name} are: {', '.join(kinds) or 'none'}")
        arguments = {key: self.value(argument) for key, argument in zip(kinds, node.args, strict=False)}
        arguments |= {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        for key, kind in kinds.items():
            if key in arguments and not isinstance(arguments[key], kind):
                raise _Invalid(f"{key} of {name} cannot be {_describe(arguments[key])}")
            if key not in arguments and kind is not bool:
                raise _Invalid(f"{name} needs {key}")
        return arguments


def _signed(value: Any) -> Any:
    """Numbers for arithmetic: columns as float64, so that nothing overflows or wraps around."""
    return value.astype(np.float64) if isinstance(value, pd.Series) else float(value)


def _source(node: ast.AST) -> str:
    return _shortened(ast.unparse(node))
