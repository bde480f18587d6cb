"""`nlp.pipe` with several processes, and pipelines that are sent to other processes."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument, BioCPassage

import nlmchem
from corpora.errors import ArticleError, ConfigurationError, OptionError
from nlmchem.api.pipeline import Pipeline
from nlmchem.engine import documents, executors
from nlmchem.engine.executors import InlineExecutor
from nlmchem.engine.worker import annotate_block
from nlmchem.run.step import NamedStage, Stages

TEXTS = [f"Rats {number} were given glucose and water at {number} mM." for number in range(30)]
OPTIONS: dict[str, Any] = {"lexicon": "starter", "tagger": "lexicon", "steps": ("tag", "normalize")}


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return nlmchem.load(**OPTIONS)


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of documents to workers and back, without processes. Windows have two articles for each worker."""
    monkeypatch.setattr(documents, "LocalExecutor", InlineExecutor)
    monkeypatch.setattr(executors, "ARTICLES_PER_WORKER", 2)


def document(text: str, id: str) -> BioCDocument:
    made = BioCDocument()
    made.id = id
    made.passages = [BioCPassage.of_text(text)]
    return made


def failing(where: str, error: Callable[[], BaseException]) -> Pipeline:
    """A pipeline with a stage of its own, which fails in texts with a word."""

    def stage(chunk: Sequence[BioCDocument]) -> None:
        for one in chunk:
            one.infons["seen"] = str(int(one.infons.get("seen", 0)) + 1)
            if where in one.passages[0].text:
                raise error()

    return Pipeline(Stages((NamedStage("mine", stage),)))


def test_results_and_their_order_are_equal_for_any_number_of_processes(nlp: Pipeline) -> None:
    one = [article.to_dict() for article in nlp.pipe(TEXTS)]
    assert [found["id"] for found in one] == [str(number) for number in range(1, 31)]
    for processes, size in ((2, 8), (3, 1)):
        assert [article.to_dict() for article in nlp.pipe(TEXTS, batch_size=size, n_process=processes)] == one


@pytest.mark.usefixtures("in_this_process")
def test_pairs_and_documents_come_back_as_they_were_given(nlp: Pipeline) -> None:
    given = [(document("Zinc and water", f"D{number}"), number) for number in range(7)]
    back = list(nlp.pipe(given, as_tuples=True, n_process=2))
    assert [number for _, number in back] == list(range(7))
    for (article, _), (original, _) in zip(back, given, strict=True):
        assert article.passages is original.passages
        assert [mention.text for mention in article.mentions] == ["Zinc", "water"]
        assert article.mentions[0].name == "zinc"


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("processes", [1, 3])
def test_a_document_that_is_given_twice_is_annotated_twice(processes: int) -> None:
    nlp = nlmchem.load(**OPTIONS, existing="replace")
    same = document("Zinc", "1")
    found = list(nlp.pipe([same, document("Water", "2"), same, same], n_process=processes))
    assert [len(article.mentions) for article in found] == [1, 1, 1, 1]
    assert found[0].passages is found[3].passages


@pytest.mark.usefixtures("in_this_process")
def test_only_two_windows_of_texts_are_in_memory(nlp: Pipeline) -> None:
    drawn = 0

    def endless() -> Iterator[str]:
        nonlocal drawn
        while True:
            drawn += 1
            yield "Zinc"

    articles = nlp.pipe(endless(), n_process=3)
    for taken in range(1, 40):
        next(articles)
        assert drawn - taken <= 2 * 6 + 1


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_names_the_text_and_comes_after_the_articles_before_it(processes: int) -> None:
    nlp = nlmchem.load(**OPTIONS, existing="error")
    texts: list[str | BioCDocument] = [*TEXTS]
    texts[11] = nlp(document("Zinc", "PMC7"))
    articles = nlp.pipe(texts, n_process=processes)
    assert [next(articles).id for _ in range(11)] == [str(number) for number in range(1, 12)]
    with pytest.raises(ArticleError, match=r"^text 12 \(document 'PMC7'\): document 'PMC7' already has 1"):
        next(articles)


def test_the_others_of_a_chunk_are_annotated_once_and_from_copies() -> None:
    nlp = failing("bad", lambda: ValueError("odd"))
    given = [document("bad" if number == 5 else "good", str(number + 1)) for number in range(8)]
    articles = nlp.pipe(given)
    done = [next(articles) for _ in range(5)]
    assert [article.infons for article in done] == [{"seen": "1"}] * 5
    assert given[0].infons == {"seen": "1"}
    with pytest.raises(ArticleError, match=r"^text 6: unexpected ValueError: odd; please report it"):
        next(articles)


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, MemoryError])
def test_an_exit_of_a_package_is_an_error_of_the_text(error: type[BaseException]) -> None:
    nlp = failing("bad", lambda: error(0))
    with pytest.raises(ArticleError, match=r"^text 2: "):
        list(nlp.pipe(["good", "bad"]))
    with pytest.raises((ArticleError, MemoryError)):
        nlp("bad")


def test_ctrl_c_is_no_error_of_a_text() -> None:
    nlp = failing("bad", KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        list(nlp.pipe(["bad"]))


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_of_the_iterable_comes_after_the_texts_before_it(nlp: Pipeline, processes: int) -> None:
    def broken() -> Iterator[str]:
        yield from TEXTS[:3]
        raise OSError("the disk is gone")

    articles = nlp.pipe(broken(), n_process=processes)
    assert [next(articles).id for _ in range(3)] == ["1", "2", "3"]
    with pytest.raises(OSError, match="the disk is gone"):
        next(articles)


def test_a_worker_that_dies_loses_nothing(nlp: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "died"

    def die_once(setup: Any, tasks: Any) -> Any:
        if any(b"Rats 7 " in task.raw for task in tasks) and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return annotate_block(setup, tasks)

    monkeypatch.setattr(executors, "annotate_block", die_once)
    found = [article.to_dict() for article in nlp.pipe(TEXTS, n_process=2)]
    assert mark.exists()
    assert found == [article.to_dict() for article in nlp.pipe(TEXTS)]


def test_a_text_that_kills_its_worker_twice_is_named(nlp: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(setup: Any, tasks: Any) -> Any:
        if any(b"Rats 7 " in task.raw for task in tasks):
            os.kill(os.getpid(), signal.SIGKILL)
        return annotate_block(setup, tasks)

    monkeypatch.setattr(executors, "annotate_block", die)
    articles = nlp.pipe(TEXTS, n_process=2)
    assert [next(articles).id for _ in range(7)] == [str(number) for number in range(1, 8)]
    with pytest.raises(ArticleError, match=r"^text 8: its worker died twice"):
        next(articles)


@pytest.mark.parametrize("number", [0, -1, 1.5, "2"])
def test_a_number_of_processes_that_cannot_be_is_refused(nlp: Pipeline, number: Any) -> None:
    with pytest.raises(OptionError, match=r"n_process is .*; it must be a whole number from 1"):
        nlp.pipe(TEXTS, n_process=number)


@pytest.mark.usefixtures("in_this_process")
def test_what_cannot_be_sent_to_another_process_is_named(nlp: Pipeline) -> None:
    odd = document("Zinc", "7")
    odd.infons["open"] = open(os.devnull)  # noqa: PTH123
    with odd.infons["open"], pytest.raises(ArticleError, match=r"^text 2 \(document '7'\) holds something that no"):
        list(nlp.pipe(["Zinc", odd], n_process=2))


# -- pipelines that are sent --------------------------------------------------------------------


def test_a_pickled_pipeline_is_loaded_once_in_a_process(nlp: Pipeline) -> None:
    sent = pickle.dumps(nlp)
    assert len(sent) < 5000
    back = pickle.loads(sent)
    assert repr(back) == repr(nlp)
    assert back is pickle.loads(sent)
    assert back(TEXTS[0]).to_dict() == nlp(TEXTS[0]).to_dict()
    back.close()
    assert pickle.loads(sent)(TEXTS[0]).mentions


def test_a_pool_annotates(nlp: Pipeline) -> None:
    with get_context("spawn").Pool(1) as pool:
        found = pool.map(nlp, TEXTS[:3])
    assert [article.to_dict() for article in found] == [nlp(text).to_dict() for text in TEXTS[:3]]
    assert found[0].mentions[0].name == "glucose"


def test_a_bag_of_dask_is_annotated(nlp: Pipeline) -> None:
    bag = pytest.importorskip("dask.bag")
    found = bag.from_sequence(TEXTS[:6], npartitions=3).map(nlp).compute(scheduler="threads")
    assert [article.to_dict() for article in found] == [nlp(text).to_dict() for text in TEXTS[:6]]


def test_a_pipeline_without_options_works_in_one_process_only() -> None:
    nlp = failing("bad", KeyboardInterrupt)
    with pytest.raises(TypeError, match=r"stages without options cannot be pickled; use one of nlmchem\.load"):
        pickle.dumps(nlp)
    with pytest.raises(TypeError, match=r"stages without options works in one process only; use one of nlmchem\.load"):
        nlp.pipe(["good"], n_process=2)


def test_a_closed_pipeline_is_refused_and_its_articles_keep_their_names() -> None:
    with nlmchem.load(**OPTIONS) as nlp:
        article = nlp("Rats drink water.")
    nlp.close()
    assert article.mentions[0].name == "water"
    assert nlp.steps == ("tag", "normalize")
    for use in (lambda: nlp("Zinc"), lambda: next(nlp.pipe(["Zinc"])), lambda: nlp.explain("Zinc")):
        with pytest.raises(ConfigurationError, match="this pipeline is closed; load another one"):
            use()
