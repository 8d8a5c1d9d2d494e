"""What every command needs.

    version          the version, and the name under which pip installs this program
    files            writing whole files only, locks, `BadInput`: bad input, in one line
    limits           numbers that come from outside
    schema           JSON that comes from outside
    options          an option in one place, a field of a dataclass;  config    options from a file, or from Python
    command_table    tables of commands, of GTP and of the terminal
    progress         bars and lines of progress
    parallel         tasks in processes and threads
    machine          its cores, memory and GPUs
    cluster          tasks on the workers of a Dask cluster
    pipes            pipes to other programs, with lines of a bounded length
    intervals        Wilson and other intervals
    sprt             sequential probability ratio tests of matches
    networks         the files of the networks that come with MuGo
    jit              the decorators of compiled functions
    compile_cache    the folder of numba's cache;  shared_cache    the cache there, for several processes
    compile_progress     how many functions are compiled, on stderr and for the page

Imports nothing of mugo.
"""
