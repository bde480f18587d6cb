"""`nlmchem lexicon migrate` and `nlmchem lexicon export`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import DONE, INCOMPLETE, Result, record
from corpora.commands.shared import annotated_argument, out_file, out_folder, overwrite_option
from corpora.words.quantities import quantity
from sieves.lexicon.options import LexiconOptions, YearOptions


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
    from sieves.lexicon import migration_report as report
    from sieves.lexicon.migrated_files import migrate_files
    from sieves.lexicon.migration import Migration, Outcome

    out = options.out
    with options.source.open(progress) as lexicon:
        migration = Migration(lexicon, options.to)
        with replacing_owned(out) as folder:
            tables = (report.TABLE, report.MAPPINGS)
            migrated = migrate_files(options.annotated, folder, migration, progress, tables)
            write_text(folder / report.TABLE, report.lines(report.table(migrated, lexicon)))
            mappings = report.sssom_head(migrated) + report.lines(report.mappings(migrated, lexicon))
            write_text(folder / report.MAPPINGS, mappings)
    undecided = {fate.identifier for fate in migrated.fates if fate.is_undecided}
    problems = [*migrated.problems]
    if undecided:
        number = quantity(len(undecided), "identifier was", "identifiers were")
        problems.append(f"{number} not decided and left as they are; {out / report.TABLE} lists them first")
    counts = {outcome.value: sum(n for f, n in migrated.fates.items() if f.outcome is outcome) for outcome in Outcome}
    return record(
        {"articles": migrated.articles, "rows": migrated.rows, "to": options.to, **counts, "out": str(out)},
        f"{report.summary(migrated)}; results in {out}",
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
    from sieves.lexicon.skos import turtle

    out, number = options.out, -1
    with options.source.open(progress) as lexicon, replacing(out) as stream:
        for block in progress.counted(turtle(lexicon), "concept"):
            stream.write(block.encode())
            number += 1
    return record({"concepts": number, "out": str(out)}, f"{quantity(number, 'concept')} in {out}", files=(out,))


EXPORT = Command("lexicon export", LexiconExportOptions, lexicon_export, Call({"to": "inception", "out": "mesh.ttl"}))
