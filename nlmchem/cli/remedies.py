"""What works in place of what was typed: mistyped words, flags and commands of other programs, too many arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import click

from corpora.errors import ConfigurationError, command

# -- flags --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Foreign:
    """Flags of other programs, or of other commands."""

    names: tuple[str, ...]
    uses: tuple[str, ...] = ()
    """Flags that work, with their values. The first one that the command has is named."""
    otherwise: str | None = None
    """A sentence for commands that have none of these flags."""


_ONE_BY_ONE = "leave it out: all inputs are used, so name fewer files"

FOREIGN = (
    Foreign(
        ("--jobs", "-j", "--n-jobs", "--num-workers", "--threads", "--processes", "--n-process", "--cpus"),
        ("--workers N",),
        "leave it out: it has no worker processes",
    ),
    Foreign(
        ("--verbose", "-v", "--progress", "--no-progress", "--no-bar", "--disable-progress"),
        otherwise="progress and notes are printed by default, and --quiet leaves them out; "
        "`nlmchem --debug ...` shows the traceback of an error",
    ),
    Foreign(("--silent", "--log-level"), ("--quiet",)),
    Foreign(
        ("--dry-run",),
        otherwise=f"{command('corpora stats INPUT')} reads an input and writes nothing, and no command replaces files "
        "that it did not write",
    ),
    Foreign(("--output", "--output-dir", "--outdir", "--outfile", "--out-dir", "-O"), ("--out PATH",)),
    Foreign(("--input", "--input-dir", "--in", "-i"), otherwise="write the input without a flag"),
    Foreign(("--input-file", "--file-list", "--filelist", "--list"), ("--files-from FILE",)),
    Foreign(("--model", "-m", "--model-path"), ("--tagger NAME",)),
    Foreign(("--force", "--yes", "-y", "--overwrite", "--clobber"), ("--restart to begin again",)),
    Foreign(("--force", "--yes", "-y", "--clobber"), ("--overwrite to replace a file of yours",)),
    Foreign(("--output-format", "--to", "--format", "-f"), ("--format NAME", "--json")),
    Foreign(("--format",), ("--tsv",)),
    Foreign(("--tsv",), ("--format tsv",)),
    Foreign(("--csv",), ("--format csv", "--tsv")),
    Foreign(("--json",), ("--format json",)),
    Foreign(("--gpu", "--cuda", "--use-gpu", "-g"), ("--device cuda",)),
    Foreign(("--cpu", "--no-gpu", "--no-cuda"), ("--device cpu",)),
    Foreign(
        ("--threshold", "--min-confidence", "--confidence", "-t"), ("--min-score X", "--threshold X"),
    ),
    Foreign(
        ("--exclude-sections", "--ignore-sections", "--without-sections", "--skip", "--sections"),
        ("--skip-sections REF,...",),
    ),
    Foreign(("--limit", "--max-docs", "--max-articles", "--head", "-n"), ("--number N", "--limit N"), _ONE_BY_ONE),
    Foreign(("--top", "--top-k", "--topk", "-k"), ("--index-top N", "--number N")),
    Foreign(("--resume", "--continue"), otherwise="the same command continues where it stopped"),
    Foreign(
        ("--batch-size", "-b"),
        ("--batch N",),
        "leave it out: articles are divided by their length, and results do not depend on it",
    ),
    Foreign(("--recursive", "-r", "-R"), otherwise="leave it out: folders are read with the folders in them"),
    Foreign(("--config-file", "-c"), ("--config FILE",)),
    Foreign(("--dictionary-file", "--mesh", "--kb"), ("--lexicon PATH",)),
    Foreign(("--ids", "--pmcid", "--pmid"), otherwise=f"fetch articles first: {command('fetch pmc --ids FILE')}"),
    Foreign(("--ner-only", "--no-linking", "--no-normalization"), ("--steps abbreviate,tag",)),
    Foreign(("--version", "-V"), otherwise="use `nlmchem --version`"),
)  # fmt: skip
"""All flags of other programs that have an answer."""


@contextmanager
def click_explained(context: click.Context) -> Iterator[None]:
    """Raise `ConfigurationError` that names what works, where click refuses the words of the command."""
    path, parameters = context.command_path, context.command.get_params(context)
    flags = {flag: parameter for parameter in parameters for flag in parameter.opts if flag.startswith("-")}
    try:
        yield
    except click.NoSuchOption as error:
        name = error.option_name
        raise ConfigurationError(f"`{path}` has no option {name}; {_remedy(name, path, list(flags))}") from None
    except click.BadOptionUsage as error:
        flag = error.option_name
        parameter = flags.get(flag)
        if isinstance(parameter, click.Option) and not parameter.is_flag:
            raise ConfigurationError(f"{flag} needs a value: {parameter.help}") from None
        raise ConfigurationError(f"{flag} takes no value; leave out what follows the =") from None


def _remedy(name: str, path: str, flags: Sequence[str]) -> str:
    known = [entry for entry in FOREIGN if name in entry.names]
    uses = [next((use for use in entry.uses if use.split()[0] in flags), None) for entry in known]
    if found := list(dict.fromkeys(filter(None, uses))):
        return f"use {' or '.join(found)}"
    if sentence := next((entry.otherwise for entry in known if entry.otherwise is not None), None):
        return sentence
    if (meant := close(name, [flag for flag in flags if flag.startswith("--")])) is not None:
        return f"did you mean {meant}?"
    return f"`{path} {'--help-all' if '--help-all' in flags else '--help'}` lists its options"


# -- words --------------------------------------------------------------------------------------

LETTERS_PER_MISTAKE = 4
"""Letters of a word for each mistake in it: a letter too many, missing, wrong, or before its neighbour."""


def close(word: str, known: Collection[str]) -> str | None:
    """The known word that was certainly meant; a wrong suggestion is worse than none.

    The first letter is right, and there are few mistakes after it; or it is the only one that begins so.
    """
    from rapidfuzz.distance import OSA

    words = {one.strip("-"): one for one in known}
    bare = word.strip("-")
    mistakes = {one: OSA.distance(bare, one) for one in words if one[:1] == bare[:1]}
    nearest = min(mistakes, key=lambda one: (mistakes[one], one), default="")
    if nearest and mistakes[nearest] <= len(bare) // LETTERS_PER_MISTAKE:
        return words[nearest]
    begun = [one for one in words if len(bare) > 2 and one.startswith(bare)]
    return words[begun[0]] if len(begun) == 1 else None


WORDS = {
    "annotate": (
        "tag",
        "ner",
        "predict",
        "process",
        "extract",
        "run",
        "pipeline",
        "link",
        "normalize",
        "resume",
        "continue",
    ),
    "annotate --text TEXT": ("text", "try", "demo"),
    "view": ("show", "display", "visualize", "visualise", "open", "html", "render", "report"),
    "evaluate": ("score", "measure", "metrics", "compare"),
    "fetch": ("download", "get", "pull"),
    "fetch pmc": ("pmc", "pubmed"),
    "index": ("terms", "index-terms"),
    "abbreviations": ("acronyms",),
    "ensemble": ("merge", "combine"),
    "doctor": ("check", "test", "status"),
    "lexicon lookup": ("find", "mesh"),
    "convert": ("export", "transform"),
    "replay": ("retry",),
    "summary": ("count", "counts", "statistics", "summarize", "summarise"),
}
"""What people type, by the command that does it."""


def command_for(word: str, path: str, members: Collection[str], tree: Mapping[str, Sequence[str]]) -> str:
    """What to type in place of a word that is no command of the group `path` with these members.

    `tree`: the first words of all commands, each with its second words.
    """
    if path == "nlmchem":
        for right, typed in WORDS.items():
            if word in typed:
                return f"use {command(right)}"
    if (meant := close(word, members)) is not None:
        return f"did you mean `{path} {meant}`?"
    everywhere = {first: (first,) for first in tree}
    for first, seconds in tree.items():
        for second in seconds:
            everywhere[second] = (*everywhere.get(second, ()), f"{first} {second}")
    same = word if word in everywhere else close(word, everywhere)
    if same is not None:
        return f"did you mean {' or '.join(map(command, everywhere[same]))}?"
    return f"`{path} --help` lists the commands"


def too_many(context: click.Context) -> str:
    """The sentence for words after the last argument of a command."""
    command, word = context.command, context.args[0]
    places = [one.make_metavar(context) for one in command.params if isinstance(one, click.Argument)]
    if not places:
        example = (command.epilog or "").removeprefix("Example: ")
        return f"`{context.command_path}` has options and no arguments, so {word!r} has no place; write `{example}`"
    quote = "put words that belong together in quotes, and name several files by a folder or a pattern in quotes"
    return f"`{context.command_path}` has no place for {word!r} after {' '.join(places)}; {quote}"
