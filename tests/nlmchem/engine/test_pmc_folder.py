"""Folders and archives in the layout of PMC's bucket: one article once, metadata, increments, numbered parts."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pmc_articles import add, add_all, jats

import corpora
from corpora.errors import ConfigurationError, OptionError
from nlmchem.commands.progress import Terminal
from nlmchem.engine.account import ArticleCounts
from nlmchem.engine.commands import answer
from nlmchem.engine.runner import annotate_folder, replay
from nlmchem.engine.runs import Output, run_into
from nlmchem.engine.stop import RunStopped
from nlmchem.run.options import FileOptions, RunOptions, Shard
from nlmchem.run.plan import Job, Plan


def run(source: Path, out: Path, format: str = "jsonl", per_file: int | None = None, **options: Any) -> ArticleCounts:
    """A conversion: it reads, selects and writes as `annotate` does, and needs no models."""
    plan = Plan.of_conversion(format, FileOptions(per_file=per_file))
    return annotate_folder(Job([str(source)], plan, RunOptions(quiet=True, **options), Terminal()), out)


def tree(out: Path) -> dict[str, bytes]:
    left_out = ("manifest", ".nlmchem", "quarantine")
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.relative_to(out).parts[0].startswith(left_out)
    }


def documents(out: Path) -> Iterator[dict[str, Any]]:
    for name, content in tree(out).items():
        if name.endswith(".jsonl"):
            yield from (json.loads(line) for line in content.splitlines() if line)


@pytest.fixture
def pmc(tmp_path: Path) -> Path:
    return add_all(tmp_path / "pmc")


def test_an_article_is_read_once_and_the_rest_is_counted(pmc: Path, tmp_path: Path) -> None:
    counts = run(pmc, tmp_path / "out")
    assert (counts.done, counts.unread.forms, counts.unread.versions, counts.files_skipped) == (3, 9, 1, 0)
    assert list(tree(tmp_path / "out")) == [f"PMC{id}/PMC{id}.jsonl" for id in (9172893, 9172894, 9172895)]
    line = answer({tmp_path: counts}, quiet=False).lines
    assert "= 3 articles; 9 other forms; 1 other version; 0 mentions" in next(iter(line))


def test_metadata_become_infons(pmc: Path, tmp_path: Path) -> None:
    run(pmc, tmp_path / "out")
    by_id = {document["id"]: document["infons"] for document in documents(tmp_path / "out")}
    assert by_id["9172893"] == {
        "article-id_pmid": "9172993", "article-id_doi": "10.1/9172893", "license": "CC BY", "article-version": "2",
    }  # fmt: skip
    assert by_id["9172894"]["retracted"] == "true"
    assert by_id["9172895"]["manuscript"] == "true"


def test_python_reads_the_same_articles(pmc: Path) -> None:
    assert [(d.id, d.infons["license"]) for d in corpora.read(pmc)] == [
        ("9172893", "CC BY"), ("9172894", "CC0"), ("9172895", "CC BY-NC"),
    ]  # fmt: skip


def test_metadata_may_stand_in_a_folder_of_their_own(pmc: Path, tmp_path: Path) -> None:
    (pmc / "metadata").mkdir()
    for path in pmc.glob("*/*.json"):
        path.rename(pmc / "metadata" / path.name)
    counts = run(pmc, tmp_path / "out")
    assert (counts.done, counts.unread.forms, counts.files_skipped) == (3, 9, 0)
    assert {document["infons"]["license"] for document in documents(tmp_path / "out")} == {"CC BY", "CC0", "CC BY-NC"}


def test_all_versions_are_read_on_demand(pmc: Path, tmp_path: Path) -> None:
    counts = run(pmc, tmp_path / "out", all_versions=True)
    assert (counts.done, counts.unread.versions) == (4, 0)
    assert "PMC9172893.1/PMC9172893.1.jsonl" in tree(tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "ids", "left"),
    [
        ({"licence": ("CC BY", "CC0")}, {"9172893", "9172894"}, {"licence CC BY-NC": 1}),
        ({"licence": ("cc-by",)}, {"9172893"}, {"licence CC BY-NC": 1, "licence CC0": 1}),
        ({"exclude_retracted": True}, {"9172893", "9172895"}, {"retracted": 1}),
    ],
)
def test_articles_are_left_out_by_their_metadata(
    options: dict[str, Any], ids: set[str], left: dict[str, int], pmc: Path, tmp_path: Path
) -> None:
    counts = run(pmc, tmp_path / "out", **options)
    assert {document["id"] for document in documents(tmp_path / "out")} == ids
    assert dict(counts.unread.left_out) == left
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["apart"]["left_out"] == left


def test_an_article_without_metadata_has_no_known_licence(pmc: Path, tmp_path: Path) -> None:
    (pmc / "PMC9172893.2" / "PMC9172893.2.json").unlink()
    counts = run(pmc, tmp_path / "out", licence=("CC BY",))
    assert counts.unread.left_out == {"licence not known": 1, "licence CC BY-NC": 1, "licence CC0": 1}


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_archives_are_read_as_folders(kind: str, pmc: Path, tmp_path: Path) -> None:
    # Supplements may be archives, also broken ones.
    with zipfile.ZipFile(pmc / "PMC9172893.2" / "supplement.zip", "w") as supplement:
        supplement.writestr("data.txt", "zinc")
    (pmc / "PMC9172895.1" / "data.csv.gz").write_bytes(b"\x1f\x8b\x08broken")
    archive = tmp_path / f"pmc.{'tar.gz' if kind == 'tar' else 'zip'}"
    if kind == "tar":
        with tarfile.open(archive, "w:gz") as packed:
            packed.add(pmc, ".")
    else:
        with zipfile.ZipFile(archive, "w") as zipped:
            for path in pmc.rglob("*"):
                zipped.write(path, path.relative_to(pmc))
    counts = run(archive, tmp_path / "out", exclude_retracted=True)
    assert (counts.done, counts.failed, counts.unread.forms, counts.unread.versions) == (2, 0, 11, 1)
    assert {d["id"]: d["infons"]["license"] for d in documents(tmp_path / "out")} == {
        "9172893": "CC BY", "9172895": "CC BY-NC",
    }  # fmt: skip


def test_the_text_is_read_where_there_is_no_xml(pmc: Path, tmp_path: Path) -> None:
    (pmc / "PMC9172895.1" / "PMC9172895.1.xml").unlink()
    run(pmc, tmp_path / "out")
    (document,) = (d for d in documents(tmp_path / "out") if d["infons"]["license"] == "CC BY-NC")
    assert document["infons"]["article-id_pmid"] == "9172995"


def test_a_version_without_an_article_hides_no_other(pmc: Path, tmp_path: Path) -> None:
    (pmc / "PMC9172893.3").mkdir()
    (pmc / "PMC9172893.3" / "PMC9172893.3.json").write_text('{"pmcid": "PMC9172893", "version": 3}')
    assert run(pmc, tmp_path / "out").done == 3
    assert "ibuprofen" in (tmp_path / "out" / "PMC9172893" / "PMC9172893.jsonl").read_text()


def test_an_old_package_is_one_article(tmp_path: Path) -> None:
    package = tmp_path / "in" / "PMC55"
    package.mkdir(parents=True)
    (package / "rats-5-1.nxml").write_bytes(jats(55, "zinc"))
    for name in ("rats-5-1.pdf", "rats-5-1-g001.jpg", "supplement.txt"):
        (package / name).write_bytes(b"supplement")
    counts = run(tmp_path / "in", tmp_path / "out")
    assert (counts.done, counts.unread.forms) == (1, 3)
    assert list(tree(tmp_path / "out")) == ["PMC55/rats-5-1.jsonl"]


def test_files_of_one_name_are_one_article_if_their_ids_agree(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "smith.nxml").write_bytes(jats(55, "zinc"))
    (folder / "smith.txt").write_text("zinc in rats")
    (folder / "smith.json").write_text('{"documents": [{"id": "55", "passages": [{"offset": 0, "text": "zinc"}]}]}')
    (folder / "smith.pdf").write_bytes(b"%PDF-1.5 \0")
    (folder / "other.nxml").write_bytes(jats(56, "zinc"))
    (folder / "other.json").write_text('{"documents": [{"id": "57", "passages": [{"offset": 0, "text": "zinc"}]}]}')
    counts = run(folder, tmp_path / "out", "biocxml")
    assert (counts.done, counts.unread.forms) == (3, 3)
    assert list(tree(tmp_path / "out")) == ["other.json.xml", "other.nxml.xml", "smith.xml"]


# -- increments ---------------------------------------------------------------------------------

KINDS = pytest.mark.parametrize(("format", "per_file"), [("biocxml", None), ("jsonl", 2), ("parquet", 2)])


def change(pmc: Path) -> None:
    """One article is withdrawn, one has a new version, one has new metadata, one is new."""
    shutil.rmtree(pmc / "PMC9172894.1")
    add(pmc, 9172895, 2, "dopamine")
    metadata = pmc / "PMC9172893.2" / "PMC9172893.2.json"
    metadata.write_text(metadata.read_text().replace("CC BY", "CC0"))
    add(pmc, 9000000, 1, "glucose")


@KINDS
def test_an_increment_does_what_changed_and_gives_the_bytes_of_a_new_run(
    format: str, per_file: int | None, pmc: Path, tmp_path: Path
) -> None:
    run(pmc, tmp_path / "out", format, per_file)
    change(pmc)
    counts = run(pmc, tmp_path / "out", format, per_file, prune=True)
    assert (counts.done, counts.skipped) == (3, 0)
    assert counts.changes == {"new": 1, "replaced": 2, "removed": 1}
    run(pmc, tmp_path / "fresh", format, per_file)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")
    again = run(pmc, tmp_path / "out", format, per_file)
    assert (again.done, again.skipped, dict(again.changes)) == (0, 3, {})


@KINDS
def test_withdrawn_articles_are_marked_and_stay_without_the_word(
    format: str, per_file: int | None, pmc: Path, tmp_path: Path
) -> None:
    run(pmc, tmp_path / "out", format, per_file)
    before = tree(tmp_path / "out")
    shutil.rmtree(pmc / "PMC9172894.1")
    assert run(pmc, tmp_path / "out", format, per_file).changes == {"withdrawn": 1}
    assert tree(tmp_path / "out") == before
    assert run(pmc, tmp_path / "out", format, per_file).changes == {}, "it is told once"


def test_an_article_that_is_retracted_later_is_withdrawn(pmc: Path, tmp_path: Path) -> None:
    run(pmc, tmp_path / "out", exclude_retracted=True)
    metadata = pmc / "PMC9172893.2" / "PMC9172893.2.json"
    metadata.write_text(metadata.read_text().replace('"is_retracted": false', '"is_retracted": true'))
    counts = run(pmc, tmp_path / "out", exclude_retracted=True, prune=True)
    assert counts.changes == {"removed": 1}
    assert list(tree(tmp_path / "out")) == ["PMC9172895/PMC9172895.jsonl"]


def test_prune_keeps_the_outputs_of_other_inputs_and_those_that_were_corrected(
    pmc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    add(other, 55, 1, "zinc")
    run(other, tmp_path / "out")
    run(pmc, tmp_path / "out")
    corrected = tmp_path / "out" / "PMC9172894" / "PMC9172894.jsonl"
    corrected.write_text("corrected")
    shutil.rmtree(pmc / "PMC9172894.1")
    shutil.rmtree(other)
    assert run(pmc, tmp_path / "out", prune=True).changes == {}
    assert corrected.read_text() == "corrected"
    assert (tmp_path / "out" / "PMC55" / "PMC55.jsonl").exists(), "it is no article of this input"
    assert "1 outputs of withdrawn articles were changed by hand" in capsys.readouterr().err


@pytest.mark.parametrize("per_file", [None, 2])
def test_prune_removes_nothing_where_a_folder_of_the_inputs_is_not_there_now(
    per_file: int | None, pmc: Path, tmp_path: Path
) -> None:
    """A link to another disk that is not mounted leads nowhere."""
    disk, out = tmp_path / "disk", tmp_path / "out"
    add(disk, 55, 1, "zinc")
    (pmc / "more").symlink_to(disk)
    run(pmc, out, per_file=per_file)
    disk.rename(tmp_path / "gone")
    assert run(pmc, out, per_file=per_file, prune=True).failed == 1
    assert "55" in {document["id"] for document in documents(out)}
    (pmc / "more").unlink()
    run(pmc, out, per_file=per_file, prune=True)
    assert "55" not in {document["id"] for document in documents(out)}


@pytest.mark.parametrize("per_file", [None, 2])
@pytest.mark.parametrize("place", ["second", "pmc/PMC9172894.1", "pmc/more/disk"])
def test_prune_asks_again_where_a_folder_has_no_file_now(
    place: str, per_file: int | None, pmc: Path, tmp_path: Path
) -> None:
    """It may be the mount point of a disk: an input beside others, or a folder below one."""
    disk, out = tmp_path / place, tmp_path / "out"
    add(disk, 55, 1, "zinc")
    inputs = [str(pmc), str(tmp_path / "second")] if place == "second" else [str(pmc)]
    plan = Plan.of_conversion("jsonl", FileOptions(per_file=per_file))

    def prune(**options: bool) -> ArticleCounts:
        return annotate_folder(Job(inputs, plan, RunOptions(quiet=True, prune=True, **options)), out)

    assert prune().done == len(list(documents(out)))
    before = tree(out)
    shutil.rmtree(disk)
    disk.mkdir()
    with pytest.raises(ConfigurationError, match=f"the folder {disk} has no file now, and 1 output") as refused:
        prune()
    assert str(refused.value).endswith("connect its disk, or remove these outputs with prune_empty=True")
    assert tree(out) == before
    assert annotate_folder(Job(inputs, plan, RunOptions(quiet=True)), out).changes["withdrawn"] >= 1
    assert tree(out) == before
    with pytest.raises(OptionError, match="prune_empty adds to prune=True; give both"):
        annotate_folder(Job(inputs, plan, RunOptions(quiet=True, prune_empty=True)), out)
    assert prune(prune_empty=True).changes["removed"] >= 1
    assert "55" not in {document["id"] for document in documents(out)}


def test_an_input_folder_without_files_is_named_in_any_run(
    pmc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty" / ".hidden").mkdir(parents=True)
    inputs = [str(pmc), str(tmp_path / "empty"), str(tmp_path / "empty")]
    annotate_folder(Job(inputs, Plan.of_conversion("jsonl", FileOptions()), RunOptions(), Terminal()), tmp_path / "out")
    said = f"nlmchem: the folder {tmp_path}/empty has no file that is read; if it is on another disk, connect that disk"
    assert capsys.readouterr().err.splitlines().count(said) == 1


# -- snapshots ----------------------------------------------------------------------------------


@KINDS
def test_a_run_changes_no_snapshot_of_hard_links(format: str, per_file: int | None, pmc: Path, tmp_path: Path) -> None:
    """`cp -al` and rsnapshot share each file, so nothing that has two names is written in place."""
    out, snapshot = tmp_path / "out", tmp_path / "snapshot"
    (pmc / "PMC9172894.1" / "PMC9172894.1.xml").write_text("<article>broken")
    run(pmc, out, format, per_file)
    shutil.copytree(out, snapshot, copy_function=os.link)
    before = {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}
    change(pmc)
    assert run(pmc, out, format, per_file, prune=True).changes == {"new": 1, "replaced": 2, "removed": 1}
    assert before == {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}
    # The snapshot knows its own results, not those of the run.
    assert run(pmc, snapshot, format, per_file, prune=True).changes == {"new": 1, "replaced": 2, "removed": 1}
    assert tree(snapshot) == tree(out)


def test_a_replay_changes_no_snapshot_of_hard_links(many: Path, tmp_path: Path) -> None:
    good = (many / "PMC3.1" / "PMC3.1.xml").read_bytes()
    (many / "PMC3.1" / "PMC3.1.xml").write_bytes(good[:-30])
    for per_file in (None, 4):
        out, snapshot = tmp_path / f"out{per_file}", tmp_path / f"snapshot{per_file}"
        run(many, out, per_file=per_file)
        shutil.copytree(out, snapshot, copy_function=os.link)
        (copy,) = (out / "quarantine").glob("*/*/article.*")
        copy.unlink()
        copy.write_bytes(good)
        before = {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}
        assert replay(out).done == 1
        assert before == {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}


# -- numbered parts -----------------------------------------------------------------------------


@pytest.fixture
def many(tmp_path: Path) -> Path:
    for number in range(1, 12):
        add(tmp_path / "many", number, 1, f"zinc {number}")
    return tmp_path / "many"


def test_parts_have_the_articles_in_the_order_of_their_inputs(many: Path, tmp_path: Path) -> None:
    run(many, tmp_path / "out", per_file=4)
    assert list(tree(tmp_path / "out")) == ["part-00001.jsonl", "part-00002.jsonl", "part-00003.jsonl"]
    assert [d["id"] for d in documents(tmp_path / "out")] == [
        "1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9",
    ]  # fmt: skip


def test_tables_are_data_sets_of_parquet(many: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import dataset

    run(many, tmp_path / "out", "parquet", per_file=4)
    names = [
        f"{table}/part-0000{number}.parquet" for table in ("articles", "mentions", "terms") for number in (1, 2, 3)
    ]
    assert list(tree(tmp_path / "out")) == names
    table = dataset.dataset(tmp_path / "out" / "articles").to_table()
    assert table.num_rows == 11
    assert table.slice(0, 1).to_pylist() == [
        {
            "file": str(many / "PMC1.1" / "PMC1.1.xml"), "document": "1", "pmid": "101", "pmcid": "PMC1",
            "doi": "10.1/1", "year": None, "license": "CC BY", "version": 1, "retracted": 0, "manuscript": 0,
            "historical_ocr": 0, "mentions": 0, "terms": 0,
        }
    ]  # fmt: skip


def test_shards_write_parts_of_their_own(many: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        run(many, tmp_path / "out", per_file=4, shard=Shard(number, 2))
    assert {name.rpartition("-")[0] for name in tree(tmp_path / "out")} == {"part-1-of-2", "part-2-of-2"}
    assert sorted(int(d["id"]) for d in documents(tmp_path / "out")) == list(range(1, 12))


def test_parts_follow_when_articles_come_and_go(many: Path, tmp_path: Path) -> None:
    run(many, tmp_path / "out", per_file=4)
    for number in (2, 3, 4, 5):
        shutil.rmtree(many / f"PMC{number}.1")
    run(many, tmp_path / "out", per_file=4, prune=True)
    run(many, tmp_path / "fresh", per_file=4)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")
    assert list(tree(tmp_path / "out")) == ["part-00001.jsonl", "part-00002.jsonl"]


def test_a_part_that_is_deleted_or_corrected(many: Path, tmp_path: Path) -> None:
    run(many, tmp_path / "out", per_file=4)
    before = tree(tmp_path / "out")
    (tmp_path / "out" / "part-00002.jsonl").unlink()
    assert run(many, tmp_path / "out", per_file=4).skipped == 11
    assert tree(tmp_path / "out") == before


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "corrected"])
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_part_that_is_not_as_it_was_written_is_named_and_written_again(
    format: str, damage: str, many: Path, tmp_path: Path
) -> None:
    run(many, tmp_path / "out", format, per_file=4)
    before = tree(tmp_path / "out")
    part = sorted(path for path in (tmp_path / "out").rglob("part-*"))[1]
    content = part.read_bytes()
    flipped = bytes([*content[:50], content[50] ^ 1, *content[51:]])
    part.write_bytes({"cut": content[:-9], "empty": b"", "flipped": flipped, "corrected": b"corrected"}[damage])
    with pytest.raises(ConfigurationError, match=f"{part} was not written by nlmchem, or was changed since; move it"):
        run(many, tmp_path / "out", format, per_file=4)
    part.rename(tmp_path / "away")
    assert run(many, tmp_path / "out", format, per_file=4).skipped == 11
    assert tree(tmp_path / "out") == before


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "missing"])
def test_the_advice_on_a_damaged_store_of_articles_helps(damage: str, many: Path, tmp_path: Path) -> None:
    """The sentence comes where a part must be written. Its advice is followed, and the command then succeeds."""
    run(many, tmp_path / "out", per_file=4)
    (store,) = (tmp_path / "out" / ".nlmchem" / "parts" / "articles").iterdir()
    content = store.read_bytes()
    flipped = bytes([*content[:50], content[50] ^ 1, *content[51:]])
    store.write_bytes({"flipped": flipped, "cut": content[:-9]}.get(damage, b""))
    if damage == "missing":
        store.unlink()
    add(many, 0, 1, "gold")
    if damage == "flipped":
        with pytest.raises(RunStopped, match=f"{store} is damaged or shorter than recorded .*; remove it, and run"):
            run(many, tmp_path / "out", per_file=4)
        store.unlink()
    run(many, tmp_path / "out", per_file=4)
    run(many, tmp_path / "fresh", per_file=4)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


def test_the_advice_on_a_damaged_store_helps_with_several_inputs(many: Path, pmc: Path, tmp_path: Path) -> None:
    for source in (many, pmc):
        run(source, tmp_path / "out", per_file=4)
    before = tree(tmp_path / "out")
    (store,) = (tmp_path / "out" / ".nlmchem" / "parts" / "articles").iterdir()
    store.write_bytes(b"x" * store.stat().st_size)
    (tmp_path / "out" / "part-00003.jsonl").unlink()
    with pytest.raises(RunStopped, match="again for all inputs of this folder"):
        run(many, tmp_path / "out", per_file=4)
    store.unlink()
    with pytest.raises(RunStopped, match="again for all inputs of this folder"):
        run(many, tmp_path / "out", per_file=4)
    run(pmc, tmp_path / "out", per_file=4)
    assert tree(tmp_path / "out") == before


def test_a_failed_article_has_its_place_and_a_replay_fills_it(many: Path, tmp_path: Path) -> None:
    good = (many / "PMC3.1" / "PMC3.1.xml").read_bytes()
    (many / "PMC3.1" / "PMC3.1.xml").write_bytes(good[:-30])
    run(many, tmp_path / "out", per_file=4)
    assert [len(content.splitlines()) for content in tree(tmp_path / "out").values()] == [4, 3, 3]
    (copy,) = (tmp_path / "out" / "quarantine").glob("*/*/article.*")
    copy.write_bytes(good)
    assert replay(tmp_path / "out").done == 1
    (many / "PMC3.1" / "PMC3.1.xml").write_bytes(good)
    run(many, tmp_path / "fresh", per_file=4)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


def test_restart_removes_all_parts(many: Path, tmp_path: Path) -> None:
    run(many, tmp_path / "out", per_file=4)
    run(many, tmp_path / "out", restart=True)
    assert not list((tmp_path / "out").glob("part-*"))
    assert len(list(documents(tmp_path / "out"))) == 11


def test_restart_writes_the_parts_of_a_new_run(many: Path, tmp_path: Path) -> None:
    run(many, tmp_path / "out", per_file=4)
    shutil.rmtree(many / "PMC3.1")
    assert run(many, tmp_path / "out", per_file=4, restart=True).done == 10
    run(many, tmp_path / "fresh", per_file=4)
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_the_user_has_at_the_name_of_a_part_is_refused_before_any_work(
    kind: str, many: Path, tmp_path: Path
) -> None:
    """Also at a later number: how many parts there will be is not known yet."""
    (tmp_path / "mine").write_text("mine")
    place = tmp_path / "out" / "part-00002.jsonl"
    (place if kind == "folder" else place.parent).mkdir(parents=True)
    (place / "x" if kind == "folder" else tmp_path / "unused" if kind == "link" else place).write_text("mine")
    if kind == "link":
        place.symlink_to(tmp_path / "mine")
    with pytest.raises(ConfigurationError, match=r"part-00002\.jsonl (was not written by nlmchem|is a link)"):
        run(many, tmp_path / "out", per_file=4)
    assert not (tmp_path / "out" / "manifest.json").exists()
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_corrected_part_is_refused_by_a_restart_before_any_work(many: Path, tmp_path: Path) -> None:
    run(many, tmp_path / "out", per_file=4)
    (tmp_path / "out" / "part-00003.jsonl").write_text("corrected")
    before = tree(tmp_path / "out")
    with pytest.raises(ConfigurationError, match=r"part-00003\.jsonl was not written by nlmchem, or was changed since"):
        run(many, tmp_path / "out", per_file=4, restart=True)
    assert tree(tmp_path / "out") == before


def test_parts_need_a_folder_a_format_and_the_same_size(many: Path, tmp_path: Path) -> None:
    plan = Plan.of_conversion("jsonl", FileOptions(per_file=4))
    with pytest.raises(OptionError, match="writes numbered parts into a folder"):
        run_into(Job([str(many)], plan), Output(tmp_path / "all.jsonl", "jsonl", True))
    with pytest.raises(OptionError, match="is for the formats jsonl and parquet"):
        Plan.of_conversion("biocxml", FileOptions(per_file=4))
    run(many, tmp_path / "out", per_file=4)
    with pytest.raises(ConfigurationError, match="per_file differ"):
        run(many, tmp_path / "out", per_file=5)
