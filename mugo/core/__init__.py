"""Files, options, numbers, tasks and compiling, for all packages.  Imports nothing of mugo.

    version          the version, the name that pip knows, the networks that come with MuGo
    files            atomic writes, locks, pipes, `BadInput`: an error in one line
    limits           numbers that come from outside
    options          an option as a field of a dataclass;  config    options from a file, or from Python
    command_table    tables of commands, of GTP and of the terminal
    progress         bars and lines of progress, also of compiling
    parallel         tasks in processes and threads;  program   another program behind pipes
    machine          its cores, memory and GPUs
    cluster          tasks on the workers of a Dask cluster
    intervals        Wilson and other intervals
    sprt             sequential probability ratio tests of matches
    jit              the decorators of compiled functions;  shared_cache    numba's cache, for several processes
"""
