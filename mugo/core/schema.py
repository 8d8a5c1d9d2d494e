"""JSON values checked against a schema; an error names the first value that does not fit.

    check_value(metadata, Object({"options": Object({"seed": integer(0)})}), "run/checkpoint.safetensors")
    BadInput: run/checkpoint.safetensors: options.seed is "x", expected an integer of at least 0

A schema is one of these:

    Test            a function of the value, and the words for what it accepts
    [schema]        a list of any length
    Object          an object; its fields have schemas
"""
import json
import math
import types
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple, get_args

from mugo.core.files import BadInput


class Test(NamedTuple):
    is_good: Callable[[Any], bool]
    expected: str


@dataclass(frozen=True)
class Object:
    """An object.  required, optional: schemas of fields by name.  others: the schema of other fields; None: there are
    none.  may_be_empty: whether {} is accepted as well."""

    required: dict[str, Any]
    optional: dict[str, Any] = field(default_factory=dict)
    others: Any = None
    may_be_empty: bool = False


def integer(least: float = -2**62, most: float = 2**62) -> Test:
    """An integer in a range, both ends included."""
    limits = [f"{word} {limit}" for word, limit in (("at least", least), ("at most", most)) if abs(limit) < 2**62]
    return Test(lambda value: type(value) is int and least <= value <= most,
                " ".join(["an integer", *["of"] * bool(limits), " and ".join(limits)]).strip())


def number(least: float = -math.inf, most: float = math.inf) -> Test:
    """A finite number in a range, both ends included."""
    limits = f" of at least {least:g}" if least > -math.inf else ""
    if most < math.inf:
        limits = f" from {least:g} to {most:g}"
    return Test(lambda value: type(value) in (int, float) and least <= value <= most and abs(value) < 1e300,
                f"a number{limits}")


def optional(schema: Any) -> Any:
    """null, or what the schema describes."""
    if isinstance(schema, Test):
        return Test(lambda value: value is None or schema.is_good(value), f"{schema.expected}, or null")
    return _Optional(schema)


class _Optional(NamedTuple):
    schema: Any


TEXT = Test(lambda value: isinstance(value, str), "text")
BOOLEAN = Test(lambda value: isinstance(value, bool), "true or false")
ANYTHING = Test(lambda value: True, "anything")


def object_of(kind: type) -> Object:
    """The schema of dataclasses.asdict of a dataclass whose fields are numbers, texts, booleans and dataclasses."""
    schemas = {each.name: _schema_of(each.type) for each in fields(kind)}
    required = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    return Object({name: schema for name, schema in schemas.items() if name in required},
                  {name: schema for name, schema in schemas.items() if name not in required})


def _schema_of(kind: Any) -> Any:
    if isinstance(kind, types.UnionType):
        (inner,) = (each for each in get_args(kind) if each is not types.NoneType)
        return optional(_schema_of(inner))
    if is_dataclass(kind):
        return object_of(kind)  # pyright: ignore[reportArgumentType]
    return {int: integer(), float: number(), str: TEXT, bool: BOOLEAN}[kind]


def check_value(value: Any, schema: Any, source: str, name: str = "") -> None:
    """Raise BadInput, which names the source, the field and what is expected, unless a value fits a schema."""
    if isinstance(schema, _Optional):
        if value is not None:
            check_value(value, schema.schema, source, name)
    elif isinstance(schema, Test):
        _expect(schema.is_good(value), value, schema.expected, source, name)
    elif isinstance(schema, list):
        _expect(isinstance(value, list), value, "a list", source, name)
        for i, item in enumerate(value):
            check_value(item, schema[0], source, f"{name}[{i}]")
    elif not (schema.may_be_empty and value == {}):
        expected = f"an object with {', '.join(schema.required)}" if schema.required else "an object"
        _expect(isinstance(value, dict), value, expected, source, name)
        where = f"{source}: {name[:100] or 'it'} has"
        for key in schema.required:
            if key not in value:
                raise BadInput(f"{where} no {key!r}, expected {expected}")
        for key in value:
            if schema.others is None and key not in schema.required and key not in schema.optional:
                raise BadInput(f"{where} a field {key!r:.60}, expected {expected}")
        known = schema.required | schema.optional
        for key, item in value.items():
            check_value(item, known.get(key, schema.others), source, f"{name}.{key}".lstrip("."))


def _expect(is_good: bool, value: Any, expected: str, source: str, name: str) -> None:
    if not is_good:
        try:
            shown = json.dumps(value)[:60]
        except (ValueError, RecursionError):             # more digits than Python writes
            shown = f"a {type(value).__name__}"
        raise BadInput(f"{source}: {name[:100] or 'it'} is {shown}, expected {expected}")
