"""The list of all commands. Each is imported when it is used, so that the others do not slow its start.

Installed packages add commands by the entry point `nlmchem.commands`: its name is the name of the command with dots,
as `evaluate.summaries`, and its value a `Command`, or a `CommandGroup` for a new group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from corpora.commands.command import CORPUS_WORK, LEARNING, LOOKING, NAMING, Command, CommandGroup
from corpora.plugins import Registry

Entry = Command[Any] | CommandGroup

GROUPS = {
    group.name: group
    for group in (
        CommandGroup(
            "lexicon",
            "Build a lexicon from MeSH and other sources, and look up names in one.",
            "lookup",
            heading=NAMING,
        ),
        CommandGroup(
            "index",
            "List the index terms of annotated articles, suggest others, or explain them.",
            "list",
            heading=LOOKING,
        ),
        CommandGroup(
            "evaluate",
            "Score runs as the NLM-Chem track does, test whether differences are significant, and show the errors.",
            "spans",
            heading=LEARNING,
        ),
        CommandGroup(
            "ensemble", "Combine several runs into one by voting, or measure their agreement.", "vote", heading=LEARNING
        ),
        CommandGroup("silver", "Make a silver-standard corpus for training, or check one.", "vote", heading=LEARNING),
        CommandGroup(
            "corpora",
            "List, check, convert, split and compare corpora, and make training data from them.",
            heading=CORPUS_WORK,
        ),
        CommandGroup("train", "Train taggers, decisions, indexers and encoders of names.", heading=LEARNING),
    )
}

PLACES: dict[str, str] = {
    "annotate": "nlmchem.api.commands:ANNOTATE",
    "replay": "nlmchem.engine.commands:REPLAY",
    "convert": "nlmchem.converting.commands:CONVERT",
    "view": "nlmchem.report.commands:VIEW",
    "search": "nlmchem.search.commands:SEARCH",
    "summary": "nlmchem.report.commands:SUMMARY",
    "abbreviations": "nlmchem.abbreviations.commands:ABBREVIATIONS",
    "lexicon build": "sieves.lexicon.commands:BUILD",
    "lexicon info": "sieves.lexicon.commands:INFO",
    "lexicon lookup": "nlmchem.explaining.commands:LOOKUP",
    "lexicon migrate": "sieves.lexicon.commands:MIGRATE",
    "lexicon export": "sieves.lexicon.commands:EXPORT",
    "lexicon explain": "nlmchem.explaining.explainer:EXPLAIN",
    "lexicon order": "nlmchem.explaining.explainer:ORDER",
    "index list": "nlmchem.index.commands:LIST",
    "index suggest": "nlmchem.index.commands:SUGGEST",
    "index explain": "nlmchem.index.commands:EXPLAIN",
    "explain": "nlmchem.explaining.commands:EXPLAIN",
    "evaluate spans": "nlmchem.report.commands:EVALUATE_SPANS",
    "evaluate identifiers": "nlmchem.report.commands:EVALUATE_IDENTIFIERS",
    "evaluate indexing": "nlmchem.report.commands:EVALUATE_INDEXING",
    "evaluate abbreviations": "nlmchem.evaluation.commands:EVALUATE_ABBREVIATIONS",
    "ensemble vote": "nlmchem.voting.commands:VOTE",
    "ensemble spans": "nlmchem.voting.commands:SPANS",
    "ensemble identifiers": "nlmchem.voting.commands:IDENTIFIERS",
    "ensemble indexing": "nlmchem.voting.commands:INDEXING",
    "ensemble agreement": "nlmchem.voting.commands:AGREEMENT",
    "silver vote": "nlmchem.voting.silver:VOTE",
    "silver build": "nlmchem.voting.silver:BUILD",
    "silver verify": "nlmchem.voting.silver:VERIFY",
    "corpora list": "corpora.tools.commands:LIST",
    "corpora info": "corpora.tools.commands:INFO",
    "corpora stats": "corpora.tools.commands:STATS",
    "corpora convert": "nlmchem.converting.commands:CORPORA_CONVERT",
    "corpora split": "corpora.tools.commands:SPLIT",
    "corpora leaks": "corpora.tools.commands:LEAKS",
    "corpora dictionary": "nlmchem.abbreviations.commands:DICTIONARY",
    "train tagger": "nlmchem.tagging.training.commands:TRAIN",
    "train decision": "nlmchem.deciding.commands:TRAIN",
    "train dense": "nlmchem.tagging.training.commands:TRAIN_DENSE",
    "train indexer": "nlmchem.index.commands:TRAIN",
    "submit": "nlmchem.converting.commands:SUBMIT",
    "fetch": "corpora.fetching.commands:FETCH",
    "bench": "nlmchem.bench.commands:BENCH",
    "doctor": "nlmchem.bench.commands:DOCTOR",
    "completion": "nlmchem.cli.app:COMPLETION",
}
"""Our own commands, in the order of the help: `module:constant` of each."""


class _OwnCommands(Mapping[str, Entry]):
    """Commands by name. Each is imported when it is asked for."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Entry:
        if name in GROUPS:
            return GROUPS[name]
        module, _, constant = self._places[name].partition(":")
        command: Entry = getattr(import_module(module), constant)
        return command

    def __contains__(self, name: object) -> bool:
        return name in self._places or name in GROUPS

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


COMMANDS = Registry[Entry]("nlmchem.commands", (Command, CommandGroup), _OwnCommands(PLACES), blank=".")
"""Commands and groups by name."""


def command_named(name: str) -> Command[Any]:
    """The command with these words. Raises `ConfigurationError` for a plugin that cannot be used, `KeyError`."""
    command = COMMANDS.get(name)
    if not isinstance(command, Command):
        raise KeyError(name)
    return command


def group_named(name: str) -> CommandGroup:
    """The group with this word; one without a help text where a plugin states none."""
    group = COMMANDS.get(name)
    return group if isinstance(group, CommandGroup) else CommandGroup(name, "")


def tree() -> dict[str, tuple[str, ...]]:
    """The first words of all commands in the order of the help, each with its second words; none for a command."""
    words: dict[str, list[str]] = {}
    for name in COMMANDS.names():
        first, _, second = name.partition(" ")
        members = words.setdefault(first, [])
        if second:
            members.append(second)
    return {first: tuple(members) for first, members in words.items()}
