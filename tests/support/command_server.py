"""A process that has imported the packages and forks for each command, so that commands need no imports.

It annotates without workers. `served` starts it and makes `nlmchem` and `python` (`-c` only) that send it their
arguments, environment, folder and standard streams.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

SENDER = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    call = json.dumps([dict(os.environ), os.getcwd(), os.path.basename(sys.argv[0]), *sys.argv[1:]])
    socket.send_fds(server, [call.encode()], [0, 1, 2])
    code = server.recv(1)
    server.recv(1)  # returns when the command's process has ended
    sys.exit(code[0])
"""


@contextmanager
def served(folder: Path, *left_out: str) -> Iterator[Path]:
    """Start the process. Yields a folder for PATH, below `folder`.

    `left_out`: packages that are not imported before a command needs them.
    """
    commands, address = folder / "bin", str(folder / "server")
    commands.mkdir()
    for name in ("nlmchem", "python"):
        (commands / name).write_text(SENDER.format(python=sys.executable, address=address))
        (commands / name).chmod(0o755)
    server = subprocess.Popen([sys.executable, __file__, address, *left_out], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield commands
    finally:
        server.kill()
        server.wait()


def _import_all(left_out: Sequence[str]) -> None:
    """Import the packages. Nothing is computed: threads do not survive a fork."""
    sys.modules.update(dict.fromkeys(left_out))  # what is None there cannot be imported
    for name in ("corpora", "sieves", "indexing", "ensemble", "nlmchem"):
        for module in pkgutil.walk_packages(import_module(name).__path__, f"{name}."):
            with suppress(ImportError):
                import_module(module.name)
    for name in left_out:
        del sys.modules[name]


def _serve(address: str, *left_out: str) -> None:
    from nlmchem.engine import runner
    from nlmchem.engine.executors import InlineExecutor

    _import_all(left_out)
    gc.freeze()  # the forks need not copy what is collected at their end
    runner.LocalExecutor = InlineExecutor  # type: ignore[assignment, misc]
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        os.write(1, b"ready\n")
        while True:
            caller, _ = server.accept()
            call, streams, _, _ = socket.recv_fds(caller, 1 << 20, 3)
            if os.fork() == 0:
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                    os.close(stream)
                caller.send(bytes([_run(*json.loads(call))]))
                # As Python ends, so that loky ends its workers. To free all modules as well takes half a second.
                threading._shutdown()  # type: ignore[attr-defined]
                atexit._run_exitfuncs()
                os._exit(0)
            for stream in streams:
                os.close(stream)
            caller.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _run(variables: dict[str, str], folder: str, *words: str) -> int:
    """Run a command in an environment and a folder. Returns its exit code."""
    import traceback

    from nlmchem.cli import main

    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    sys.argv = list(words)
    sys.stdin, sys.stdout, sys.stderr = open(0, closefd=False), open(1, "w", closefd=False), open(2, "w", closefd=False)
    try:
        exec(words[2], {"__name__": "__main__"}) if words[0] == "python" else main()
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    _serve(*sys.argv[1:])
