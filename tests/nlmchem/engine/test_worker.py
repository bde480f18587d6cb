"""A worker annotates a block: one result for each article, in order, also if some of them fail."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from bioc import BioCDocument

from corpora import plugins
from corpora.errors import ArticleError, ResourceError
from corpora.model.document import add_mention
from nlmchem.engine import worker
from nlmchem.engine.tasks import MENTIONS, Setup, Task, TaskResult
from nlmchem.run.plan import Configuration
from nlmchem.run.step import Chosen, NamedStage, Stages, open_stages

Stage = Callable[[Sequence[BioCDocument]], None]


def task(position: int, text: str = "glucose", **more: object) -> Task:
    value = {"id": f"d{position}", "passages": [{"offset": 0, "text": text}], **more}
    return Task(1, position, f"h{position}", "biocjson", json.dumps(value).encode(), "fallback")


@pytest.fixture
def annotate(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[TaskResult]]:
    """Annotate tasks with a single stage of the test's own."""

    def run(
        stage: Stage, tasks: Sequence[Task], timeout: float | None = None, format: str = "jsonl"
    ) -> list[TaskResult]:
        monkeypatch.setattr(worker, "_stages", lambda setup: Stages((NamedStage("mine", stage),)))
        return worker.annotate_block(Setup(Configuration.of(format=format).parse(), "", timeout), tasks)

    return run


Annotate = Callable[..., list[TaskResult]]


def nothing(documents: Sequence[BioCDocument]) -> None:
    pass


def test_each_task_has_one_result_in_order(annotate: Annotate) -> None:
    results = annotate(nothing, [task(number) for number in range(5)])
    assert [(r.position, r.hash, r.document) for r in results] == [(n, f"h{n}", f"d{n}") for n in range(5)]
    assert all(result.fragment and result.failure is None for result in results)
    assert annotate(nothing, []) == []


@pytest.mark.parametrize("bad", range(5))
def test_an_article_that_fails_in_a_stage_does_not_affect_the_others(bad: int, annotate: Annotate) -> None:
    def stage(documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            document.infons["seen"] = str(int(document.infons.get("seen", 0)) + 1)
            if document.passages[0].text == "bad":
                raise ValueError("odd")

    results = annotate(stage, [task(number, "bad" if number == bad else "good") for number in range(5)])
    assert [result.position for result in results if result.failure] == [bad]
    failure = results[bad].failure
    assert failure is not None
    assert failure.stage == "mine"
    assert "unexpected ValueError: odd" in failure.message
    assert "ValueError: odd" in failure.traceback
    # The others are new copies, without changes of the first attempt.
    assert all(json.loads(result.fragment)["infons"] == {"seen": "1"} for result in results if result.fragment)


def test_the_message_of_our_errors_is_the_message_of_the_failure(annotate: Annotate) -> None:
    def stage(documents: Sequence[BioCDocument]) -> None:
        raise ArticleError("document 'd0' is wrong; correct it")

    (result,) = annotate(stage, [task(0)])
    assert result.failure is not None
    assert result.failure.message == "document 'd0' is wrong; correct it"


def test_a_memory_error_is_a_failure_of_the_article(annotate: Annotate) -> None:
    def stage(documents: Sequence[BioCDocument]) -> None:
        raise MemoryError

    (result,) = annotate(stage, [task(0)])
    assert result.failure is not None
    assert "fewer --workers" in result.failure.message


def test_an_article_that_cannot_be_parsed_or_written_does_not_affect_the_others(annotate: Annotate) -> None:
    broken = Task(1, 1, "h1", "biocjson", b"{", "x")
    results = annotate(nothing, [task(0), broken, task(2, "a\x0bb"), task(3)], format="biocxml")
    assert [result.failure and result.failure.stage for result in results] == [None, "read", "write", None]


def test_a_wrong_annotation_of_a_stage_is_a_failure(annotate: Annotate) -> None:
    def stage(documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            mention = add_mention(document.passages[0], [(0, 3)], id="C1", annotator="me")
            if document.id == "d1":
                mention.annotation.text = "other"

    good, bad = annotate(stage, [task(0), task(1)])
    assert good.counts[MENTIONS] == 1
    assert bad.failure is not None
    assert bad.failure.stage == "check"
    assert "error in nlmchem" in bad.failure.message
    assert bad.counts == {}


def test_a_wrong_annotation_of_the_input_is_noted_and_kept(annotate: Annotate) -> None:
    place = {"offset": 90, "length": 3}
    annotation = {"id": "T1", "infons": {}, "text": "abc", "locations": [place]}
    passages = [{"offset": 0, "text": "glucose", "annotations": [annotation]}]
    (result,) = annotate(nothing, [task(0, passages=passages)])
    assert result.failure is None
    assert "document 'd0', passage at offset 0, annotation 'T1': its location 90..93" in result.notes[0]
    assert result.fragment is not None
    assert json.loads(result.fragment)["passages"][0]["annotations"][0]["text"] == "abc"


def test_the_number_of_notes_on_an_article_is_limited(annotate: Annotate) -> None:
    annotations = [
        {"id": str(n), "infons": {}, "text": "x", "locations": [{"offset": 90, "length": 1}]} for n in range(50)
    ]
    (result,) = annotate(nothing, [task(0, passages=[{"offset": 0, "text": "", "annotations": annotations}])])
    assert len(result.notes) == worker.MAX_NOTES + 1
    assert result.notes[-1] == "... and 30 more notes on this article"


def test_a_document_without_id_gets_the_fallback_id(annotate: Annotate) -> None:
    (result,) = annotate(nothing, [task(0, id="")])
    assert result.document == "fallback"


def test_the_time_limit_of_an_article_does_not_depend_on_the_others(annotate: Annotate) -> None:
    def stage(documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            time.sleep({"slow": 0.15, "endless": 9}.get(document.passages[0].text, 0))

    # Each slow article alone is within the limit, all together are not, and the endless one never is.
    texts = ["slow", "slow", "endless", "slow", "slow", "slow", "slow", "slow"]
    results = annotate(stage, [task(number, text) for number, text in enumerate(texts)], timeout=0.8)
    failed = [result.position for result in results if result.failure and result.failure.stage == "time"]
    assert failed == [2]
    assert sum(result.failure is None for result in results) == 7


def test_the_threads_of_a_worker_share_one_set_of_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Dask worker with several threads opens lexicon and models once, and any of its threads may use them."""
    opened: list[int] = []

    def counted(steps: Sequence[Chosen]) -> Stages:
        opened.append(threading.get_ident())
        return open_stages(steps)

    monkeypatch.setattr(worker, "open_stages", counted)
    monkeypatch.setattr(worker, "_LOADED", {})
    plan = Configuration.of(steps=("tag", "normalize"), tagger="lexicon", lexicon="starter", format="jsonl").parse()
    setup = Setup(plan, plan.fingerprint()["sha256"])
    tasks = [task(number, f"Rats drink water and {'glucose ' * number}") for number in range(12)]
    with ThreadPoolExecutor(4) as threads:
        # Each thread waits for the others, so that all four take part.
        together = threading.Barrier(4)
        results = threads.map(lambda one: (together.wait(), worker.annotate_block(setup, [one]))[1], tasks)
        found = [result.counts[MENTIONS] for (result,) in results]
    assert found == [1 + number for number in range(12)]
    assert len(opened) == 1


def test_an_exit_in_a_stage_is_a_failure_that_names_the_package(
    annotate: Annotate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stage(documents: Sequence[BioCDocument]) -> None:
        if any(document.id == "d1" for document in documents):
            sys.exit(0)

    point = SimpleNamespace(module=__name__, dist=SimpleNamespace(name="leaving"))
    monkeypatch.setattr(plugins, "_points", lambda: (point,))
    good, bad = annotate(stage, [task(0), task(1)])
    assert good.failure is None
    assert bad.failure is not None
    assert bad.failure.stage == "mine"
    assert bad.failure.message.startswith("the package leaving raised SystemExit: 0; report it to the authors of leav")


def test_a_worker_with_other_resources_refuses_to_work() -> None:
    with pytest.raises(ResourceError, match="another lexicon, model or version"):
        worker.annotate_block(Setup(Configuration().parse(), "of another run"), [task(0)])
