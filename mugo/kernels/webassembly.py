"""The compiled functions of the page in WebAssembly: numba's own code for them, with another target.

    numba's LLVM code of each function --> wasm32 objects, by llvmlite --> wasm-ld --> kernels.wasm
    types of arguments, dtypes of records, constants                   --> kernels.json
    what the server knows                                              --> facts.json

Debian's package lld has the linker, as PyPI's ziglang has (`python -m ziglang wasm-ld`).  Arrays belong to the caller;
what a function allocates itself the caller takes back (static/worker/kernels.js).  `python -m mugo.kernels build
--wasm` runs this with numba set up for it: code for any processor, an empty cache.
"""
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding
import numba
from numba.core.ccallback import CFunc

from mugo.core.files import BadInput
from mugo.core.shared_cache import wasm_key
from mugo.kernels.page import CALLED, CONSTANTS, EXPORTED, RECORDS, SCRATCH, facts
from mugo.nn.int8_kernels import DOT

TRIPLE = "wasm32-unknown-unknown"
LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"
STACK = 1 << 20                          # bytes
# Arrays that the caller made are never freed here.
_NOT_COUNTED = "define internal void @{}(ptr %p) {{\n  ret void\n}}\n"
_NAME = r'@("[^"]+"|[\w.$]+)'


def to_wasm32(code: str, entry: str, name: str) -> str:
    """LLVM code that numba has made for x86-64 or arm64, for wasm32: the function `entry`, as `name`, and what it
    calls."""
    head, *parts = re.split(r"(?m)^(?=define )", code)
    bodies, tail = {}, ""
    for part in parts:
        end = re.search(r"(?m)^}\n", part)
        assert end
        bodies[re.match(rf"define [^@]*{_NAME}", part)[1]] = part[:end.end()]        # type: ignore[index]
        tail += part[end.end():]
    bodies |= {each: _NOT_COUNTED.format(each) for each in ("NRT_incref", "NRT_decref") if each in bodies}
    if bodies.pop(DOT, None):
        tail += "declare <4 x i32> @llvm.wasm.dot(<8 x i16>, <8 x i16>)\n"
        bodies = {each: body.replace(f"@{DOT}(", "@llvm.wasm.dot(") for each, body in bodies.items()}
    found = [entry]
    for each in found:
        found += dict.fromkeys(called for called in re.findall(_NAME, bodies[each])
                               if called in bodies and called not in found)
    code = head + "".join(body for each, body in bodies.items() if each in found) + tail
    code = code.replace(f"@{entry}", f"@{name}")
    for pattern, replacement in (
            (r"(?m)^target datalayout.*$", f'target datalayout = "{LAYOUT}"'),
            (r"(?m)^target triple.*$", f'target triple = "{TRIPLE}"'),
            (r"= common (local_unnamed_addr |unnamed_addr )?global", "= internal global"),
            (r"(?m)^.*@llvm\.(x86|aarch64)\..*$", ""),                    # pauses of spin locks
            (r'"(target-cpu|target-features|tune-cpu)"="[^"]*"', ""),
            (r"alloca (\{[^}]*\}|ptr|\[[^\]]*\])(?=, align)(?:, align 8)?", _padded)):
        code = re.sub(pattern, replacement, code)
    return code


def _padded(alloca: re.Match) -> str:
    """Room on the stack as numba's code addresses it, by pointers of 8 bytes."""
    if "ptr" not in alloca[1]:
        return alloca[0]
    words = len(re.findall(r"ptr|i64|double|i32|i8", alloca[1]))
    words += sum(int(n) - 1 for n in re.findall(r"\[(\d+) x", alloca[1]))
    return f"alloca [{words} x i64], align 8"


class _Function(NamedTuple):
    """name: in kernels.json.  code: LLVM's.  entry: the function's name there.  takes, gives: its numba.types."""
    name: str
    code: str
    entry: str
    takes: Sequence[numba.types.Type]
    gives: numba.types.Type


def _compiled() -> Iterator[_Function]:
    options: Any = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    for name, (function, arguments) in EXPORTED.items():
        dispatcher: Any = numba.njit(nogil=True, **options)(function.py_func)
        dispatcher.compile(arguments)
        (made,) = dispatcher.overloads.values()
        yield _Function(name, made.library.get_llvm_str(), made.fndesc.llvm_func_name, arguments,
                        made.signature.return_type)
    for name, (function, signature) in CALLED.items():
        compiled: Any = CFunc(function.py_func, (signature.args, signature.return_type), locals={}, options={})
        compiled.compile()
        yield _Function(f"called_{name}", compiled.inspect_llvm(), compiled.native_name, signature.args,
                        signature.return_type)


def _object_of(code: str, name: str) -> bytes:
    module = binding.parse_assembly(code)
    module.verify()
    for function in module.functions:
        if not function.is_declaration and function.name != name:
            function.linkage = "internal"
    machine = binding.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES, reloc="static")
    tuning = binding.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    passes = binding.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(module, passes)
    return machine.emit_object(module)


def linker() -> list[str]:
    """The command of the linker.  Raises BadInput without one."""
    for name in "wasm-ld", "wasm-ld-19", "wasm-ld-18", "wasm-ld-17", "wasm-ld-16", "wasm-ld-15", "wasm-ld-14":
        if path := shutil.which(name):
            return [path]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    raise BadInput("no linker for WebAssembly: `apt install lld` or `pip install ziglang` has one")


def describe_type(kind: numba.types.Type) -> Any:
    """A type of an argument or a result, in JSON: "int64", "record", {"array": dimensions}, or a list for a tuple."""
    if isinstance(kind, numba.types.Array):
        is_record = isinstance(kind.dtype, numba.types.Record)
        return {"array": kind.ndim, "item": "record" if is_record else str(kind.dtype)}
    if isinstance(kind, numba.types.Record):
        return "record"
    if isinstance(kind, numba.types.UniTuple | numba.types.Tuple | numba.types.NamedTuple | numba.types.NamedUniTuple):
        return [describe_type(each) for each in kind.types]
    return str(kind)


def describe_dtype(dtype: np.dtype) -> dict[str, Any]:
    """The fields of a record: name -> [offset, type, how many], a record's type being its own fields; and "size"."""
    fields = {}
    for name, (of, offset, *_) in (dtype.fields or {}).items():
        base, shape = of.subdtype or (of, ())
        count = int(np.prod(shape)) if shape else 1
        fields[name] = [offset, describe_dtype(base) if base.names else base.name, count]
    return {"size": dtype.itemsize, "fields": fields}


def build_wasm(folder: Path) -> None:
    """Write kernels.wasm, kernels.json and facts.json into a folder.  Raises BadInput without a linker."""
    link = linker()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    folder.mkdir(parents=True, exist_ok=True)
    functions = {}
    with TemporaryDirectory() as made:
        objects = []
        for each in _compiled():
            entry = each.entry if re.fullmatch(r"[\w.$]+", each.entry) else f'"{each.entry}"'
            symbol = f"f_{each.name}"
            objects.append(Path(made, f"{symbol}.o"))
            objects[-1].write_bytes(_object_of(to_wasm32(each.code, entry, symbol), symbol))
            if each.name in EXPORTED:
                functions[each.name] = {"takes": [describe_type(kind) for kind in each.takes],
                                        "gives": describe_type(each.gives)}
        done = subprocess.run([
            *link, "--no-entry", "--gc-sections", "--strip-all", "--allow-undefined", "--export-table",
            "--growable-table", "--export=__heap_base", f"-zstack-size={STACK}",
            *(f"--export={each.stem}" for each in objects), *map(str, objects),
            "-o", str(folder / "kernels.wasm")], capture_output=True, text=True)
    if done.returncode:
        raise BadInput(f"{' '.join(link)} failed: {done.stderr[-500:]}")
    described = {"sources": wasm_key(), "functions": functions, "called": list(CALLED), "scratch": SCRATCH,
                 "constants": CONSTANTS, "records": {name: describe_dtype(dtype) for name, dtype in RECORDS.items()}}
    for name, content in ("kernels", described), ("facts", facts()):
        (folder / f"{name}.json").write_text(json.dumps(content, separators=(",", ":")))


if __name__ == "__main__":
    try:
        build_wasm(Path(sys.argv[1]))
    except BadInput as problem:
        sys.exit(str(problem))
