"""The errors of this project: one base class, and one class for each consequence.

The command line prints an error as one plain sentence; only `--debug` shows a traceback. A message states what is
wrong, where, and what to do. It contains options as data (`Argument`), because their names are spelled in two ways:

    raise ResourceError("no CUDA device found; use ", Argument("device", "cpu"))

In Python the message ends with `use device="cpu"`, on the command line with `use --device cpu` (`with_flags` of
corpora/commands/options.py).
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self


@dataclass(frozen=True, slots=True)
class Argument:
    """An option in a message, with the value that the message gives it. `str`: `device="cpu"`, or `device` alone."""

    name: str
    value: str | int | bool | None = None

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={self.value}"


class Text(str):
    """A text with options in it. As a `str` it names them as in Python; `parts` has them as data."""

    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Self:
        text = super().__new__(cls, "".join(map(str, parts)))
        text.parts = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Text) else (part,)))
        return text


def command(*words: str, **options: object) -> str:
    """A command of nlmchem in a message: it is the same in Python and on the command line.

    >>> command("fetch", "mesh", year=2024), command("fetch", list=True)
    ('`nlmchem fetch mesh --year 2024`', '`nlmchem fetch --list`')
    """
    named = (("--" + name.replace("_", "-"), value) for name, value in options.items())
    flags = (flag if value is True else f"{flag} {value}" for flag, value in named)
    return f"`{' '.join(('nlmchem', *words, *flags))}`"


DAMAGE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""What reading an edited or damaged record raises: missing keys, other types, numbers and depths without limit."""


_JSON = {
    "Expecting value": "a value is missing",
    "Expecting property name enclosed in double quotes": 'a key in "..." is missing',
    "Expecting ':' delimiter": "the : after a key is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Illegal trailing comma before end of object": "a comma is at the end of an object",
    "Illegal trailing comma before end of array": "a comma is at the end of a list",
    "Unterminated string starting at": "a text has no end",
    "Extra data": "more text follows after the end",
}
_VALUES = (
    (re.compile("integer string conversion"), "a number has too many digits"),
    (re.compile(r"(?:string to float|invalid literal for int\(\) with base \d+): (.*)"), r"\1 is not a number"),
    (re.compile("values? to unpack"), "a list has another length than expected"),
    (re.compile("float NaN"), "NaN is not a number"),
)  # fmt: skip
"""Messages of Python, and what is said in their place."""


def damage(error: Exception) -> str:
    """What is wrong with a text or record, in words: the reason of an error of `DAMAGE`, or of the system."""
    match error:
        case KeyError():
            return f"{shortened(repr(error.args[0]))} is missing"
        case IndexError():
            return "a list is too short"
        case RecursionError():
            return "it is nested too deeply"
        case OverflowError():
            return "a number is too large"
        case TypeError() | AttributeError():
            return "a value has another type than expected"
        case UnicodeDecodeError():
            return f"byte {error.start} is not UTF-8"
        case json.JSONDecodeError():
            return f"{_JSON.get(error.msg, error.msg)}, line {error.lineno}, column {error.colno}"
        case OSError():
            return error.strerror or type(error).__name__
    said = str(error)
    return shortened(next((match.expand(words) for known, words in _VALUES if (match := known.search(said))), said))


# -- errors of the operating system -------------------------------------------------------------

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


def system_error(error: OSError, what: str) -> str:
    """One sentence for an error: the file that it names, or else `what`; the cause; the remedy."""
    cause, remedy = _CAUSES.get(error.errno or 0, (error.strerror or str(error), "check the path and its disk"))
    path = error.filename
    name = path.decode(errors="backslashreplace") if isinstance(path, bytes) else str(path or "")
    name = _TEMPORARY.sub(r"\1\2", name)
    return f"{name or what} cannot be used: {cause}; {remedy}"


def is_panic(error: BaseException) -> bool:
    """Whether a library in Rust has failed in a way that it did not expect: a damaged tokenizer can cause it."""
    return type(error).__name__ == "PanicException"


def shortened(value: str, limit: int = 100) -> str:
    """A value from an input for a message: its beginning, where it is longer than `limit` characters."""
    return value if len(value) <= limit else f"{value[:limit]}..."


class NlmchemError(Exception):
    """Base class of all errors that this project raises. The arguments are the parts of the message."""

    exit_code = 1
    flags: Mapping[str, str] = MappingProxyType({})
    """How a command line spells the options of its command that have flags of other names."""

    def __init__(self, *parts: str | Argument) -> None:
        super().__init__(*parts)

    @property
    def text(self) -> Text:
        """The message with its options as data."""
        return Text(*self.args)

    def __str__(self) -> str:
        return str(self.text)


class ConfigurationError(NlmchemError):
    """Wrong usage or configuration, detected before any work."""

    exit_code = 2


class OptionError(ConfigurationError):
    """An option has a wrong value. The message consists of the name of the option and the problem."""

    def __init__(self, option: str, *problem: str | Argument) -> None:
        # All are arguments of the exception, so that it can be pickled.
        super().__init__(option, *problem)
        self.option = option

    @property
    def problem(self) -> Text:
        """The message without the name of the option."""
        return Text(*self.args[1:])

    @property
    def text(self) -> Text:
        return Text(Argument(self.option), " ", self.problem)


class ResourceError(NlmchemError):
    """Something that the whole run needs is missing: a lexicon, a model, a writable disk, a cluster."""

    exit_code = 2


class InputError(NlmchemError):
    """An input file cannot be read (further). The run continues with the next file."""

    exit_code = 3


class UnclaimedError(InputError):
    """The content of a file has none of the formats that are read, for example a picture or a PDF.

    Folders and archives contain such files; they are skipped and counted.
    """


class ArticleError(NlmchemError):
    """One article cannot be read, annotated or written. The run continues with the next article."""

    exit_code = 3
