"""Compiled functions that a wheel carries, so that the first move after an installation need not wait for a compiler.

    __main__     python -m mugo.kernels build

The build writes the folder PLATFORM-KEY next to this file; mugo/core/shared_cache.py reads it.
"""
