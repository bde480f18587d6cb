"""Drills of the commands that train models, of `silver build` and of `fetch`, with tiny models and a server here."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import small_world
from companion_cases import cases
from durable_events import in_child
from loopback_bucket import LoopbackBucket
from loopback_site import Request, Site
from pmc_articles import add_all
from run_drills import Drill, Place

__all__ = ["COMMANDS", "fetch_articles", "fetch_files", "fetch_from_bucket", "training_inputs", "write_gold"]

OUT = ("-o", "{work}/out")
TINY = ("--base", "{in}/tiny", "--lexicon", "{in}/names.tsv")
COMMANDS: dict[str, tuple[str, ...]] = {
    "train tagger": (
        *("train", "tagger", "--base", "{in}/tiny", "--first", "{in}/gold", "--corpus", "{in}/gold", "--folds", "2"),
        *("--passes", "1", "--window", "32", "--store", "int8", "--threads", "1", *OUT),
    ),
    "train dense": (
        *("train", "dense", "--lexicon", "{in}/names.tsv", "--steps", "3", "--held-out", "0.5"),
        *("-o", "{work}/out.safetensors"),
    ),
    "train dense, transformer": ("train", "dense", *TINY, "--steps", "2", "--held-out", "0.5", *OUT),
    "train decision": (
        *("train", "decision", "{in}/gold", "--tagger", "lexicon", "--lexicon", "{in}/names.tsv", "--folds", "2"),
        *("--floor", "0.01", "-o", "{work}/out.json"),
    ),
    "silver build": (
        *("silver", "build", "{in}/senses/2.txt", "{in}/senses/3.txt", "--taggers", "{in}/tagger-0,{in}/tagger-1"),
        *("--lexicon", "starter", "--threshold", "0.3", "--workers", "1", *OUT),
    ),
    **cases("TRAINING"),
}
NAMES = (
    "MESH:D000431\tethanol\tgrain spirit|ethyl alcohol|spirit of wine\n"
    "MESH:D004298\tdopamine\thydroxytyramine|intropin\nMESH:D005947\tglucose\tdextrose|grape sugar\n"
    "MESH:D012964\tsodium\tnatrium|sodium metal\n"
)


def training_inputs(place: Place) -> None:
    """Names, a gold corpus, pairs with answers, articles with definitions, an encoder and two taggers of two layers."""
    folder = place.inputs
    write_gold(folder)
    (folder / "senses").mkdir()
    for document in small_world.articles(80):
        text = "\n\n".join(passage.text for passage in document.passages)
        (folder / "senses" / f"{document.id}.txt").write_text(text)
    # In a process of its own: the threads of torch do not survive a fork.
    ended = in_child(lambda: _write_models(folder))
    assert not ended.error, ended.printed


def write_gold(folder: Path) -> None:
    """Names, a gold corpus, and pairs with answers."""
    (folder / "gold").mkdir(parents=True)
    (folder / "names.tsv").write_text(NAMES)
    (folder / "gold" / "gold.json").write_text(json.dumps({"documents": [_gold(number) for number in range(8)]}))
    _write_acronyms(folder / "acronyms")
    rows = (json.dumps(_pair(number)) + "\n" for number in range(24))
    (folder / "pairs.jsonl").write_text("".join(rows))


def _write_models(folder: Path) -> None:
    import torch
    from tiny_transformer import write_tiny_transformer
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    torch.set_num_threads(1)
    tiny = write_tiny_transformer(folder / "tiny")
    labels = dict(enumerate(("O", "B-Chemical", "I-Chemical")))
    for seed in (0, 1):
        torch.manual_seed(seed)
        model = AutoModelForTokenClassification.from_pretrained(tiny, id2label=labels, num_labels=3)
        model.classifier.weight.data.mul_(8)
        model.save_pretrained(folder / f"tagger-{seed}")
        AutoTokenizer.from_pretrained(tiny).save_pretrained(folder / f"tagger-{seed}")


def _write_acronyms(folder: Path) -> None:
    """Sentences with short forms of two senses, and their dictionary."""
    folder.mkdir()
    senses = [["quality index", 5], ["zinc transport", 4]]
    rows = [
        {"tokens": ["the", f"A{number // 2}", "fell"], "index": 1, "short_term": f"A{number // 2}",
         "long_term": senses[number % 2][0]} for number in range(40)
    ]  # fmt: skip
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "dictionary.json").write_text(json.dumps({row["short_term"]: senses for row in rows}))


def _gold(number: int) -> dict[str, object]:
    """An article whose chemicals are marked, but not `sodium`."""
    names = ("glucose", "ethanol", "dopamine")[number % 3], "grape sugar"
    text = f"Case {number}: {names[0]} and sodium, then {names[1]} with sodium."
    mentions = [
        {"id": str(at), "infons": {"type": "Chemical"}, "text": name,
         "locations": [{"offset": text.index(name), "length": len(name)}]}
        for at, name in enumerate(names)
    ]  # fmt: skip
    return {"id": str(number), "passages": [{"offset": 0, "infons": {}, "text": text, "annotations": mentions}]}


def _pair(number: int) -> dict[str, object]:
    """A pair whose terms are equal if the number is odd."""
    term = f"word{number}x"
    other = term if number % 2 else f"word{number - 1}other"
    one, two = f"Case {number}: {term} fell.", f"{other} rose in case {number}."
    return {
        "id": f"p{number}", "term1": term, "term2": other, "sentence1": one, "sentence2": two, "cat": "synonyms",
        "start1": one.index(term), "end1": one.index(term) + len(term), "start2": 0, "end2": len(other),
        "label": number % 2,
    }  # fmt: skip


# -- fetch --------------------------------------------------------------------------------------


def fetch_files(place: Place, run: Callable[[tuple[str, ...], Place], object]) -> None:
    """Fetch a file into the cache, from a server that sends half of it at first."""
    os.environ["NLMCHEM_HOME"] = str(place.out)
    with _server(_serve_halves):
        run(("fetch", "bc5cdr", "--mirror", "http://drill.invalid"), place)


def fetch_articles(place: Place, run: Callable[[tuple[str, ...], Place], object]) -> None:
    """Fetch two articles that the bucket does not have into a folder."""
    place.inputs.mkdir(exist_ok=True)
    (place.inputs / "ids").write_text("PMC1\nPMC2\n")
    with _server(_serve_articles):
        run(("fetch", "pmc", "--ids", "{in}/ids", *OUT, "--mirror", "http://drill.invalid"), place)


def fetch_from_bucket(place: Place, run: Callable[[tuple[str, ...], Place], object]) -> None:
    """Fetch all articles of a bucket into a folder."""
    folder = place.inputs / "bucket"
    with _server(LoopbackBucket(folder if folder.exists() else add_all(folder))):
        run(("fetch", "pmc", "--all", *OUT, "--connections", "1", "--mirror", "http://drill.invalid"), place)


@contextmanager
def _server(behave: Callable[[Request], None]) -> Iterator[None]:
    """A server that all names lead to: the records of files have the same addresses in all runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
    server.site = Site("", behave)  # type: ignore[attr-defined]
    os.environ["http_proxy"] = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def _serve_halves(request: Request) -> None:
    body = _zipped()
    start = request.start()
    if start:
        where = f"bytes {start}-{len(body) - 1}/{len(body)}"
        request.answer(body[start:], 206, ETag='"one"', Content_Range=where)
    else:
        request.answer(body[: len(body) // 2], length=len(body), ETag='"one"')


def _zipped() -> bytes:
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("CDR.txt"), "1|t|Zinc\n1|a|\n")
    return packed.getvalue()


def _serve_articles(request: Request) -> None:
    if "list-type" in request.path:
        # The bucket does not have them.
        request.answer(b"<ListBucketResult/>")
        return
    number = request.path.split("/PMC")[1].split("/")[0]
    passage = {"offset": 0, "infons": {}, "text": f"Article {number}"}
    request.answer(json.dumps([{"documents": [{"id": number, "passages": [passage]}]}]).encode())


def drills(run: Callable[[tuple[str, ...], Place], object]) -> Iterator[Drill]:
    """All drills; `run` runs a command line."""
    for name, words in COMMANDS.items():
        command: Callable[[Place], object] = lambda place, words=words: run(words, place)  # noqa: E731
        yield Drill(name, training_inputs, command, after_error=command)
    fetches = {"fetch": fetch_files, "fetch articles": fetch_articles, "fetch from a bucket": fetch_from_bucket}
    for name, fetch in fetches.items():
        command = partial(fetch, run=run)
        yield Drill(name, lambda place: place.inputs.mkdir(parents=True), command, after_error=command)
