"""Errors of the operating system in words: what happened, and what to do."""

from __future__ import annotations

import errno
import re

FULL = (errno.ENOSPC, errno.EDQUOT)
WHILE_WRITING = (*FULL, errno.EFBIG)
"""Errors of an open file, which Python raises without a path."""

_TEMPORARY = re.compile(r"(^|/)\.([^/]+)\.[0-9a-f]{8}\.(?:tmp|partial)(?=/|$)")
"""Names of `corpora.storage.atomic` for what is being written. The user has named the output."""

_CAUSES = {
    errno.ENOSPC: ("the disk is full", "free some space (or inodes)"),
    errno.EDQUOT: ("the disk quota is used up", "free some space"),
    errno.EFBIG: ("the file is larger than the disk or the limit of the process allows", "raise the limit"),
    errno.EMFILE: ("too many files are open", "raise the limit with `ulimit -n`"),
    errno.ENFILE: ("too many files are open on this machine", "end other programs"),
    errno.ENOMEM: ("there is not enough memory", "end other programs"),
    errno.ENAMETOOLONG: ("the path is too long", "use shorter names"),
    errno.ELOOP: ("the path is a circle of links", "correct the links"),
    errno.ENOENT: ("it does not exist", "check the path"),
    errno.ENOTDIR: ("a part of the path is a file", "check the path"),
    errno.EISDIR: ("it is a folder", "name a file"),
    errno.EACCES: ("there is no permission", "change its permissions"),
    errno.EPERM: ("the operation is not permitted", "change its permissions or its owner"),
    errno.EROFS: ("the disk is read-only", "use another one"),
    errno.ESTALE: ("the network disk no longer has it", "connect the disk again"),
    errno.EIO: ("the disk could not be read or written", "check the disk"),
    errno.EBADF: ("it is closed", "open it, or redirect it to a file"),
    errno.EINTR: ("the operation was interrupted", "run the command again"),
    errno.ETXTBSY: ("another program uses it", "end that program"),
    errno.EBUSY: ("another program uses it", "end that program"),
}


def explained(error: OSError, what: str) -> str:
    """One sentence for an error: the file that it names, or else `what`; the cause; the remedy."""
    cause, remedy = _CAUSES.get(error.errno or 0, (error.strerror or str(error), "check the path and its disk"))
    return f"{_path(error) or what} cannot be used: {cause}; {remedy}"


def _path(error: OSError) -> str:
    path = error.filename
    name = path.decode(errors="backslashreplace") if isinstance(path, bytes) else str(path or "")
    return _TEMPORARY.sub(r"\1\2", name)
