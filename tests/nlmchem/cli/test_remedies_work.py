"""The remedies that messages name work: each row has a command, its message, and what the message says."""

from __future__ import annotations

import gzip
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_mesh import write_mesh

Nlmchem = Callable[..., tuple[int, str, str]]

TAG = "annotate a.txt --steps tag --tagger lexicon --lexicon starter --workers 1"
BOTH = TAG.replace("tag ", "tag,normalize ", 1)
BAD = b"<collection><source/><date/><key/><document><id>1</id><passage><offset>x</offset><text>Zinc</text></passage>"


@dataclass(frozen=True, slots=True)
class Row:
    """`before` prepares; `line` prints `message`; `remedy` follows it and must end with 0."""

    line: str
    message: str
    remedy: tuple[str | Callable[[], None], ...]
    before: tuple[str | Callable[[], None], ...] = ()
    code: int = 2


def damage(path: str, content: str) -> Callable[[], None]:
    """Writes a file."""

    def write() -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content)

    return write


def correct_copy() -> None:
    (copy,) = Path("out/quarantine").rglob("article.xml")
    copy.write_bytes(copy.read_bytes().replace(b">x<", b">0<"))


def correct_input() -> None:
    Path("bad.xml").write_bytes(BAD.replace(b">x<", b">0<") + b"</document></collection>")


OTHER = f"{BOTH} -o out"
BUILD = "lexicon build --desc mesh/desc2024.xml --supp mesh/supp2024.xml.gz --no-shipped-names -o own.sqlite"
FAILS = TAG.replace("a.txt", "a.txt bad.xml") + " -o out"
RUNS = (f"{BOTH} -o one", f"{BOTH.replace('a.txt', 'a.txt b.txt')} -o two")
VOTE = "ensemble spans one two -o vote --workers 1"
ROWS = {
    "existing mentions, keep": Row(
        f"{TAG.replace('a.txt', 'out')} -o again", "use --existing keep or --existing replace",
        (f"{TAG.replace('a.txt', 'out')} -o again --existing keep",), (f"{TAG} -o out",), 3,
    ),
    "existing mentions, replace": Row(
        f"{TAG.replace('a.txt', 'out')} -o again", "use --existing keep or --existing replace",
        (f"{TAG.replace('a.txt', 'out')} -o again --existing replace",), (f"{TAG} -o out",), 3,
    ),
    "another configuration": Row(
        OTHER, "choose another folder, or use --restart", (f"{OTHER} --restart",), (f"{TAG} -o out",)
    ),
    "another configuration, another folder": Row(
        OTHER, "choose another folder, or use --restart", (f"{BOTH} -o new",), (f"{TAG} -o out",)
    ),
    "damaged ledger": Row(
        OTHER, "--restart", (f"{OTHER} --restart",), (OTHER, damage("out/.nlmchem/ledger.sqlite", "x" * 5000))
    ),
    "failed article, its copy": Row(
        FAILS, "correct the copies and run `nlmchem replay out/quarantine`", (correct_copy, "replay out"), (), 3
    ),
    "failed article, its input": Row(
        FAILS, "correct the input and run again with --retry-failed", (correct_input, f"{FAILS} --retry-failed"), (), 3
    ),
    "no run": Row("replay nothing", "name the output folder of `nlmchem annotate`", ("replay out",), (OTHER,)),
    "quarantine deleted": Row(
        "replay out", "--retry-failed", (correct_input, f"{FAILS} --retry-failed"),
        (FAILS, lambda: Path("out/quarantine").rename("gone")), 3,
    ),
    "damaged record of the cache": Row(
        "fetch mesh --year 2024 --from-file mesh", "remove the folder ",
        (lambda: shutil.rmtree("home/mesh"), "fetch mesh --year 2024 --from-file mesh/desc2024.gz"),
        (damage("home/mesh/record.json", "[]"),),
    ),
    "no name": Row("fetch", "`nlmchem fetch --list` shows the names", ("fetch --list",)),
    "no year": Row(
        "fetch mesh --mirror http://127.0.0.1:9", "`nlmchem fetch mesh --year 2024`",
        ("fetch mesh --year 2024 --from-file mesh/desc2024.gz",)
    ),
    "no lexicon": Row(
        "lexicon lookup zinc --lexicon own.sqlite", "build one with `nlmchem lexicon build`",
        (BUILD, "lexicon lookup D000002 --lexicon own.sqlite"),
    ),
    "unknown name": Row(
        "lexicon lookup xyzq --lexicon starter", "`nlmchem lexicon explain` tries the sieves",
        ("lexicon explain xyzq --lexicon starter",), (), 1,
    ),
    "year without history": Row(
        "lexicon lookup D000002 --lexicon own.sqlite --as-of 1900", "or leave --as-of out",
        ("lexicon lookup D000002 --lexicon own.sqlite",), (BUILD,),
    ),
    "mistyped command": Row(
        "lexicon bild", "As an argument: `nlmchem lexicon lookup bild`", ("lexicon lookup zinc --lexicon starter",)
    ),
    "missing articles": Row(VOTE, "add them, or use --missing abstain", (f"{VOTE} --missing abstain",), RUNS),
    "an earlier vote": Row(
        f"{VOTE} --missing abstain", "choose another, or add --restart", (f"{VOTE} --missing abstain --restart",),
        (*RUNS, f"{VOTE} --missing abstain"),
    ),
    "no concepts": Row(
        "index explain out --lexicon starter", "annotate the article with --steps tag,normalize first",
        (f"{BOTH} -o new", "index explain new --lexicon starter"), (f"{TAG} -o out",), 0,
    ),
    "no format": Row("convert a.txt new", "add --format biocxml|", ("convert a.txt new --format biocxml",)),
    "an option alone": Row(
        "abbreviations a.txt --threshold 0.5", "--threshold needs --undefined; add it, or leave --threshold out",
        ("abbreviations a.txt",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_remedy_works(row: Row, run: Nlmchem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    Path("a.txt").write_text("Zinc chloride and ethanol in water.")
    Path("b.txt").write_text("Ethanol.")
    Path("bad.xml").write_bytes(BAD + b"</document></collection>")
    Path("mesh").mkdir()
    write_mesh(Path("mesh"))
    Path("mesh/desc2024.gz").write_bytes(gzip.compress(Path("mesh/desc2024.xml").read_bytes()))

    def done(step: str | Callable[[], None]) -> tuple[int, str, str]:
        if callable(step):
            step()
            return 0, "", ""
        ended = run(*shlex.split(step))
        Path("printed.jsonl").write_text(ended[1])
        return ended

    for step in row.before:
        done(step)
    code, _, message = done(row.line)
    assert row.message in message
    assert code == row.code
    for step in row.remedy:
        code, printed, told = done(step)
        assert code == 0, f"{step}: {printed} {told}"
    if row.code == 0:
        assert row.message not in told, "the note is gone"
