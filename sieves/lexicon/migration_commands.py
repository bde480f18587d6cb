"""`nlmchem lexicon migrate`."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.command import Command
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import DONE, INCOMPLETE, Result, record
from corpora.commands.shared import Annotated, OutFolder
from corpora.words.quantities import quantity
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateOptions:
    """The options of `nlmchem lexicon migrate`."""

    articles: Annotated = group(Annotated)
    to: int = option(REQUIRED, "The year of MeSH whose identifiers are wanted.", metavar="YEAR")
    output: OutFolder = group(OutFolder)
    source: LexiconOptions = group(LexiconOptions)


def lexicon_migrate(options: MigrateOptions, progress: Progress) -> Result:
    """Replace the MeSH identifiers of annotated articles or tables by those of another year.

    OUT has the files in their own formats, a table of what became of each identifier (migration.tsv), and the same as
    mappings (migration.sssom.tsv). An identifier without successor, or with several that the text of the mention does
    not decide between, stays. The exit code is 3 if something could not be decided or read.
    """
    from corpora.storage.atomic import write_text
    from corpora.storage.owned_folder import replacing_owned
    from sieves.lexicon import migration_report as report
    from sieves.lexicon.migrated_files import migrate_files
    from sieves.lexicon.migration import Migration, Outcome

    out = options.output.out
    with options.source.open(progress) as lexicon:
        migration = Migration(lexicon, options.to)
        with replacing_owned(out) as folder:
            migrated = migrate_files(options.articles.annotated, folder, migration, progress)
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
    "nlmchem lexicon migrate annotated/ --to 2026 -o annotated-2026/",
)  # fmt: skip
