"""`nlmchem curate select|export|import|learn`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.command import (
    CORPUS_WORK,
    DONE,
    INCOMPLETE,
    Call,
    Command,
    CommandGroup,
    Progress,
    Result,
    record,
)
from corpora.commands.options import FILE, REQUIRED, argument, group, option, with_flags
from corpora.commands.shared import minutes_option, out_folder, seed_option
from corpora.errors import Argument, Text
from corpora.formats.registry import editor_names
from corpora.words.quantities import quantity
from nlmchem.tagging.options import training_device
from sieves.lexicon.options import LexiconOptions

GROUP = CommandGroup(
    "curate",
    "Correct annotations in an editor: choose passages, export them, import the corrections, learn from them.",
    order=("select", "export", "import", "learn"),
    heading=CORPUS_WORK,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    runs: tuple[str, ...] = argument(
        "Runs over the same documents. Each one is a file, folder or archive.", metavar="RUN..."
    )
    out: Path = out_folder()
    number: int = option(50, "Number of passages.", short="n", minimum=1)
    threshold: float = option(0.5, "The score at which a mention is decided: mentions near it are uncertain.")
    random: bool = option(False, "Choose at random, for comparison.")
    seed: int = seed_option()
    missing: str = option("error", "Documents that a run does not contain, as in `ensemble`.", metavar="error|abstain")
    below: float | None = option(
        None,
        "Choose all passages that have a mention with a lower probability, in place of a number of passages.",
        minimum=0,
        maximum=1,
        default_text="a number of passages",
    )
    route: Path | None = option(
        None,
        "Also write the passages as JSON lines, for a language model or other tool; the option `route` of "
        "`nlmchem align` takes the answer.",
        metavar="FILE",
        place=FILE,
    )


def curate_select(options: SelectOptions, progress: Progress) -> Result:
    """Choose the passages of a run whose correction should be worth most.

    The first RUN is the one to be corrected. Others are compared with it: passages on which runs disagree count more.
    """
    from nlmchem.companions.curation.selection import Choice, write_selection

    out, seed = options.out, options.seed if options.random else None
    choice = Choice(options.number, options.threshold, seed, options.missing, options.below)
    account = write_selection(out, options.runs, choice, progress, options.route)
    reasons = ", ".join(f"{name} {count}" for name, count in account["reasons"].items()) or (
        "random" if options.random else "probability"
    )
    line = (
        f"chose {len(account['passages'])} of {quantity(account['passages_with_text'], 'passage')} in "
        f"{quantity(account['articles'], 'article')}; reasons: {reasons}; results in {out}"
    )
    return record(account, line, files=(out,))


SELECT = Command(
    "curate select", SelectOptions, curate_select, Call({"runs": ["runs/*/"], "out": "selection/", "number": 50})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    selection: Path = argument("A folder of `curate select`.")
    out: Path = out_folder()
    to: str = option(REQUIRED, f"The editor: {', '.join(editor_names())}, bioc.", metavar="NAME")
    source: LexiconOptions = group(LexiconOptions)


def curate_export(options: ExportOptions, progress: Progress) -> Result:
    """Write a selection as tasks for an annotation editor, with up to five concepts that each mention may mean."""
    from nlmchem.companions.curation.selection import export

    out = options.out
    articles, passages = export(options.selection, options.to, out, options.source.lexicon, progress)
    return record(
        {"editor": options.to, "articles": articles, "passages": passages, "out": str(out)},
        f"wrote {quantity(passages, 'passage')} of {quantity(articles, 'article')} for {options.to}; results in {out}",
        files=(out,),
    )


EXPORT = Command(
    "curate export",
    ExportOptions,
    curate_export,
    Call({"selection": "selection/", "out": "tasks/", "to": "label-studio"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    tasks: tuple[str, ...] = argument("What the editor exported: files, folders or archives.", metavar="TASKS...")
    selection: Path = option(REQUIRED, "The selection that the tasks are from.", metavar="FOLDER")
    out: Path = out_folder()
    merge: str = option(
        "majority",
        "Passages with several annotators: the mentions of more than half of them, of any, of all, or of the first "
        "one.",
        metavar="majority|union|intersection|first",
    )
    unchanged: str = option(
        "done",
        "Whether unchanged passages of doccano, brat and BioC, which do not record it, are finished.",
        metavar="done|open",
    )
    source: LexiconOptions = group(LexiconOptions)


def curate_import(options: ImportOptions, progress: Progress) -> Result:
    """Read corrected tasks, and write gold articles of the finished passages with an account of every change.

    The annotator of a mention is the one that the tasks state, else the name of the file or its folder.
    """
    from nlmchem.companions.curation.gold import import_tasks

    out = options.out
    with options.source.open(progress) as lexicon:

        def is_known(identifier: str) -> bool:
            return lexicon.concept(identifier) is not None

        account = import_tasks(
            options.tasks, options.selection, out, options.merge, is_known, progress, options.unchanged
        )
    lines, problems = [], list(account["failed"])
    for name, counts in account["annotators"].items():
        lines.append(f"{name}: {', '.join(f'{key} {count}' for key, count in counts.items() if count)}")
    for pair in account["agreement"]:
        values = ", ".join(f"{key} {pair[key]:.4f}" for key in ("strict", "approximate", "identifiers", "kappa"))
        lines.append(f"{' and '.join(pair['annotators'])}: {values} in {quantity(pair['passages'], 'passage')}")
    lines.append(f"wrote {quantity(account['passages'], 'passage')}; results in {out}")
    if account["unfinished"]:
        missing = quantity(len(account["unfinished"]), "passage")
        problems.append(f"{missing} of the selection not finished, or failed; {out} lacks them")
    if account["duplicates"]:
        again = quantity(account["duplicates"], "mention")
        problems.append(f"{again} at the same place as another one, counted once")
    if unknown := account["unknown_identifiers"]:
        problems.append(f"identifiers that the lexicon does not have: {', '.join(unknown)}; correct them")
    exit_code = INCOMPLETE if account["failed"] else DONE
    return record(account, *lines, problems=problems, files=(out,), exit_code=exit_code)


IMPORT = Command(
    "curate import", ImportOptions, curate_import,
    Call({"tasks": ["project.json"], "selection": "selection/", "out": "gold/"}),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnOptions:
    gold: tuple[str, ...] = argument("Corrected articles: folders of `curate import`, or BioC.", metavar="GOLD...")
    out: Path = out_folder()
    base: Path = option(Path("default"), "Tagger to start from: default (the embedded one), or a folder.")
    replay: tuple[str, ...] = option(
        (), "Corpus of an earlier training; a sample is mixed in.", metavar="CORPUS", repeat=True
    )
    folds: int = option(5, "Folds of the cross-validation over the articles.", minimum=2)
    passes: float = option(4.0, "Passes over the articles.")
    device: str = training_device()
    minutes: float | None = minutes_option()
    source: LexiconOptions = group(LexiconOptions)


def curate_learn(options: LearnOptions, progress: Progress) -> Result:
    """Train a tagger and a decision on corrected articles, and compare them with the tagger before.

    All scores are of articles that were not trained on. A tagger that is not better is not recommended.
    """
    from corpora.extras import require

    require("torch", "transformers", "accelerate", "sklearn", extra="train", purpose="training a tagger")
    from nlmchem.companions.curation.learning import BOTH, learn, plan
    from nlmchem.evaluation.comparison import as_objects, as_text
    from nlmchem.tagging.training.data import read_corpus

    target, earlier = (
        [read_corpus(name, report=progress) for name in names] for names in (options.gold, options.replay)
    )
    out = options.out
    training = plan(options.base, out, target, earlier, options.folds, options.passes, options.device, options.minutes)
    with options.source.open(progress) as lexicon:
        learnt = learn(training, lexicon, progress)
    if learnt.scores is None:
        return Result(exit_code=INCOMPLETE, value=learnt)
    account = {
        "runs": list(as_objects(learnt.scores)),
        "recommended": learnt.recommended,
        "tagger": str(learnt.tagger),
        "decision": learnt.decision and str(learnt.decision),
    }
    lines = [*as_text(learnt.scores), ""]
    if learnt.recommended is None:
        kept = f"keep the tagger {options.base}; the new one is {learnt.tagger}"
        lines.append(f"not better than before in 95% of the samples: {kept}")
    else:
        decision = str(learnt.decision if learnt.recommended == BOTH else learnt.kept)
        words = Argument("tagger", str(learnt.tagger)), " ", Argument("decision", decision)
        lines.append(with_flags(Text("better: nlmchem annotate INPUT -o OUTPUT ", *words)))
    return record(account, *lines, files=(out,), value=learnt)


LEARN = Command("curate learn", LearnOptions, curate_learn, Call({"gold": ["gold/"], "out": "model/"}))
