"""Compiled functions that need no compiler where they run.

    page         what the page needs without a server: functions, opponents, rules, settings
    webassembly  those in WebAssembly, for a browser
    __main__     python -m mugo.kernels build: those of a wheel, so that the first move need not wait for a compiler

The build for a wheel writes the folder PLATFORM-KEY next to this file, which mugo/core/shared_cache.py reads; that for
browsers the folder wasm.
"""
