"""Locks on outputs: two commands do not write to one output at the same time.

A lock is an `flock` of a hidden file beside the output, `.NAME.nlmchem-lock`, which contains the process that holds it.
The operating system releases it when the process ends, also when it is killed; the file that a killed process leaves
is used by the next command, and removed. Within a process a lock can be taken several times: it is held until the last
`Hold` is closed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import re
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from corpora.errors import ConfigurationError, ResourceError
from corpora.reporting import Report, log
from corpora.words.quantities import duration

SUFFIX = ".nlmchem-lock"
_LONGEST = 220
"""Bytes of a name that gets a prefix and a suffix."""
QUIET, WAIT = 2.0, 600.0
"""Seconds after which a wait for another process is reported, and ends."""

_HOLDER = re.compile(r"(?:(\d+) ([^\n]*)\n)?")
_WITHOUT_LOCKS = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.ENOLCK, errno.ENOSYS)
"""Errors of file systems that have no locks, such as some network file systems."""
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)


class Hold:
    """One use of a lock. It ends with `close`, or with the object."""

    __slots__ = ("_lock",)

    def __init__(self, lock: _Lock | None) -> None:
        self._lock = lock

    def __bool__(self) -> bool:
        return self._lock is not None

    def close(self) -> None:
        """End this use. The last use of a lock releases it."""
        self._lock = None

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def hold(path: Path, shared: bool = False) -> Hold:
    """Lock an output, a file or a folder, which may not exist yet.

    `shared`: other processes may hold the lock too, if they take it as shared. A device is not locked, and neither is
    an output whose folder does not exist yet: take its lock when that folder is made. The lock of a folder is also that
    of the outputs in it. Raises `ConfigurationError` where another process holds the lock, and `OSError`.
    """
    real = Path(os.path.realpath(path))
    # The real path of a pipe, as /dev/stdout has it, has no folder.
    is_device = path.exists() and not (path.is_file() or path.is_dir())
    if is_device or not real.parent.is_dir():
        return Hold(None)
    files = [_beside(real)]
    if real.is_dir():
        # The folder above it may be read-only.
        files.append(real / SUFFIX)
    for folder in real.parents:
        # An output in a folder that this process has locked.
        if (lock := _LOCKS.get(str(_beside(folder))) or _LOCKS.get(str(folder / SUFFIX))) is not None:
            return Hold(lock)
    for file in files:
        if (lock := _LOCKS.get(str(file))) is not None:
            return Hold(lock)
        try:
            return Hold(_Lock(file, path, shared))
        except OSError as error:
            if error.errno not in _NOT_ALLOWED:
                raise
    return Hold(None)


def is_lock(name: str) -> bool:
    return name.startswith(".") and name.endswith(SUFFIX)


def short_name(name: str) -> str:
    """A file name that leaves room for a prefix and a suffix: file systems allow 255 bytes."""
    return os.fsencode(name)[:_LONGEST].decode(errors="ignore")


def may_be_cut(name: str) -> bool:
    """Whether a file name may be one that `short_name` has cut, which can cut up to three more bytes of a character."""
    return _LONGEST - 3 <= len(os.fsencode(name)) <= _LONGEST


def lock_descriptor(descriptor: int, operation: int = fcntl.LOCK_EX) -> bool:
    """Lock an open file until it is closed. False: another process has locked it. Raises `OSError`."""
    try:
        fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise
    return True


def wait_for(attempt: Callable[[], bool], path: Path, report: Report = log) -> None:
    """Repeat an attempt to lock a file until it succeeds: for work of seconds, which a stopped process never ends.

    Raises `ResourceError` where another process has the file for too long.
    """
    begun, is_reported = time.monotonic(), False
    while not attempt():
        waited = time.monotonic() - begun
        if waited > WAIT:
            raise ResourceError(f"another process has used {path} for {duration(WAIT)}; end it, or try again later")
        if waited > QUIET and not is_reported:
            is_reported = True
            report(f"another process uses {path}; waiting for it, {duration(WAIT)} at most")
        time.sleep(0.05)


def _beside(path: Path) -> Path:
    return path.parent / f".{short_name(path.name)}{SUFFIX}"


class _Lock:
    """A lock of this process, released when the object ends or the interpreter exits."""

    __slots__ = ("__weakref__",)

    def __init__(self, file: Path, path: Path, shared: bool) -> None:
        descriptor = _acquired(file, path, shared)
        weakref.finalize(self, _release, descriptor, file, os.getpid())
        _LOCKS[str(file)] = self


_LOCKS: weakref.WeakValueDictionary[str, _Lock] = weakref.WeakValueDictionary()
"""The locks of this process by their files: `flock` would let a process wait for itself."""


def _acquired(file: Path, path: Path, shared: bool) -> int:
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            holder = _HOLDER.fullmatch(os.read(descriptor, 1 << 10).decode(errors="replace"))
            if holder is None:
                raise ConfigurationError(f"{file} is not a lock of nlmchem; move it away")
            if not lock_descriptor(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX):
                who = f" (process {holder[1]} on {holder[2]})" if holder[1] else ""
                raise ConfigurationError(
                    f"another nlmchem command{who} works in {path}; wait until it ends, or name another output"
                )
            # The process that held the lock before may have removed the file since it was opened.
            if _is_at(descriptor, file):
                # On a full disk the file stays empty.
                with suppress(OSError):
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, f"{os.getpid()} {platform.node()}\n".encode(), 0)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _release(descriptor: int, file: Path, process: int) -> None:
    # A forked process has the same descriptor, but the lock is not its own.
    with suppress(OSError):
        if os.getpid() == process and lock_descriptor(descriptor) and _is_at(descriptor, file):
            file.unlink()
    with suppress(OSError):
        os.close(descriptor)


def _is_at(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False
