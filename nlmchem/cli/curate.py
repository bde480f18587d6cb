"""`nlmchem curate`: choose passages for curators, hand them to an editor, and take them back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from corpora.formats.registry import editor_names
from nlmchem.cli.ensemble import RunsArgument
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.groups import group
from nlmchem.cli.shared import JsonOption, LexiconOption, OutFolderOption
from nlmchem.progress import warn

SELECT_EXAMPLE = "Example: nlmchem curate select runs/*/ -n 50 -o selection/"
EXPORT_EXAMPLE = "Example: nlmchem curate export selection/ --to label-studio -o tasks/"
IMPORT_EXAMPLE = "Example: nlmchem curate import project.json --selection selection/ -o gold/"

app = group("Correct annotations in an editor: choose passages, export them, and import the corrections.")


@app.command("select", epilog=SELECT_EXAMPLE)
def select(
    runs: RunsArgument,
    out: OutFolderOption,
    number: Annotated[int, typer.Option("--number", "-n", help="Number of passages.", min=1)] = 50,
    threshold: Annotated[
        float, typer.Option(help="The score at which a mention is decided: mentions near it are uncertain.")
    ] = 0.5,
    random: Annotated[bool, typer.Option("--random", help="Choose at random, for comparison.")] = False,
    seed: Annotated[int, typer.Option(help="Random seed, with --random.", min=0)] = 0,
    missing: Annotated[
        str, typer.Option(metavar="error|abstain", help="Documents that a run does not contain, as in `ensemble`.")
    ] = "error",
    as_json: JsonOption = False,
) -> None:
    """Choose the passages of a run whose correction should be worth most.

    The first RUN is the one to be corrected. Others are compared with it: passages on which runs disagree count more.
    """
    from nlmchem.curation.selection import Choice, write_selection

    account = write_selection(out, runs, Choice(number, threshold, seed if random else None, missing), warn)
    if as_json:
        print(json.dumps(account))
        return
    reasons = ", ".join(f"{name} {count}" for name, count in account["reasons"].items()) or "random"
    print(
        f"chose {len(account['passages'])} of {account['passages_with_text']} passages in {account['articles']} "
        f"articles; reasons: {reasons}; results in {out}"
    )


@app.command("export", epilog=EXPORT_EXAMPLE)
def export(
    selection: Annotated[Path, typer.Argument(metavar="SELECTION", help="A folder of `curate select`.")],
    out: OutFolderOption,
    to: Annotated[str, typer.Option("--to", metavar="NAME", help=f"The editor: {', '.join(editor_names())}, bioc.")],
    lexicon: LexiconOption = None,
) -> None:
    """Write a selection as tasks for an annotation editor, with up to five concepts that each mention may mean."""
    from nlmchem.curation.exporting import export

    articles, passages = export(selection, to, out, lexicon, warn)
    print(f"wrote {passages} passages of {articles} articles for {to}; results in {out}")


@app.command("import", epilog=IMPORT_EXAMPLE)
def import_(
    tasks: Annotated[
        list[str], typer.Argument(metavar="TASKS...", help="What the editor exported: files, folders or archives.")
    ],
    selection: Annotated[
        Path, typer.Option("--selection", metavar="FOLDER", help="The selection that the tasks are from.")
    ],
    out: OutFolderOption,
    merge: Annotated[
        str,
        typer.Option(
            metavar="majority|union|intersection|first",
            help="Passages with several annotators: the mentions of more than half of them, of any, of all, or of the "
            "first one.",
        ),
    ] = "majority",
    lexicon: LexiconOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read corrected tasks, and write gold articles of the finished passages with an account of every change.

    The annotator of a mention is the one that the tasks state, else the name of the file or its folder.
    """
    from nlmchem.curation.gold import import_tasks
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        done = import_tasks(tasks, selection, out, merge, lambda one: opened.concept(one) is not None, warn)
    account = done.account
    for fault in done.faults:
        warn(fault)
    if account["unfinished"]:
        warn(f"{len(account['unfinished'])} passages of the selection were not finished, or failed; {out} lacks them")
    if account["duplicates"]:
        warn(f"{account['duplicates']} mentions had the same place as another one and were counted once")
    if unknown := account["unknown_identifiers"]:
        warn(f"identifiers that the lexicon does not have: {', '.join(unknown)}; correct them")
    if as_json:
        print(json.dumps(account))
    else:
        _print_account(account, out)
    if done.faults:
        raise typer.Exit(INCOMPLETE)


def _print_account(account: dict[str, Any], out: Path) -> None:
    for name, counts in account["annotators"].items():
        print(f"{name}: {', '.join(f'{key} {count}' for key, count in counts.items() if count)}")
    for pair in account["agreement"]:
        values = ", ".join(f"{key} {pair[key]:.4f}" for key in ("strict", "approximate", "identifiers", "kappa"))
        print(f"{' and '.join(pair['annotators'])}: {values} in {pair['passages']} passages")
    print(f"wrote {account['passages']} passages; results in {out}")
