"""`nlmchem.load`. Its signature, its documentation and its stub are made from the steps.

Editors and type checkers read the stub. To write it again after a change of an option:

    python -c 'from nlmchem.api.loading import stub; print(stub())' > nlmchem/__init__.pyi
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

from corpora.commands.options import Option, options_of
from corpora.errors import command
from nlmchem.api.concepts import names_files
from nlmchem.api.other_tools import LOAD, unknown_argument
from nlmchem.api.pipeline import build_pipeline
from nlmchem.commands.functions import described, signature_of, stub_lines
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

_WIDER = {"steps": "str | Sequence[str | Callable[[Article], object]]", "names": "OwnTables"}
"""The types of arguments that take more than their options: functions, and names without a file."""

_STUB_IMPORTS = {
    "concepts": ("Candidate", "Concept", "OwnTables", "define", "lookup"),
    "files": ("read", "write"),
    "mention": ("Mention",),
    "pipeline": ("Pipeline",),
    "results": ("Article", "Articles", "Collection"),
}
"""Names of the stub apart from `load`, by module."""


def load(tagger: Any = TagOptions.tagger, **options: Any) -> Pipeline:
    # The documentation is set below.
    names = {option.name for option in _arguments()}
    for name in options:
        if name not in names:
            raise unknown_argument(LOAD, name)
    functions: list[tuple[Any, str | None]] = []
    if isinstance(steps := options.get("steps"), list | tuple):
        before: str | None = None
        for step in steps:
            if callable(step):
                functions.append((step, before))
                before = step.__name__
            else:
                before = step
        options["steps"] = [step for step in steps if not callable(step)]
    if not isinstance(options.get("names", ""), str):
        options["names"] = names_files(options["names"])
    pipeline = build_pipeline(Configuration.of(tagger=tagger, **options).parse())
    for function, after in functions:
        pipeline.add_pipe(function, after=after)
    return pipeline


def _arguments() -> list[Option]:
    """The options of `load`, the tagger first."""
    given = [option for option in options_of(Configuration) if option.name not in _OF_FILES]
    return sorted(given, key=lambda option: option.name != _FIRST)


def _annotation(option: Option) -> str:
    """The type of an argument: any sequence for a tuple, and a path for the name of a file."""
    if option.name in _WIDER:
        return _WIDER[option.name]
    if option.is_list:
        return f"str | Sequence[{get_args(option.type)[0].__name__}]"
    types = [kind.__name__ for kind in option.types] + ["PathLike[str]"] * option.by_content
    return " | ".join(types + ["None"] * (NoneType in get_args(option.type)))


_SIGNATURE = signature_of(_arguments(), (_FIRST,), _annotation, "Pipeline")


def stub() -> str:
    """The content of `nlmchem/__init__.pyi`."""
    # `as` marks a name that the package exports.
    imports = [
        f"from nlmchem.api.{module} import {name}" + ("" if name in ("OwnTables", "Pipeline") else f" as {name}")
        for module, names in _STUB_IMPORTS.items()
        for name in names
    ]
    return "\n".join(
        [
            "# Written by `nlmchem.api.loading.stub`; a test compares it with the steps.",
            "from collections.abc import Callable, Sequence",
            "from os import PathLike",
            "",
            *imports,
            "",
            "from . import commands as commands",
            "",
            "__version__: str",
            "",
            *stub_lines("load", _SIGNATURE),
        ]
    )


_LISTED = "\n".join(described(option, 120, indent=8) for option in _arguments())

load.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
load.__doc__ = f"""A pipeline that annotates texts and documents: `pipe = load(); pipe("some text").mentions`.

    The arguments are the options of {command("annotate")}. Without arguments the pipeline has the models and the
    lexicon that come with the package. `steps` may contain functions on an article: `steps=["tag", function]`. `names`
    may be names without a file: `names={{"XR-9051": "MY:1"}}`, rows, or a data frame.

    Args:
{_LISTED}

    Raises:
        ConfigurationError: An argument has a wrong value, or arguments contradict each other.
        ResourceError: A lexicon or a model is missing or cannot be read.
    """
