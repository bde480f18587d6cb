"""The list of commands. Each is imported when it is used, so that the others do not slow its start."""

from __future__ import annotations

from typing import Annotated

import typer

from nlmchem.cli.exit_codes import EXIT_CODES
from nlmchem.cli.groups import Entry, group

# \b: the lines of this paragraph are not joined.
_EPILOG = "Example: nlmchem annotate articles/ -o annotated/\n\n\b\nExit codes:\n" + "\n".join(
    f"  {code:3}  {meaning}" for code, meaning in EXIT_CODES.items()
)

ENTRIES = {
    "annotate": Entry("annotate:annotate", "Mark chemicals in articles, link them to MeSH, and add index terms."),
    "replay": Entry(
        "annotate:replay", "Annotate failed articles again, from their copies in the quarantine.", "REPLAY_EXAMPLE"
    ),
    "convert": Entry("convert:convert", "Convert articles to another format."),
    "view": Entry(
        "view:view", "Show annotated articles in a browser: mentions, concepts, abbreviations and index terms."
    ),
    "abbreviations": Entry("abbreviations:abbreviations", "List the abbreviations that articles define."),
    "lexicon": Entry("lexicon:app", "Build a lexicon from MeSH and other sources, and look up names in a lexicon."),
    "index": Entry("index:app", "List the index terms of annotated articles, suggest others, or explain them."),
    "keyphrases": Entry("keyphrases:app", "List the keyphrases of articles, or explain them."),
    "pairs": Entry(
        "pairs:pairs",
        "Decide for each pair whether its two terms mean the same in their sentences, and print the reasons.",
    ),
    "explain": Entry("explain:explain", "Show which texts of an article become mentions, which do not, and why."),
    "evaluate": Entry(
        "evaluate:app",
        "Score runs as the NLM-Chem track does, test whether differences are significant, and show the errors.",
    ),
    "ensemble": Entry("ensemble:app", "Combine several runs into one by voting, or measure their agreement."),
    "silver": Entry("silver:app", "Make a silver-standard corpus for training, from runs or from articles."),
    "curate": Entry(
        "curate:app",
        "Correct annotations in an editor: choose passages, export them, import the corrections, learn from them.",
    ),
    "corpora": Entry(
        "corpora:app", "List, check, convert, split and compare corpora, and make training data from them."
    ),
    "train": Entry("train:app", "Train taggers, decisions, indexers and encoders of names."),
    "submit": Entry(
        "submit:submit",
        "Annotate the articles of the NLM-Chem challenge, write a submission file, and check that the scorer "
        "accepts it.",
    ),
    "fetch": Entry(
        "fetch:fetch",
        "Download public data and models into the cache (the folder NLMCHEM_HOME) and verify their checksums.",
    ),
    "bench": Entry(
        "bench:bench",
        "Measure the speed and the memory of this installation, and estimate the time of a large run.",
        "BENCH_EXAMPLE",
    ),
    "doctor": Entry(
        "bench:doctor",
        "Check the installation: versions, models, lexicons, the output folder, and one annotated example.",
        "DOCTOR_EXAMPLE",
    ),
}
"""The commands, in the order of `nlmchem --help`."""

app = group(
    "Find chemicals in full-text articles, link them to MeSH, and index the articles. Reads and writes BioC.",
    name="nlmchem",
    epilog=_EPILOG,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    entries=ENTRIES,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from nlmchem import __version__

        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
