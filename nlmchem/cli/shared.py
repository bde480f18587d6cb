"""Arguments, options and helpers that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corpora.errors import ConfigurationError, OptionError
from corpora.formats.registry import aliases_of, writable_names
from corpora.model.units import OFFSETS_HELP

InputsArgument = Annotated[
    list[str],
    typer.Argument(metavar="INPUT...", help="Files, folders, glob patterns, archives, or - for standard input."),
]
CorpusInputsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT...", help="Files, folders, glob patterns or archives; with --corpus folders of that corpus."
    ),
]
CorpusOption = Annotated[
    str | None, typer.Option("--corpus", metavar="NAME", help="Read INPUT as this corpus (see `corpora list`).")
]
SplitOption = Annotated[str | None, typer.Option("--split", help="Read only this split. [default: all splits]")]


def check_one_format(as_json: bool, as_tsv: bool) -> None:
    """Raise `ConfigurationError` for two formats of the result."""
    if as_json and as_tsv:
        raise ConfigurationError("--json and --tsv cannot be used together; choose one of them")


def require_folder(path: Path) -> Path:
    """The path of an output folder. Raises `OptionError` if it is a file."""
    if path.is_file():
        raise OptionError("out", f"must be a folder, but {path} is a file")
    return path


def require_file(path: Path) -> Path:
    """The path of an output file. Raises `OptionError` if it is a folder."""
    if path.is_dir():
        raise OptionError("out", f"must be a file, but {path} is a folder")
    return path


OutFolderOption = Annotated[Path, typer.Option("--out", "-o", callback=require_folder, help="Output folder.")]
OutFileOption = Annotated[Path, typer.Option("--out", "-o", callback=require_file, help="Output file.")]
FormatOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Output format: {', '.join(writable_names())}; {', '.join(aliases_of(writable_names()))} are other names "
        "of the first two. [default: from the suffix of the output]",
    ),
]
LexiconOption = Annotated[
    Path | None,
    typer.Option(
        "--lexicon", help="Lexicon file (.sqlite or .tsv), or starter. [default: MeSH, as it comes with nlmchem]"
    ),
]
AsOfOption = Annotated[
    int | None,
    typer.Option(
        "--as-of", metavar="YEAR", help="Use the MeSH identifiers of this year. [default: the lexicon's year]"
    ),
]
SeedOption = Annotated[int, typer.Option(help="Random seed. The same seed gives the same result.", min=0)]
IncludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="GLOB",
        help="Read only files whose name or path matches this pattern, such as '*.nxml'. Can be repeated.",
    ),
]
ExcludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="GLOB",
        help="Do not read files whose name or path matches this pattern. Can be repeated.",
    ),
]
LinesOption = Annotated[
    bool, typer.Option("--lines", help="Text files (.txt) and standard input contain one article in each line.")
]
OffsetsOption = Annotated[str | None, typer.Option("--offsets", metavar="UNIT", help=OFFSETS_HELP)]
WithAbbreviationsOption = Annotated[
    bool,
    typer.Option("--with-abbreviations", help="TSV, CSV and PubTator: a row for each short form, with its long form."),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
JsonLinesOption = Annotated[bool, typer.Option("--json", help="Print one JSON object for each item, one in a line.")]
MinutesOption = Annotated[
    float | None,
    typer.Option(
        help="Stop after this time with exit code 3; the same command continues the training.",
        show_default="no limit",
        min=0.001,
    ),
]
SentenceEncoderOption = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        metavar="default|FOLDER",
        help="Also compare sentences and long forms by an encoder of sentences: default for the embedded one, or the "
        "folder of a local one such as all-MiniLM-L6-v2. [default: none]",
        show_default=False,
    ),
]


def split_pair(text: str, option: str) -> tuple[str, str]:
    """The parts of `NAME=VALUE`. Raises `OptionError`."""
    left, equals, right = text.partition("=")
    if not (left and equals and right):
        raise OptionError(option, f"must be NAME=VALUE, not {text!r}")
    return left, right
