"""`nlmchem.load`. Its signature, its documentation and its stub are made from the steps.

Editors and type checkers read the stub. To write it again after a change of an option:

    python -c 'from nlmchem.api.loading import stub; print(stub())' > nlmchem/__init__.pyi
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

from corpora.commands.options import Option, options_of
from corpora.errors import command
from nlmchem.api.other_tools import LOAD, unknown_argument
from nlmchem.api.pipeline import build_pipeline
from nlmchem.run.plan import Configuration
from nlmchem.steps.tag import TagOptions

if TYPE_CHECKING:
    from nlmchem.api.pipeline import Pipeline

_OF_FILES = (
    "format", "identifiers", "lines", "offsets", "per_file", "text_column", "id_column", "with_abbreviations",
)  # fmt: skip
"""Options that `load` does not have: it neither writes nor reads files."""

_FIRST = "tagger"
"""The argument that can be given without its name."""

_STUB_IMPORTS = {
    "concepts": ("Candidate", "Concept", "define", "lookup"),
    "files": ("read", "write"),
    "mention": ("Mention",),
    "pipeline": ("Pipeline",),
    "results": ("Article", "Collection"),
}
"""Names of the stub apart from `load`, by module."""


def load(tagger: Any = TagOptions.tagger, **options: Any) -> Pipeline:
    # The documentation is set below.
    configuration = Configuration.of(tagger=tagger, **_known(options))
    return build_pipeline(configuration.parse())


def _known(options: dict[str, Any]) -> dict[str, Any]:
    names = {option.name for option in _arguments()}
    for name in options:
        if name not in names:
            raise unknown_argument(LOAD, name)
    return options


def _arguments() -> list[Option]:
    """The options of `load`, the tagger first: it can be given without its name."""
    given = [option for option in options_of(Configuration) if option.name not in _OF_FILES]
    return sorted(given, key=lambda option: option.name != _FIRST)


def _annotation(option: Option) -> str:
    """The type of an argument: any sequence for a tuple, and a path for the name of a file."""
    if option.is_list:
        return f"str | Sequence[{get_args(option.type)[0].__name__}]"
    types = [kind.__name__ for kind in option.types] + ["PathLike[str]"] * option.by_content
    return " | ".join(types + ["None"] * (NoneType in get_args(option.type)))


def _signature() -> inspect.Signature:
    kinds = inspect.Parameter
    return inspect.Signature(
        [
            kinds(
                option.name,
                kinds.POSITIONAL_OR_KEYWORD if option.name == _FIRST else kinds.KEYWORD_ONLY,
                default=option.default,
                annotation=_annotation(option),
            )
            for option in _arguments()
        ],
        return_annotation="Pipeline",
    )


def _documentation() -> str:
    listed = "\n".join(_described(option) for option in _arguments())
    return f"""A pipeline that annotates texts and documents: `pipe = load(); pipe("some text").mentions`.

    The arguments are the options of {command("annotate")}. Without arguments the pipeline has the models and the
    lexicon that come with the package.

    Args:
{listed}

    Raises:
        ConfigurationError: An argument has a wrong value, or arguments contradict each other.
        ResourceError: A lexicon or a model is missing or cannot be read.
    """


def _described(option: Option) -> str:
    default = option.default_text or (", ".join(option.default) if option.is_list else option.default)
    text = f"{option.name}: {option.help} Default: {default}."
    return textwrap.fill(text, 120, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False)


def stub() -> str:
    """The content of `nlmchem/__init__.pyi`."""
    return "\n".join(_stub_lines())


def _stub_lines() -> Iterator[str]:
    yield "# Written by `nlmchem.api.loading.stub`; a test compares it with the steps."
    yield "from collections.abc import Sequence"
    yield "from os import PathLike"
    yield ""
    for module, names in _STUB_IMPORTS.items():
        # `as` marks a name that the package exports.
        yield from (
            f"from nlmchem.api.{module} import {name}{'' if name == 'Pipeline' else f' as {name}'}" for name in names
        )
    yield ""
    yield "from . import commands as commands"
    yield ""
    yield "__version__: str"
    yield ""
    yield "def load("
    for parameter in _signature().parameters.values():
        yield f"    {parameter.name}: {parameter.annotation} = ...,"
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            yield "    *,"
    yield ") -> Pipeline: ..."


load.__signature__ = _signature()  # type: ignore[attr-defined]
load.__doc__ = _documentation()
