"""`nlmchem curate`: choose passages for curators, hand them to an editor, take them back, and learn from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpora.formats.registry import editor_names
from nlmchem.cli.ensemble import RunsArgument
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.groups import group
from nlmchem.cli.shared import JsonOption, LexiconOption, MinutesOption, OutFolderOption
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from nlmchem.companions.curation.learning import Learnt

SELECT_EXAMPLE = "Example: nlmchem curate select runs/*/ -n 50 -o selection/"
EXPORT_EXAMPLE = "Example: nlmchem curate export selection/ --to label-studio -o tasks/"
LEARN_EXAMPLE = "Example: nlmchem curate learn gold/ -o model/"
IMPORT_EXAMPLE = "Example: nlmchem curate import project.json --selection selection/ -o gold/"

app = group("Correct annotations in an editor: choose passages, export them, import the corrections, learn from them.")


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
    from nlmchem.companions.curation.selection import Choice, write_selection

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
    from nlmchem.companions.curation.exporting import export

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
    unchanged: Annotated[
        str,
        typer.Option(
            metavar="done|open",
            help="Whether unchanged passages of doccano, brat and BioC, which do not record it, are finished.",
        ),
    ] = "done",
    lexicon: LexiconOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read corrected tasks, and write gold articles of the finished passages with an account of every change.

    The annotator of a mention is the one that the tasks state, else the name of the file or its folder.
    """
    from nlmchem.companions.curation.gold import import_tasks
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        done = import_tasks(tasks, selection, out, merge, lambda one: opened.concept(one) is not None, warn, unchanged)
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


@app.command("learn", epilog=LEARN_EXAMPLE)
def learn(
    gold: Annotated[
        list[str], typer.Argument(metavar="GOLD...", help="Corrected articles: folders of `curate import`, or BioC.")
    ],
    out: OutFolderOption,
    base: Annotated[Path, typer.Option(help="Tagger to start from: default (the embedded one), or a folder.")] = Path(
        "default"
    ),
    replay: Annotated[
        list[str] | None,
        typer.Option(metavar="CORPUS", help="Corpus of an earlier training; a sample is mixed in. Can be repeated."),
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation over the articles.", min=2)] = 5,
    passes: Annotated[float, typer.Option(help="Passes over the articles.")] = 4,
    device: Annotated[str, typer.Option(help="Where models are trained: cpu, cuda or cuda:N.")] = "cpu",
    minutes: MinutesOption = None,
    lexicon: LexiconOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train a tagger and a decision on corrected articles, and compare them with the tagger before.

    All scores are of articles that were not trained on. A tagger that is not better is not recommended.
    """
    from corpora.extras import require

    for package in ("transformers", "accelerate", "sklearn"):
        require(package, extra="train", purpose="training a tagger")
    from nlmchem.companions.curation.learning import learn, plan
    from nlmchem.tagging.training.data import read_corpus
    from sieves.lexicon.lexicon import Lexicon

    target, earlier = ([read_corpus(name, report=warn) for name in names] for names in (gold, replay or ()))
    planned = plan(base, out, target, earlier, folds, passes, device, minutes)
    with Lexicon.open(lexicon) as opened:
        learnt = learn(planned, opened, warn)
    if learnt.scores is None:
        raise typer.Exit(INCOMPLETE)
    _print_learnt(learnt, str(base), as_json)


def _print_learnt(learnt: Learnt, base: str, as_json: bool) -> None:
    from nlmchem.companions.curation.learning import BOTH
    from nlmchem.evaluation.tables import as_json as rows
    from nlmchem.evaluation.tables import as_text

    assert learnt.scores is not None
    if as_json:
        runs = [json.loads(row) for row in rows(learnt.scores)]
        value = {
            "runs": runs,
            "recommended": learnt.recommended,
            "tagger": str(learnt.tagger),
            "decision": learnt.decision and str(learnt.decision),
        }
        print(json.dumps(value))
        return
    for line in as_text(learnt.scores):
        print(line)
    print()
    if learnt.recommended is None:
        print(f"not better than before in 95% of the samples: keep the tagger {base}; the new one is {learnt.tagger}")
        return
    decision = learnt.decision if learnt.recommended == BOTH else learnt.kept
    print(f"better: nlmchem annotate INPUT -o OUTPUT --tagger {learnt.tagger} --decision {decision}")
