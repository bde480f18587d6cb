"""The formats: one entry each, with all that is special about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.extras import require
from corpora.formats.format import Format, Joined, Reader, Writer
from corpora.formats.header import Header
from corpora.plugins import Registry
from corpora.reporting import Report

_BUILT_IN = (
    Format(
        "biocxml", "BioC XML", (".xml", ".bioc"), "biocxml:READER", "biocxml:WRITER", keeps_everything=True,
        aliases=("xml", "bioc"), editor=True,
    ),
    Format(
        "biocjson", "BioC JSON", (".json",), "biocjson:READER", "biocjson:WRITER", keeps_everything=True,
        aliases=("json",),
    ),
    Format(
        "jsonl", "JSON lines", (".jsonl", ".ndjson"), "biocjson:LINES_READER", "biocjson:LINES_WRITER",
        keeps_everything=True,
    ),
    Format(
        "pubtator", "PubTator", (".pubtator", ".txt"), "pubtator:READER", "pubtator:WRITER",
        with_abbreviations="pubtator:WITH_ABBREVIATIONS",
    ),
    Format("tsv", "TSV", (".tsv",), None, "tsv:WRITER", with_abbreviations="tsv:WITH_ABBREVIATIONS"),
    Format("csv", "CSV", (".csv",), None, "tsv:CSV_WRITER", with_abbreviations="tsv:CSV_WITH_ABBREVIATIONS"),
    Format("jats", "JATS", (".nxml", ".xml"), "jats.article:READER", stores_mentions=False),
    Format("pubmed", "PubMed XML", (".xml",), "pubmed:READER", stores_mentions=False),
    Format("brat", "brat", (".brat", ".ann"), "brat:READER", "brat:WRITER", editor=True, beside="brat:beside"),
    Format("parquet", "Parquet", (".parquet",), None, "parquet:WRITER", package="pyarrow", extra="parquet"),
    Format("conll", "CoNLL", (".conll",), "conll:READER", "conll:WRITER", by_suffix=True),
    Format("spacy", "spaCy DocBin", (".spacy",), None, "spacy:WRITER", package="spacy", extra="spacy"),
    Format("hf", "JSON lines for Hugging Face datasets", (".hf.jsonl",), None, "hf:WRITER"),
    Format(
        "label-studio", "Label Studio", (".label-studio.json",), "label_studio:READER", "label_studio:WRITER",
        tried_first=True, editor=True, beside="label_studio:beside",
    ),
    Format(
        "doccano", "doccano", (".doccano.jsonl",), "doccano:READER", "doccano:WRITER", tried_first=True, editor=True,
        beside="doccano:beside",
    ),
    Format(
        "prodigy", "Prodigy", (".prodigy.jsonl",), "prodigy:READER", "prodigy:WRITER", tried_first=True, editor=True,
    ),
    Format(
        "inception", "INCEpTION", (".inception", ".json"), "inception:READER", "inception:WRITER", tried_first=True,
        editor=True, beside="inception:beside", package="cassis", extra="inception",
    ),
    Format("text", "plain text", (".txt",), "text:READER", "text:WRITER", stores_mentions=False, by_suffix=True),
    Format(
        "lines", "text with one article a line", (".txt",), "text:LINES_READER", stores_mentions=False, by_line=True
    ),
)  # fmt: skip
"""In the order in which messages list formats, and in which they are tried on the content of a file (`by_content`)."""

FORMATS = Registry("nlmchem.formats", Format, {format.name: format for format in _BUILT_IN})
_ALIASES = {alias: format.name for format in _BUILT_IN for alias in format.aliases}
_READ_ONLY = {format.name for format in _BUILT_IN if format.writes is None}
_WITHOUT_MENTIONS = {format.name for format in _BUILT_IN if not format.stores_mentions}


def canonical(name: str) -> str:
    """The name of the format that users may also call by this one: `biocjson` for `json`."""
    return _ALIASES.get(name, name)


def aliases_of(names: Collection[str]) -> tuple[str, ...]:
    """The other names of these formats."""
    return tuple(alias for alias, name in _ALIASES.items() if name in names)


def named(name: str) -> Format:
    """A format by its name. Raises `ConfigurationError` for an unknown name, and for a plugin that cannot be used."""
    return FORMATS.named(canonical(name), "format")


def formats() -> Iterator[Format]:
    """All formats, in the order of the registry. Plugins come last."""
    return (format for _, format in FORMATS.items())


def by_content() -> list[Format]:
    """All formats in the order in which they are tried on the content of a file."""
    return sorted(formats(), key=lambda format: not format.tried_first)


def editor_names() -> tuple[str, ...]:
    """The names of the formats of annotation editors. Plugins are not among them."""
    return tuple(format.name for format in _BUILT_IN if format.editor)


def writable_names() -> tuple[str, ...]:
    """The names of all formats that are written. No plugin is imported: the names of all of them are included."""
    return tuple(name for name in FORMATS.names() if name not in _READ_ONLY)


def mention_names() -> tuple[str, ...]:
    """The names of all formats that mentions can be written to, with those of all plugins."""
    return tuple(name for name in writable_names() if name not in _WITHOUT_MENTIONS)


def collection_names() -> tuple[str, ...]:
    """The names of the formats that keep everything, for corpora and ensembles. Plugins are not among them."""
    return tuple(format.name for format in _BUILT_IN if format.keeps_everything)


def readable(name: str) -> Reader:
    """The reader of a format. Raises `ConfigurationError` for an unknown name and for a format that is only written."""
    reader = named(name).reader
    if reader is None:
        raise ConfigurationError(f"the format {name!r} is written, but not read")
    return reader


def writable(name: str, with_abbreviations: bool = False) -> Writer:
    """The writer of a format. `with_abbreviations`: it writes the short forms, which tables leave out otherwise.

    Raises `OptionError` for `with_abbreviations` if the format makes no difference, and `ConfigurationError` for an
    unknown name, a format that is only read, and a package that is not installed.
    """
    format = FORMATS.get(canonical(name))
    writer = None if format is None else format.writer
    if format is None or writer is None:
        raise ConfigurationError(f"unknown format {name!r}; choose one of {', '.join(writable_names())}")
    if format.package:
        require(format.package, extra=format.extra, purpose=f"the format {format.title}")
    if not with_abbreviations:
        return writer
    special = format.writer_with_abbreviations
    if special is None:
        names = ", ".join(one.name for one in _BUILT_IN if one.with_abbreviations is not None)
        raise OptionError(
            "with_abbreviations", f"is for the formats {names}; it is not for {format.name}; leave it out"
        )
    return special


def suffix_of(name: str) -> str:
    """The suffix of a file in a format, such as `.xml`."""
    return named(name).suffix


def suffixes() -> frozenset[str]:
    """The suffixes of all formats, in lower case, with their dot."""
    return frozenset(suffix for format in formats() for suffix in format.suffixes)


def format_of_suffix(name: str) -> str:
    """The format that the suffix of an output selects. Raises `ConfigurationError` where it selects none."""
    plain = name.lower().removesuffix(".gz")
    found = [format for format in formats() if format.writes is not None and plain.endswith(format.suffix)]
    if found:
        # `.hf.jsonl` and not `.jsonl`.
        return max(found, key=lambda format: len(format.suffix)).name
    raise ConfigurationError(
        f"the suffix of {name} selects no format; add ", Argument("format", "|".join(writable_names()))
    )


def report_header_losses(header: Header, name: str, report: Report) -> None:
    """Report what a format cannot store of a collection's header. The articles are written all the same."""
    format = named(name)
    writer = format.writer
    if isinstance(writer, Joined) and writer.header_losses is not None:
        writer.header_losses(header, report)
    elif header != Header():
        report(f"{format.title} has no place for the collection's source, date, key and infons; they are left out")
