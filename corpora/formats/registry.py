"""The formats: one entry each, with all that is special about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from corpora.commands.options import option
from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.extras import require
from corpora.formats.format import Dumps, Format, Header, Joined, Parted, Reader, Writer
from corpora.plugins import Registry
from corpora.reporting import Report

if TYPE_CHECKING:
    from bioc import BioCDocument

_ROOM = "corpora.formats"
_BUILT_IN = (
    Format(
        "biocxml", "BioC XML", (".xml", ".bioc"), f"{_ROOM}.biocxml:READER", f"{_ROOM}.biocxml:WRITER",
        keeps_everything=True, aliases=("xml", "bioc"), editor=True,
    ),
    Format(
        "biocjson", "BioC JSON", (".json",), f"{_ROOM}.biocjson:READER", f"{_ROOM}.biocjson:WRITER",
        keeps_everything=True, aliases=("json",),
    ),
    Format(
        "jsonl", "JSON lines", (".jsonl", ".ndjson"), f"{_ROOM}.biocjson:LINES_READER",
        f"{_ROOM}.biocjson:LINES_WRITER", keeps_everything=True, in_parts=f"{_ROOM}.biocjson:LINES_IN_PARTS",
    ),
    Format(
        "pubtator", "PubTator", (".pubtator", ".txt"), f"{_ROOM}.pubtator:READER", f"{_ROOM}.pubtator_writer:WRITER",
        with_abbreviations=f"{_ROOM}.pubtator_writer:WITH_ABBREVIATIONS",
    ),
    Format(
        "tsv", "TSV", (".tsv",), None, f"{_ROOM}.columns:WRITER",
        with_abbreviations=f"{_ROOM}.columns:WITH_ABBREVIATIONS", with_xrefs=f"{_ROOM}.columns:tsv_with_xrefs",
    ),
    Format(
        "csv", "CSV", (".csv",), None, f"{_ROOM}.columns:CSV_WRITER",
        with_abbreviations=f"{_ROOM}.columns:CSV_WITH_ABBREVIATIONS", with_xrefs=f"{_ROOM}.columns:csv_with_xrefs",
    ),
    Format("terms-tsv", "TSV of index terms", (".terms.tsv",), None, f"{_ROOM}.columns:TERMS_WRITER"),
    Format("terms-csv", "CSV of index terms", (".terms.csv",), None, f"{_ROOM}.columns:CSV_TERMS_WRITER"),
    Format("jats", "JATS", (".nxml", ".xml"), f"{_ROOM}.jats:READER", stores_mentions=False),
    Format("pubmed", "PubMed XML", (".xml",), f"{_ROOM}.pubmed:READER", stores_mentions=False),
    Format(
        "brat", "brat", (".brat", ".ann"), f"{_ROOM}.brat:READER", f"{_ROOM}.brat:WRITER", editor=True,
        beside=f"{_ROOM}.brat:beside",
    ),
    Format(
        "parquet", "Parquet", (".parquet",), None, f"{_ROOM}.parquet:WRITER", package="pyarrow", extra="parquet",
        in_parts=f"{_ROOM}.parquet:PARTED",
        with_xrefs=f"{_ROOM}.parquet:with_xrefs",
    ),
    Format(
        "terms-parquet", "Parquet of index terms", (".terms.parquet",), None, f"{_ROOM}.parquet:TERMS_WRITER",
        package="pyarrow", extra="parquet",
    ),
    Format(
        "conll", "CoNLL", (".conll",), f"{_ROOM}.conll:READER", f"{_ROOM}.conll:WRITER", by_suffix=True,
    ),
    Format("spacy", "spaCy DocBin", (".spacy",), None, f"{_ROOM}.spacy:WRITER", package="spacy", extra="spacy"),
    Format("hf", "JSON lines for Hugging Face datasets", (".hf.jsonl",), None, f"{_ROOM}.conll:HF_WRITER"),
    Format(
        "records", "JSON lines with texts", (".jsonl", ".ndjson", ".json"), f"{_ROOM}.records:READER",
        stores_mentions=False, tried_first=True,
    ),
    Format(
        "text-table", "CSV and TSV with a column of texts", (".csv", ".tsv"), f"{_ROOM}.records:TABLE_READER",
        stores_mentions=False, by_suffix=True,
    ),
    Format(
        "text", "plain text", (".txt", ".md", ".markdown"), f"{_ROOM}.text:READER", f"{_ROOM}.text:WRITER",
        stores_mentions=False, by_suffix=True,
    ),
    Format(
        "lines", "text with one article a line", (".txt",), f"{_ROOM}.text:LINES_READER", stores_mentions=False,
        by_line=True,
    ),
)  # fmt: skip
"""In the order in which messages list formats, and in which they are tried on the content of a file (`by_content`)."""

FORMATS = Registry("nlmchem.formats", Format, {format.name: format for format in _BUILT_IN})


@cache
def _known(registry: Registry[Format]) -> tuple[tuple[Format, ...], dict[str, ConfigurationError]]:
    """All formats in their order, and why the other plugins cannot be used, by name."""
    usable: list[Format] = []
    faults: dict[str, ConfigurationError] = {}
    names: dict[str, str] = {name: name for name in registry.names()}
    for name in registry.names():
        try:
            format = registry.named(name, "format")
            for alias in format.aliases:
                if names.setdefault(alias, name) != name:
                    raise ConfigurationError(
                        f"the format {name!r} of a plugin has the other name {alias!r}, which is one of the format "
                        f"{names[alias]!r}; install a version of the plugin with another one, or uninstall it"
                    )
        except ConfigurationError as error:
            faults[name] = error
        else:
            usable.append(format)
    return tuple(_in_order(usable)), faults


def _in_order(given: Sequence[Format]) -> list[Format]:
    """The formats in the given order, but each one that has an `after` behind that format and its other followers."""
    names = {format.name for format in given}
    followers: dict[str, list[Format]] = {}
    for format in given:
        followers.setdefault(format.after if format.after in names else "", []).append(format)
    ordered: list[Format] = []
    remaining = followers.get("", [])[::-1]
    while remaining:
        ordered.append(remaining.pop())
        remaining += followers.get(ordered[-1].name, [])[::-1]
    # What is left follows itself, or each other.
    return ordered + [format for format in given if format not in ordered]


def _usable() -> tuple[Format, ...]:
    """All formats but the plugins that cannot be used. Whatever reads or writes a format reports these."""
    return _known(FORMATS)[0]


def require_usable_plugins() -> None:
    """Raise `ConfigurationError` if an installed package has a format that cannot be used."""
    for fault in _known(FORMATS)[1].values():
        raise fault


def canonical(name: str) -> str:
    """The name of the format that users may also call by this one: `biocjson` for `json`."""
    return next((format.name for format in _usable() if name in format.aliases), name)


def aliases_of(names: Collection[str]) -> tuple[str, ...]:
    return tuple(alias for format in _usable() if format.name in names for alias in format.aliases)


def named(name: str) -> Format:
    """A format by its name. Raises `ConfigurationError` for an unknown name, and for a plugin that cannot be used."""
    wanted = canonical(name)
    for format in _usable():
        if format.name == wanted:
            return format
    if fault := _known(FORMATS)[1].get(wanted):
        raise fault
    names = ", ".join(format.name for format in _usable())
    raise ConfigurationError(f"unknown format {name!r}; choose one of {names}")


def formats() -> tuple[Format, ...]:
    """All formats in their order. Plugins come last, except those that state what they come `after`.

    Raises `ConfigurationError` for a plugin that cannot be used.
    """
    require_usable_plugins()
    return _usable()


def by_content() -> list[Format]:
    """All formats in the order in which they are tried on the content of a file. Raises as `formats`."""
    return sorted(formats(), key=lambda format: not format.tried_first)


def editor_names() -> tuple[str, ...]:
    return tuple(format.name for format in _usable() if format.editor)


def writable_names() -> tuple[str, ...]:
    """The names of all formats that are written. Those of plugins that cannot be used are included."""
    written = (format.name for format in _usable() if format.writes is not None)
    return (*written, *_known(FORMATS)[1])


def mention_names() -> tuple[str, ...]:
    """The names of all formats that mentions can be written to. Those of plugins that cannot be used are included."""
    without = {format.name for format in _usable() if not format.stores_mentions}
    return tuple(name for name in writable_names() if name not in without)


def collection_names() -> tuple[str, ...]:
    """The names of the formats that keep everything, for corpora and ensembles."""
    return tuple(format.name for format in _usable() if format.writes is not None and format.keeps_everything)


def readable(name: str) -> Reader:
    """The reader of a format. Raises `ConfigurationError` for an unknown name and for a format that is only written."""
    reader = named(name).reader
    if reader is None:
        raise ConfigurationError(f"the format {name!r} is written, but not read")
    return reader


def writable(
    name: str, with_abbreviations: bool = False, identifiers: str | None = None, xrefs: bool = False
) -> Writer:
    """The writer of a format. `with_abbreviations`: it writes the short forms, which tables leave out otherwise.

    `identifiers`: the spelling of MeSH identifiers (`corpora.model.mesh_ids.SPELLINGS`); None: as `MESH:D014867`, and
    formats that keep infons write them as they are. `xrefs`: tables have columns for the identifiers of ChEBI and
    PubChem. Raises `OptionError` for `with_abbreviations` if the format makes no difference, and `ConfigurationError`
    for an unknown name, a format that is only read, and a package that is not installed.
    """
    if canonical(name) not in writable_names():
        raise ConfigurationError(f"unknown format {name!r}; choose one of {', '.join(writable_names())}")
    format = named(name)
    writer = format.writer
    assert writer is not None
    if format.package:
        require(format.package, extra=format.extra, purpose=f"the format {format.title}")
    if xrefs and format.with_xrefs is not None:
        writer = format.writer_with_xrefs(with_abbreviations)
    elif with_abbreviations:
        writer = format.writer_with_abbreviations
        if writer is None:
            names = ", ".join(other.name for other in _usable() if other.with_abbreviations is not None)
            raise OptionError(
                "with_abbreviations", f"is for the formats {names}; it is not for {format.name}; leave it out"
            )
    if identifiers is None:
        return writer
    from corpora.model.mesh_ids import SPELLINGS

    if identifiers not in SPELLINGS:
        allowed = f"{', '.join(SPELLINGS[:-1])} or {SPELLINGS[-1]}"
        raise OptionError("identifiers", f"must be {allowed}, not {identifiers!r}")
    return replace(writer, dumps=partial(_dumps_spelt, writer.dumps, identifiers))


def _dumps_spelt(dumps: Dumps, spelling: str, document: BioCDocument, report: Report) -> bytes:
    """What a writer returns of a document while its MeSH identifiers have a spelling, joined by `,`."""
    # These import bioc, which the help of commands does not need.
    from corpora.model.document import every_annotation, identifier_text, set_identifier_text
    from corpora.model.mesh_ids import canonical as canonical_identifiers
    from corpora.model.mesh_ids import in_spelling, is_mesh_id, respelt

    changed = []
    try:
        for annotation, _ in every_annotation(document):
            stated = identifier_text(annotation)
            identifiers = canonical_identifiers(stated or "")
            if stated is not None and any(map(is_mesh_id, identifiers)):
                changed.append((annotation, stated))
                set_identifier_text(annotation, ",".join(respelt(identifier, spelling) for identifier in identifiers))
        with in_spelling(spelling):
            return dumps(document, report)
    finally:
        for annotation, stated in changed:
            set_identifier_text(annotation, stated)


def parted(name: str) -> Parted:
    """The writer of numbered parts of a format. Raises `OptionError` where it has none, and as `writable` does."""
    writable(name)
    writer = named(name).parted
    if writer is None:
        names = " and ".join(format.name for format in _usable() if format.in_parts is not None)
        raise OptionError("per_file", f"is for the formats {names}; choose one of them with ", Argument("format"))
    return writer


def suffix_of(name: str) -> str:
    """The suffix of a file in a format, such as `.xml`."""
    return named(name).suffix


def suffixes() -> frozenset[str]:
    """The suffixes of all formats, in lower case, with their dot."""
    return frozenset(suffix for format in formats() for suffix in format.suffixes)


def format_of_suffix(name: str) -> str:
    """The format that the suffix of an output selects. Raises `ConfigurationError` where it selects none."""
    plain = name.lower().removesuffix(".gz")
    matching = [format for format in formats() if format.writes is not None and plain.endswith(format.suffix)]
    if matching:
        # `.hf.jsonl` and not `.jsonl`.
        return max(matching, key=lambda format: len(format.suffix)).name
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


def format_option() -> str | None:
    """The option that names the format of an output file."""
    return option(
        None,
        f"Output format: {', '.join(writable_names())}; {', '.join(aliases_of(writable_names()))} are other names of "
        "the first two.",
        metavar="NAME",
        short="f",
        default_text="from the suffix of the output",
    )
