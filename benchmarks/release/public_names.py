"""The public names of Python, with their parameters and attributes (docs/reference/public.md).

    python -m benchmarks.release.public_names > tests/public_names.txt

A test compares the list with the code. Before you write it again, add a line to CHANGELOG.md under Added, Changed,
Deprecated or Removed.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from nlmchem import companions
from nlmchem.api.results import ATTRIBUTES


def _has_public_names(companion: str) -> bool:
    return hasattr(import_module(f"nlmchem.companions.{companion}"), "__all__")


MODULES: dict[str, tuple[str, ...]] = {
    "nlmchem": (),
    "corpora": (),
    "corpora.datasets": ("open_corpus",),
    "corpora.datasets.cards": ("Card", "read_card"),
    "corpora.formats.format": ("Folder", "Format", "Header", "Joined", "Reader", "Table"),
    "corpora.model.document": ("Definition", "Evidence", "IndexTerm", "add_mention"),
    "corpora.plugins": ("versions",),
    "ensemble": (),
    "ensemble.silver": ("read_silver",),
    "indexing": (),
    "indexing.terms.registry": ("IndexerEntry",),
    "nlmchem.abbreviations": ("Expander", "annotate", "define", "detect"),
    "corpora.commands.options": ("option",),
    "nlmchem.api.pipeline": ("Pipeline",),
    "nlmchem.abbreviations.undefined": ("Expanded", "SenseQuery", "SenseSource"),
    "nlmchem.api.attributes": ("Attribute",),
    "nlmchem.run.observers": ("Observer", "Recorder"),
    "nlmchem.run.step": ("Chosen", "Context", "NoOptions", "Stage", "Step", "absolute_path", "options_in"),
    "nlmchem.steps.shared": ("ExistingOptions",),
    "sieves.lexicon.options": ("LexiconOptions", "YearOptions"),
    "nlmchem.tagging.inference.scoring": ("SpanTagger",),
    "nlmchem.tagging.registry": ("Tagger", "TaggerChoice"),
    "sieves": (),
    "sieves.registry": ("SieveEntry",),
    **{
        f"nlmchem.companions.{one.name}": () for one in iter_modules(companions.__path__) if _has_public_names(one.name)
    },
}
"""Modules and their public names. A module without a list here has the names of its `__all__`.

A companion can be left out of an installation."""


def lines() -> Iterator[str]:
    """One line for each name, sorted by module and name."""
    for module_name, chosen in sorted(MODULES.items()):
        module = import_module(module_name)
        for name in sorted(chosen or module.__all__):
            yield from _described(f"{module_name}.{name}", getattr(module, name))
    yield from (f"nlmchem.Article.{name}" for name in ATTRIBUTES.names())


def _described(name: str, thing: object) -> Iterator[str]:
    if inspect.isclass(thing):
        yield name + (_parameters(thing) if not issubclass(thing, Exception) else "")
        for member in sorted(vars(thing)):
            # Only what the class itself defines: attributes of bioc's classes are bioc's.
            if not member.startswith("_") or member == "__call__":
                value = inspect.getattr_static(thing, member)
                yield f"{name}.{member}" + (_parameters(value, method=True) if inspect.isfunction(value) else "")
    else:
        yield name + (_parameters(thing) if inspect.isfunction(thing) else "")


def _parameters(thing: object, method: bool = False) -> str:
    """The names of the parameters; `=` marks those that have a default, `*` those that need their name."""
    parts: list[str] = []
    for parameter in inspect.signature(thing).parameters.values():  # type: ignore[arg-type]
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        parts.append(f"{stars}{parameter.name}{'' if parameter.default is parameter.empty else '='}")
    return f"({', '.join(parts[1:] if method else parts)})"


def main() -> None:
    print(*lines(), sep="\n")


if __name__ == "__main__":
    main()
