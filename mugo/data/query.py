"""Queries that select games, and expressions that weight them: what `--where` and `--sample-weight` understand.

    black_rank >= 7 and white_rank >= 7
    source.str.contains('KGS') and not handicap
    size in [9, 13] or date.str[:4] == '2019'
    abs(black_rank - white_rank) <= 1 and komi.notna()

The syntax is part of that of pandas.DataFrame.query (docs/reference/data-format.md).  pandas itself evaluates
attributes and calls of any object, so a query that came with a downloaded checkpoint could run any code: here the
syntax tree is evaluated node by node, and a node for which `_value` has no case is an error.  Regular expressions are
RE2's, whose time is linear in the text (Cox 2007): no query can take long.
"""
import ast
import contextlib
import functools
import inspect
import io
import operator
import tokenize
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mugo.core.files import BadInput

MAX_LENGTH = 4000                        # characters of a query
MAX_DEPTH = 50                           # operations inside operations
MAX_INDEX = 1 << 31                      # of a character
WEIGHTS = 1e-9, 1e9                      # the least and the most other than 0: their sums and squares are finite

_ARITHMETIC: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv}
_COMPARISONS: dict[type, Callable] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge}


def _contains(column: pd.Series, pat: str, case: bool = True, regex: bool = True) -> pd.Series:
    found = (pc.match_substring_regex if regex else pc.match_substring)(pa.array(column, pa.string()), pat,
                                                                        ignore_case=not case)
    return pd.Series(found.to_numpy(zero_copy_only=False).astype(bool), index=column.index)


def _match(column: pd.Series, pat: str, case: bool = True, end: str = "") -> pd.Series:
    pc.match_substring_regex(pa.array([""]), pat)        # raises for 'a)|(b', which brackets would make valid
    return _contains(column, f"^(?:{pat}){end}", case)


def _between(column: pd.Series, left: Any, right: Any) -> pd.Series:
    _check_comparable(column, left)
    _check_comparable(column, right)
    return column.between(left, right)


METHODS: dict[str, Callable] = {
    "isna": pd.Series.isna, "notna": pd.Series.notna, "isin": pd.Series.isin, "between": _between}
STRING_METHODS: dict[str, Callable] = {
    "contains": _contains, "match": _match, "fullmatch": lambda column, pat, case=True: _match(column, pat, case, "$"),
    "startswith": lambda column, pat: column.str.startswith(pat),
    "endswith": lambda column, pat: column.str.endswith(pat),
    "lower": lambda column: column.str.lower(), "upper": lambda column: column.str.upper(),
    "strip": lambda column: column.str.strip(), "len": lambda column: column.str.len()}
ARGUMENTS: dict[str, Any] = {            # of methods: their types
    "pat": str, "case": bool, "regex": bool, "values": list, "left": int | float | str, "right": int | float | str}


class _Invalid(Exception):
    """Why a query cannot be evaluated."""


def matching_rows(games: pd.DataFrame, query: str) -> np.ndarray:
    """Whether each game satisfies a query: bool (len(games),); '' is satisfied by all.

    With an unknown number (NaN) every comparison but != is false.  Raises BadInput for a text that is not such a query,
    a name that is not a column, operands of the wrong type, and a value that is not true or false for each game.
    """
    if not query:
        return np.ones(len(games), bool)
    with _named("--where", query):
        value = _value(_parse(query), games)
        if not isinstance(value, pd.Series) or value.dtype != bool:
            raise _Invalid("this is not a condition: its value must be true or false for each game")
    return value.to_numpy(bool)


def weights_of_rows(games: pd.DataFrame, expression: str) -> np.ndarray:
    """The value of an expression for each game, float64 (len(games),); conditions are numbers, 1 and 0.

    Raises BadInput as matching_rows does, and for a value that is neither 0 nor within WEIGHTS.
    """
    with _named("--sample-weight", expression):
        value = _value(_parse(expression), games)
        if isinstance(value, list) or _kind(value) == "text":
            raise _Invalid("this is not a weight: its value must be a number for each game")
        weights = np.broadcast_to(np.asarray(value, np.float64), len(games)).copy()
        least, most = WEIGHTS
        if wrong := int((~((weights == 0) | (weights >= least) & (weights <= most))).sum()):
            raise _Invalid(f"a weight must be 0, or from {least:g} to {most:g}, and that of {wrong:,} of "
                           f"{len(games):,} games is not; notna() finds the games that have a rank")
    return weights


def names_in(query: str, schema: dict[str, type], evaluate: Callable = matching_rows) -> set[str]:
    """The columns that a query reads, of tables of this schema.  evaluate: matching_rows or weights_of_rows; raises
    BadInput as it does, but for what only the values of the columns decide.  '' reads none."""
    if not query:
        return set()
    evaluate(pd.DataFrame(columns=list(schema)).astype(schema), query)
    return {node.id for node in ast.walk(_parse(query)) if isinstance(node, ast.Name)} & set(schema)


@contextlib.contextmanager
def _named(option: str, query: str) -> Iterator[None]:
    """Raise what is wrong with a query as BadInput, which names the option and the query."""
    try:
        yield
    except (_Invalid, pa.ArrowInvalid, TypeError, ValueError, ArithmeticError) as error:
        raise BadInput(f"{option} {_shortened(query)!r}: {error}") from None


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


def _value(node: ast.AST, games: pd.DataFrame) -> Any:
    """The value of a node: a Series, a number, a text, a bool, or a list of the last three."""
    match node:
        case ast.Name(name):
            if name not in games:
                raise _Invalid(f"{name!r} is not a column (columns: {', '.join(games.columns)})")
            return games[name]
        case ast.Constant(int() | float() | str() as value):
            if isinstance(value, int) and abs(value) >= 1 << 63:
                raise _Invalid("a whole number has at most 63 bits")
            if isinstance(value, str):
                value.encode()                           # raises for half of a character, a surrogate
            return value
        case ast.List(items) | ast.Tuple(items) | ast.Set(items):
            values = [_value(item, games) for item in items]
            if any(isinstance(value, list | pd.Series) for value in values):
                raise _Invalid("a list contains numbers and strings")
            return values
        case ast.UnaryOp(ast.Not(), operand):
            return ~_condition(_value(operand, games))
        case ast.UnaryOp(ast.USub(), operand):
            value = _value(operand, games)
            return -value if type(value) is int else -_float(value)
        case ast.BinOp(left, ast.Mod(), right):
            return _remainder(_value(left, games), _value(right, games))
        case ast.BinOp(left, operation, right) if type(operation) in _ARITHMETIC:
            return _ARITHMETIC[type(operation)](_float(_value(left, games)), _float(_value(right, games)))
        case ast.BoolOp(operation, operands):
            together = operator.and_ if isinstance(operation, ast.And) else operator.or_
            return functools.reduce(together, [_condition(_value(operand, games)) for operand in operands])
        case ast.Compare(first, operations, others):
            values = [_value(operand, games) for operand in (first, *others)]
            return functools.reduce(operator.and_, map(_compare, operations, values, values[1:]))
        case ast.Subscript(ast.Attribute(column, "str"), ast.Slice(lower, upper, None)):
            ends = [None if end is None else _index(_value(end, games)) for end in (lower, upper)]
            return _text(_value(column, games)).str[slice(*ends)]
        case ast.Subscript(ast.Attribute(column, "str"), index):
            return _text(_value(column, games)).str[_index(_value(index, games))].fillna("")
        case ast.Call(ast.Name("abs"), [argument], []):
            return abs(_float(_value(argument, games)))
        case ast.Call(ast.Attribute(ast.Attribute(column, "str"), name)):
            return _call(node, name, STRING_METHODS, _text(_value(column, games)), games)
        case ast.Call(ast.Attribute(column, name)):
            return _call(node, name, METHODS, _value(column, games), games)
    raise _Invalid(f"{_shortened(ast.unparse(node))!r} is not allowed in a query")


def _call(node: ast.Call, name: str, methods: dict[str, Callable], column: Any, games: pd.DataFrame) -> pd.Series:
    if name not in methods or not isinstance(column, pd.Series):
        raise _Invalid(f"{name} is not a method of queries (of columns: {', '.join(METHODS)}; of column.str: "
                       f"{', '.join(STRING_METHODS)})")
    signature = inspect.signature(methods[name])
    keywords = {str(keyword.arg): _value(keyword.value, games) for keyword in node.keywords}
    arguments = signature.bind(column, *(_value(argument, games) for argument in node.args), **keywords).arguments
    for key, value in list(arguments.items())[1:]:
        if not isinstance(value, ARGUMENTS.get(key, ())):
            raise _Invalid(f"{key} of {name} cannot be {_kind(value)}")
    return methods[name](**arguments)


def _compare(operation: ast.cmpop, left: Any, right: Any) -> pd.Series:
    if isinstance(left, pd.Series) and isinstance(right, list):
        if isinstance(operation, ast.In | ast.Eq):       # pandas: == with a list is `in`
            return left.isin(right)
        if isinstance(operation, ast.NotIn | ast.NotEq):
            return ~left.isin(right)
    if type(operation) not in _COMPARISONS:
        raise _Invalid("`in` needs a column on its left and a list on its right, and `is` is not allowed in a query")
    _check_comparable(left, right)
    if not isinstance(left, pd.Series) and not isinstance(right, pd.Series):
        raise _Invalid("a comparison needs a column")
    return _COMPARISONS[type(operation)](left, right).fillna(False).astype(bool)


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    kind = value.dtype.kind if isinstance(value, pd.Series) else np.asarray(value).dtype.kind
    return {"b": "true or false", "i": "a number", "u": "a number", "f": "a number"}.get(kind, "text")


def _check_comparable(left: Any, right: Any) -> None:
    if _kind(left) != _kind(right) or isinstance(right, list):
        raise _Invalid(f"{_kind(left)} cannot be compared with {_kind(right)}")


def _condition(value: Any) -> pd.Series:
    """A condition; a column of numbers is true where it is not 0."""
    if not isinstance(value, pd.Series) or _kind(value) == "text":
        raise _Invalid(f"`and`, `or` and `not` need conditions, not {_kind(value)}")
    return value != 0


def _float(value: Any) -> Any:
    """A number for arithmetic, 1 and 0 for true and false: columns as float64, so that nothing overflows or wraps
    around."""
    if _kind(value) not in ("a number", "true or false"):
        raise _Invalid(f"arithmetic needs numbers, not {_kind(value)}")
    return value.astype(np.float64) if isinstance(value, pd.Series) else float(value)


def _remainder(left: Any, right: Any) -> Any:
    """left % right; exact for whole numbers, as float64 is not above 2^53: game_hash % 2."""
    if isinstance(left, pd.Series) and left.dtype in (np.int64, np.uint64) and type(right) is int and right > 0:
        return left % np.asarray(right, left.dtype)
    return _float(left) % _float(right)


def _index(value: Any) -> int:
    if type(value) is not int or abs(value) >= MAX_INDEX:
        raise _Invalid(f"an index is a whole number below {MAX_INDEX:,}, not "
                       f"{value if isinstance(value, int) else _kind(value)}")
    return value


def _text(value: Any) -> pd.Series:
    if not isinstance(value, pd.Series) or _kind(value) != "text":
        raise _Invalid(f".str needs a column of text, not {_kind(value)}")
    return value.fillna("")
