"""The commands of a lexicon: `nlmchem lexicon build`, `info`, `lookup`, `migrate` and `export`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.command import DONE, INCOMPLETE, Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.shared import annotated_argument, out_file, out_folder, overwrite_option, split_pair
from corpora.words.quantities import quantity
from sieves.lexicon.options import LexiconOptions, YearOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconBuildOptions:
    """The files that a lexicon is built from."""

    desc: tuple[Path, ...] = option(
        REQUIRED, "descYYYY file of NLM, XML or gzip; the newest first.", metavar="FILE", repeat=True
    )
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    supp: tuple[Path, ...] = option((), "suppYYYY file of NLM; the newest first.", metavar="FILE", repeat=True)
    history: tuple[Path, ...] = option(
        (), "Parents file of an earlier year, for example parents_2021.json.", metavar="FILE", repeat=True
    )
    names: tuple[str, ...] = option((), "Names of another terminology (TSV or CSV).", metavar="LAYER=FILE", repeat=True)
    crossref: tuple[Path, ...] = option(
        (), "TSV file that maps MeSH ids to ids of other terminologies.", metavar="FILE", repeat=True
    )
    corpus: tuple[str, ...] = option(
        (), "Annotated articles; their mentions become names, with counts.", metavar="LAYER=FILE", repeat=True
    )
    branch: tuple[str, ...] = option(
        (),
        "Tree number of MeSH whose concepts are chemicals.",
        metavar="TREE",
        repeat=True,
        default_text="the branches of chemicals",
    )
    shipped_names: bool = option(
        True, "Add the names that come with nlmchem: the starter names, and names of MeSH that the files lack."
    )


def lexicon_build(options: LexiconBuildOptions, progress: Progress) -> Result:
    """Build a lexicon from the yearly files of NLM and from other names.

    The file is written only when it is complete.
    """
    from corpora.model.chemical import BRANCHES
    from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon
    from sieves.lexicon.shipped import shipped_file
    from sieves.lexicon.tables import STARTER_NAMES

    out = options.out
    sources = Sources(
        options.desc,
        options.supp,
        history=options.history,
        names=_layers(options.names, "names"),
        crossrefs=options.crossref,
        registry=options.crossref,
        corpora=_layers(options.corpus, "corpus"),
        first=(STARTER_NAMES,) if options.shipped_names else (),
        earlier=shipped_file(progress) if options.shipped_names else None,
        branches=options.branch or BRANCHES,
    )
    version = build_mesh_lexicon(sources, out, progress)
    return record({"lexicon": str(out), "version": version}, f"{out}: version {version[:12]}", files=(out,))


def _layers(texts: tuple[str, ...], option: str) -> tuple[tuple[str, Path], ...]:
    return tuple((layer, Path(path)) for layer, path in (split_pair(text, option) for text in texts))


BUILD = Command(
    "lexicon build", LexiconBuildOptions, lexicon_build,
    Call({"desc": ["desc2026.gz"], "out": "mesh.sqlite", "supp": ["supp2026.gz"]}),
)  # fmt: skip

_INTERNAL = ("sha256", "openings")
"""Facts of the file that mean nothing to users."""


def lexicon_info(options: LexiconOptions, progress: Progress) -> Result:
    """Show which lexicon is in use, its version, sources and years, and the number of its concepts and names."""
    with options.open(progress) as lexicon:
        facts = {
            "in use": lexicon.database.place,
            "version": lexicon.version,
            **lexicon.meta,
            **lexicon.database.counts(),
        }
    shown = {name: fact for name, fact in facts.items() if name not in _INTERNAL}
    lines = (
        f"{name}\t{fact:,}" if isinstance(fact, int) else f"{name}\t{' '.join(str(fact).split())}"
        for name, fact in shown.items()
    )
    return record(shown, *lines)


INFO = Command("lexicon info", LexiconOptions, lexicon_info, Call({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateOptions:
    """The options of `nlmchem lexicon migrate`."""

    annotated: tuple[str, ...] = annotated_argument()
    to: int = option(REQUIRED, "The year of MeSH whose identifiers are wanted.", metavar="YEAR")
    out: Path = out_folder()
    source: LexiconOptions = group(LexiconOptions)


def lexicon_migrate(options: MigrateOptions, progress: Progress) -> Result:
    """Replace the MeSH identifiers of annotated articles or tables by those of another year.

    OUT has the files in their own formats, a table of what became of each identifier (migration.tsv), and the same as
    mappings (migration.sssom.tsv). An identifier without successor, or with several that the text of the mention does
    not decide between, stays. The exit code is 3 if something could not be decided or read.
    """
    from corpora.storage.atomic import write_text
    from corpora.storage.owned_files import replacing_owned
    from sieves.lexicon import migrated_files as files
    from sieves.lexicon.migration import Migration, Outcome

    out = options.out
    with options.source.open(progress) as lexicon:
        migration = Migration(lexicon, options.to)
        with replacing_owned(out) as folder:
            tables = (files.TABLE, files.MAPPINGS)
            migrated = files.migrate_files(options.annotated, folder, migration, progress, tables)
            write_text(folder / files.TABLE, files.lines(files.table(migrated, lexicon)))
            mappings = files.sssom_head(migrated) + files.lines(files.mappings(migrated, lexicon))
            write_text(folder / files.MAPPINGS, mappings)
    undecided = {fate.identifier for fate in migrated.fates if fate.is_undecided}
    problems = [*migrated.problems]
    if undecided:
        number = quantity(len(undecided), "identifier was", "identifiers were")
        problems.append(f"{number} not decided and left as they are; {out / files.TABLE} lists them first")
    counts = {outcome.value: sum(n for f, n in migrated.fates.items() if f.outcome is outcome) for outcome in Outcome}
    return record(
        {"articles": migrated.articles, "rows": migrated.rows, "to": options.to, **counts, "out": str(out)},
        f"{files.summary(migrated)}; results in {out}",
        problems=problems,
        files=(out,),
        exit_code=INCOMPLETE if problems else DONE,
        value=migrated,
    )


MIGRATE = Command(
    "lexicon migrate", MigrateOptions, lexicon_migrate,
    Call({"annotated": ["annotated/"], "to": 2026, "out": "annotated-2026/"}),
)  # fmt: skip


INCEPTION = "inception"


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconExportOptions:
    """The options of `nlmchem lexicon export`."""

    to: str = option(INCEPTION, "The program that reads it.", choices=(INCEPTION,))
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    source: YearOptions = group(YearOptions)


def lexicon_export(options: LexiconExportOptions, progress: Progress) -> Result:
    """Write the chemicals of a lexicon as a knowledge base of an annotation editor (SKOS in Turtle)."""
    from corpora.storage.owned_files import replacing
    from sieves.lexicon.looking_up import turtle

    out, number = options.out, -1
    with options.source.open(progress) as lexicon, replacing(out) as stream:
        for block in progress.counted(turtle(lexicon), "concepts"):
            stream.write(block.encode())
            number += 1
    return record({"concepts": number, "out": str(out)}, f"{quantity(number, 'concept')} in {out}", files=(out,))


EXPORT = Command("lexicon export", LexiconExportOptions, lexicon_export, Call({"to": "inception", "out": "mesh.ttl"}))
