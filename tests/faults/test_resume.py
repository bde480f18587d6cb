"""The same command again: finished articles are kept, changed ones are annotated again, failed ones on request."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from corpora.errors import ConfigurationError
from nlmchem.commands.progress import Terminal
from nlmchem.engine import outputs, runner
from nlmchem.engine.executors import Dispatcher
from nlmchem.engine.stop import RunStopped
from nlmchem.run.options import Shard

GOOD = 6


@pytest.fixture(params=["in memory", "through parts"])
def writing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small sources are written from memory, large ones through a part file. Both ways must give the same output."""
    if request.param == "through parts":
        monkeypatch.setattr(outputs, "FLUSH_NUMBER", 0)
    return str(request.param)


def _numbers(run: Any) -> tuple[int, int, int]:
    return run.counts.done, run.counts.failed, run.counts.skipped


def test_finished_articles_are_not_annotated_again(
    good: Path, annotate: Any, writing: str, undisturbed: dict[str, bytes]
) -> None:
    annotate(good)
    again = annotate(good)
    assert _numbers(again) == (0, 0, GOOD)
    assert again.tree == undisturbed
    assert not list(again.out.glob(".nlmchem/parts/*"))


def test_a_touched_file_is_not_annotated_again(good: Path, annotate: Any, writing: str) -> None:
    annotate(good)
    for path in good.rglob("*.xml"):
        os.utime(path, (1, 1))
    assert _numbers(annotate(good)) == (0, 0, GOOD)


@pytest.mark.parametrize("change", ["edit", "append", "remove", "insert", "same size and date"])
def test_a_changed_collection_gives_the_output_of_a_new_run(
    change: str, good: Path, articles: Any, annotate: Any, writing: str, tmp_path: Path
) -> None:
    annotate(good)
    path = good / "sub" / "z-good.xml"
    before = path.stat()
    changed = {
        "edit": articles.xml(articles.document(4), articles.document(5, "Also KCl."), articles.document(6)),
        "append": articles.many([4, 5, 6, 7]),
        "remove": articles.many([4, 5]),
        "insert": articles.many([9, 4, 5, 6]),
        "same size and date": articles.many([4, 5, 8]),
    }[change]
    path.write_bytes(changed)
    if change == "same size and date":
        assert path.stat().st_size == before.st_size
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    run = annotate(good)
    whole = annotate(good, out=tmp_path / "whole")
    assert run.tree == whole.tree
    assert run.counts.read == run.counts.articles == whole.counts.articles
    assert run.counts.skipped >= GOOD - 3


def test_only_a_replaced_file_is_annotated_again(
    good: Path, articles: Any, annotate: Any, writing: str, tmp_path: Path
) -> None:
    annotate(good)
    new = tmp_path / "new.xml"
    new.write_bytes(articles.one(9))
    new.replace(good / "a-good.xml")
    run = annotate(good)
    assert _numbers(run) == (1, 0, GOOD - 1)
    assert b"1009" in run.tree["a-good.xml"]


def test_a_deleted_output_is_written_again(
    good: Path, annotate: Any, writing: str, undisturbed: dict[str, bytes]
) -> None:
    first = annotate(good)
    (first.out / "sub" / "z-good.xml").unlink()
    run = annotate(good)
    assert _numbers(run) == (3, 0, 3)
    assert run.tree == undisturbed


def test_failed_articles_of_a_deleted_output_are_not_tried_again(
    good: Path, articles: Any, annotate: Any, writing: str
) -> None:
    (good / "k.xml").write_bytes(articles.xml(articles.document(7), articles.document(8, "\x0b")))
    first = annotate(good)
    (first.out / "k.xml").unlink()
    run = annotate(good)
    assert (run.counts.failed, run.counts.failed_earlier) == (1, 1)
    assert run.tree == first.tree | {"k.xml": run.tree["k.xml"]}
    assert b"1007" in run.tree["k.xml"]


def test_articles_of_a_repacked_archive_are_not_annotated_again(
    good: Path, articles: Any, annotate: Any, writing: str
) -> None:
    import zipfile

    def pack(compression: int, last: int) -> None:
        with zipfile.ZipFile(good / "archive.zip", "w", compression) as archive:
            for number in (7, 8, last):
                archive.writestr(f"{number}.xml", articles.one(number))

    pack(zipfile.ZIP_STORED, 9)
    annotate(good)
    pack(zipfile.ZIP_DEFLATED, 10)
    run = annotate(good)
    assert _numbers(run) == (1, 0, GOOD + 2)


# -- what failed ------------------------------------------------------------------------------------


def _with_failure(good: Path, articles: Any) -> Path:
    path = good / "k.xml"
    path.write_bytes(articles.xml(articles.document(7), articles.document(8, "\x0b"), articles.document(9)))
    return path


def test_a_failed_article_is_tried_again_only_on_request(
    good: Path, articles: Any, annotate: Any, writing: str
) -> None:
    _with_failure(good, articles)
    assert _numbers(annotate(good)) == (GOOD + 2, 1, 0)
    again = annotate(good)
    assert (_numbers(again), again.counts.failed_earlier) == ((0, 1, GOOD + 2), 1)
    retried = annotate(good, retry_failed=True)
    assert (_numbers(retried), retried.counts.failed_earlier) == ((0, 1, GOOD + 2), 0)


def test_retry_failed_after_a_correction_of_the_input(
    good: Path, articles: Any, annotate: Any, writing: str, tmp_path: Path
) -> None:
    path = _with_failure(good, articles)
    first = annotate(good)
    assert (first.out / "quarantine" / "k.xml.1" / "article.xml").exists()
    path.write_bytes(path.read_bytes().replace(b"\x0b", b"urea"))
    run = annotate(good, retry_failed=True)
    assert _numbers(run) == (1, 0, GOOD + 2)
    assert run.tree == annotate(good, out=tmp_path / "whole").tree
    assert not (run.out / "quarantine").exists()
    assert not list(run.out.glob(".nlmchem/parts/*"))


def test_retry_failed_without_failures(good: Path, annotate: Any, writing: str, undisturbed: dict[str, bytes]) -> None:
    annotate(good)
    run = annotate(good, retry_failed=True)
    assert _numbers(run) == (0, 0, GOOD)
    assert run.tree == undisturbed


def test_an_article_that_is_removed_from_the_input_is_removed_from_the_quarantine(
    good: Path, articles: Any, annotate: Any, writing: str
) -> None:
    path = _with_failure(good, articles)
    annotate(good)
    path.write_bytes(articles.many([7]))
    run = annotate(good)
    assert run.counts.failed == 0
    assert not (run.out / "quarantine").exists()


def test_a_collection_whose_only_article_fails_has_no_output(
    good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    (good / "k.xml").write_bytes(articles.one(7))
    annotate(good)
    (good / "k.xml").write_bytes(articles.one(7, "\x0b"))
    run = annotate(good)
    assert run.counts.failed == 1
    assert run.tree == undisturbed


# -- replay -------------------------------------------------------------------------------------------


def test_a_replayed_article_is_put_into_the_output(
    good: Path, articles: Any, annotate: Any, writing: str, tmp_path: Path
) -> None:
    path = _with_failure(good, articles)
    out = annotate(good).out
    uncorrected = runner.replay(out)
    assert (uncorrected.done, uncorrected.failed) == (0, 1)
    article = out / "quarantine" / "k.xml.1" / "article.xml"
    article.write_bytes(article.read_bytes().replace(b"\x0b", b"urea"))
    corrected = runner.replay(out / "quarantine")
    assert (corrected.done, corrected.failed, corrected.skipped) == (1, 0, 2)
    twice = runner.replay(out)
    assert twice.articles == 0
    # The input has not changed, so it is not read again, and the corrected article stays.
    run = annotate(good)
    assert _numbers(run) == (0, 0, GOOD + 3)
    path.write_bytes(path.read_bytes().replace(b"\x0b", b"urea"))
    assert run.tree == annotate(good, out=tmp_path / "whole").tree
    assert not (out / "quarantine").exists()


def test_replay_reports_inputs_that_could_not_be_read(
    good: Path, annotate: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (good / "k.xml").write_bytes(b"")
    out = annotate(good).out
    counts = runner.replay(out, progress=Terminal())
    assert (counts.done, counts.failed) == (0, 1)
    assert "repair it and annotate again" in capsys.readouterr().err


def test_replay_of_a_run_that_was_killed_leaves_it_unfinished(
    good: Path, articles: Any, annotate: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    documents = [articles.document(n, "\x0b" if n == 1 else "") for n in range(100)]
    (good / "k.xml").write_bytes(articles.xml(*documents))
    ended = Dispatcher._collect
    windows = []

    def killed(self: Any, *arguments: Any) -> Any:
        windows.append(1)
        if len(windows) > 1:
            raise KeyboardInterrupt
        return ended(self, *arguments)

    monkeypatch.setattr(Dispatcher, "_collect", killed)
    with pytest.raises(runner.RunStopped):
        annotate(good)
    monkeypatch.setattr(Dispatcher, "_collect", ended)
    out = tmp_path / "out"
    article = out / "quarantine" / "k.xml.1" / "article.xml"
    article.write_bytes(article.read_bytes().replace(b"\x0b", b""))
    assert runner.replay(out).done == 1
    assert not (out / "k.xml").exists()
    run = annotate(good)
    assert run.counts.failed == 0
    assert run.tree["k.xml"].count(b"<document>") == 100


def _corrected(good: Path, articles: Any, annotate: Any) -> tuple[Path, dict[str, bytes]]:
    """An output folder with one corrected copy in the quarantine, and what a replay must write."""
    path = _with_failure(good, articles)
    out = annotate(good).out
    article = out / "quarantine" / "k.xml.1" / "article.xml"
    article.write_bytes(article.read_bytes().replace(b"\x0b", b"urea"))
    broken = path.read_bytes()
    path.write_bytes(broken.replace(b"\x0b", b"urea"))
    whole = annotate(good, out=out.with_name("whole")).tree
    path.write_bytes(broken)
    return out, whole


@pytest.mark.parametrize("step", ["_append", "_write_from_part"])
@pytest.mark.parametrize("then", ["replay", "annotate"])
def test_a_corrected_copy_is_kept_until_its_result_is_stored(
    step: str, then: str, good: Path, articles: Any, annotate: Any, monkeypatch: pytest.MonkeyPatch, tree_of: Any
) -> None:
    out, whole = _corrected(good, articles, annotate)

    def stopped(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(outputs.Outputs, step, stopped)
        with pytest.raises(runner.RunStopped, match="is full"):
            runner.replay(out)
    if then == "annotate":
        annotate(good)
    runner.replay(out)
    assert tree_of(out) == whole
    assert not (out / "quarantine").exists()


def test_a_replay_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no run at"):
        runner.replay(tmp_path)


# -- shards, order, workers -----------------------------------------------------------------------------


def test_the_shards_together_give_the_output_of_one_run(
    good: Path, articles: Any, annotate: Any, start: Any, tmp_path: Path, tree_of: Any
) -> None:
    for number in range(20, 32):
        (good / f"{number}.xml").write_bytes(articles.one(number))
    (good / "bad.xml").write_bytes(articles.one(9, "\x0b"))
    whole = annotate(good, out=tmp_path / "whole")
    out = tmp_path / "out"
    # All at the same time, as in a job array.
    runs = [start("annotate", good, "-o", out, "--shard", f"{i}/3", "--workers", 1, "--json") for i in (1, 2, 3)]
    numbers = [json.loads(run.process.communicate(timeout=600)[0]) for run in runs]
    assert tree_of(out) == whole.tree
    assert sum(one["done"] for one in numbers) == whole.counts.done
    assert sum(one["failed"] for one in numbers) == 1
    for number in (1, 2, 3):
        manifest = json.loads((out / f"manifest-{number}-of-3.json").read_text())
        assert manifest["options"]["shard"] == f"{number}/3"
    # A second run of a shard has nothing to do, and a replay includes all shards.
    again = annotate(good, out=out, shard=Shard(1, 3))
    assert again.counts.done == 0
    article = out / "quarantine" / "bad.xml.0" / "article.xml"
    article.write_bytes(article.read_bytes().replace(b"\x0b", b"urea"))
    assert runner.replay(out).done == 1
    # Another number of shards or another configuration is refused.
    for shard in (Shard(1, 4), Shard()):
        with pytest.raises(ConfigurationError, match="in 3 shards; continue it in the same way"):
            annotate(good, out=out, shard=shard)
    shutil.rmtree(out / ".nlmchem-2-of-3")
    with pytest.raises(ConfigurationError, match="made with another configuration"):
        annotate(good, out=out, shard=Shard(2, 3), format="jsonl")


def test_restarting_a_shard_does_not_change_the_others(
    good: Path, articles: Any, annotate: Any, tmp_path: Path
) -> None:
    for number in range(20, 30):
        (good / f"{number}.xml").write_bytes(b"" if number % 2 else articles.one(number))
    out = tmp_path / "out"
    for number in (1, 2):
        annotate(good, out=out, shard=Shard(number, 2))
    before = {path: path.read_bytes() for path in out.rglob("*.xml")}
    records = sorted((out / "quarantine").rglob("error.json"))
    assert len(records) == 5
    annotate(good, out=out, shard=Shard(2, 2), restart=True)
    assert {path: path.read_bytes() for path in out.rglob("*.xml")} == before
    assert sorted((out / "quarantine").rglob("error.json")) == records


def test_the_output_does_not_depend_on_workers_and_the_order_of_files(
    good: Path, nlmchem: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    shuffled = tmp_path / "shuffled"
    (shuffled / "sub").mkdir(parents=True)
    for path in sorted((path for path in good.rglob("*") if path.is_file()), reverse=True):
        shutil.copy(path, shuffled / path.relative_to(good))
    assert nlmchem("annotate", shuffled, "-o", tmp_path / "two", "--workers", 2, processes=True).returncode == 0
    files = [shuffled / "m-good.json", shuffled / "sub", shuffled / "a-good.xml"]
    assert nlmchem("annotate", *files, "-o", tmp_path / "three", "--workers", 2).returncode == 0
    assert tree_of(tmp_path / "two") == undisturbed
    named = {Path(path).name: content for path, content in undisturbed.items()}
    assert {Path(path).name: content for path, content in tree_of(tmp_path / "three").items()} == named


@pytest.mark.parametrize("format", ["biocxml", "biocjson", "jsonl"])
def test_articles_alone_and_in_a_collection_give_equal_documents(
    format: str, articles: Any, annotate: Any, tmp_path: Path
) -> None:
    import corpora
    from corpora.formats import registry

    alone, together = tmp_path / "alone", tmp_path / "together"
    alone.mkdir()
    together.mkdir()
    for number in range(30):
        (alone / f"{number:03}.xml").write_bytes(articles.one(number))
    (together / "all.xml").write_bytes(articles.many(range(30)))
    first = annotate(alone, out=tmp_path / "out-alone", format=format)
    second = annotate(together, out=tmp_path / "out-together", format=format)

    def documents(folder: Path) -> list[bytes]:
        writer = registry.writable("biocjson")
        return [
            writer.dumps(document, print) for document in corpora.read(sorted(map(str, folder.glob("all*"))) or folder)
        ]

    (tmp_path / "x").mkdir()
    for path in first.out.glob("0*"):
        shutil.copy(path, tmp_path / "x")
    assert documents(tmp_path / "x") == documents(second.out)
    assert len(documents(second.out)) == 30


def test_standard_input_and_pipes_are_read_once(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path, tree_of: Any
) -> None:
    content = articles.many(range(20)).decode()
    out = tmp_path / "out"
    run = nlmchem("annotate", "-", "-o", out, "--workers", 1, input=content)
    assert run.returncode == 0, run.stderr
    assert tree_of(out)["stdin.xml"].count(b"<document>") == 20
    (tmp_path / "all.xml").write_text(content)
    command = ["bash", "-c", '"$@" <(cat "$0")', str(tmp_path / "all.xml")]
    from sys import executable

    start = "import sys; from nlmchem.cli import main; main()"
    command += [executable, "-c", start, "annotate", "-o", str(tmp_path / "piped"), "--workers", "1"]
    command += ["--steps", "tag,normalize", "--tagger", "lexicon"]
    piped = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert piped.returncode == 0, piped.stderr
    (output,) = tree_of(tmp_path / "piped").values()
    assert output == tree_of(out)["stdin.xml"]


def test_memory_does_not_grow_with_the_number_of_articles(tmp_path: Path, articles: Any) -> None:
    """Memory of the process of the run for ten times as many articles: collections, single files and failures."""
    import sys

    program = (
        "import re, sys\nfrom pathlib import Path\n"
        "from nlmchem.engine import runner\nfrom nlmchem.run.plan import Configuration, Job\n"
        "counts = runner.annotate_folder(Job([sys.argv[1]], Configuration.of(steps=()).parse()), Path(sys.argv[2]))\n"
        "print(counts.articles, re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
    )
    peaks = {}
    for size in (300, 3000):
        folder = tmp_path / f"in{size}"
        folder.mkdir()
        text = ["Rats were given glucose in water. " * 60]
        documents = [articles.document(number, *text) for number in range(size)]
        (folder / "all.xml").write_bytes(articles.xml(*documents))
        for number in range(size // 20):
            (folder / f"{number}.xml").write_bytes(articles.one(number) if number % 2 else b"")
        run = subprocess.run(
            [sys.executable, "-c", program, folder, tmp_path / f"out{size}"], capture_output=True, text=True, check=True
        )
        number, peaks[size] = map(int, run.stdout.split())
        assert number == size + size // 20
    assert peaks[3000] < peaks[300] + 12_000


def test_a_refused_run_does_not_refuse_the_next_run_of_a_shard(good: Path, annotate: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for number in (1, 2):
        annotate(good, out=out, shard=Shard(number, 2))
    with pytest.raises(ConfigurationError, match="in 2 shards"):
        annotate(good, out=out)
    assert annotate(good, out=out, shard=Shard(1, 2)).counts.failed == 0


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
def test_the_advice_on_a_damaged_part_file_helps(
    damage: str, good: Path, annotate: Any, articles: Any, tmp_path: Path
) -> None:
    """A source with a failed article keeps the others in a part file. No flipped bit of it gets into an output."""
    (good / "sub" / "z-good.xml").write_bytes(articles.many([4, 5, 6])[:-60])
    annotate(good)
    (part,) = (tmp_path / "out" / ".nlmchem" / "parts").glob("*.part")
    (part.parent / "stray.part").write_text("of the user")
    content = part.read_bytes()
    flipped = bytes([*content[:30], content[30] ^ 1, *content[31:]])
    part.write_bytes({"flipped": flipped, "cut": content[:-9]}.get(damage, b""))
    if damage == "gone":
        part.unlink()
    (good / "sub" / "z-good.xml").write_bytes(articles.many([4, 5, 6]))
    if damage == "flipped":
        with pytest.raises(RunStopped, match=f"{part} is damaged or shorter than recorded in the ledger; remove that"):
            annotate(good)
        part.unlink()
    whole = annotate(good)
    assert (whole.counts.failed, whole.tree) == (0, annotate(good, out=tmp_path / "fresh").tree)
