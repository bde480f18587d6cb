"""The script that trains PubMedBERT runs from the downloads to the submission, with a tiny encoder and own articles."""

from __future__ import annotations

import gzip
import io
import os
import random
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage
from command_server import served
from loopback_site import Request, Site
from tiny_transformer import write_tiny_transformer

import corpora
from corpora.fetching.resources import resource
from corpora.model.document import add_mention, mentions, set_identifiers

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples" / "pubmedbert" / "run.sh"
CHEMICALS = {"glucose": "MESH:D005947", "ethanol": "MESH:D000431", "aspirin": "MESH:D001241"}
SENTENCES = ("mice were given {} for two days.", "the level of {} rose.", "no effect was seen.")


def article(number: int) -> BioCDocument:
    """Title and abstract in which every chemical is marked and linked."""
    draw = random.Random(number)
    document = BioCDocument()
    document.id = str(number)
    offset = 0
    for kind in ("title", "abstract"):
        passage = BioCPassage()
        passage.offset, passage.text = offset, ""
        passage.infons["type"] = kind
        for _ in range(4):
            sentence, name = draw.choice(SENTENCES), draw.choice(sorted(CHEMICALS))
            start = offset + len(passage.text) + sentence.find("{}")
            passage.text += sentence.format(name) + " "
            if "{}" in sentence:
                add_mention(passage, [(start, start + len(name))], id=f"{kind}{start}", annotator="gold", text=None)
        passage.text = passage.text.strip()
        document.add_passage(passage)
        offset += len(passage.text) + 1
    for mention in mentions(document):
        set_identifiers(mention, [CHEMICALS[mention.text]])
    return document


def as_json(folder: Path, numbers: range) -> bytes:
    place = folder / "own.json"
    corpora.write([article(number) for number in numbers], place, "biocjson")
    return place.read_bytes()


def tar(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(files: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def pubtator(number: int) -> str:
    mention = f"{number}\t13\t20\tglucose\tChemical\tD005947"
    return f"{number}|t|the level of glucose\n{number}|a|ethanol rose.\n{mention}\n\n"


def drugprot(part: str, number: int) -> dict[str, str]:
    return {
        f"drugprot_{part}_abstracs.tsv": f"{number}\tthe level of aspirin\tno effect was seen.\n",
        f"drugprot_{part}_entities.tsv": f"{number}\tT1\tCHEMICAL\t13\t20\taspirin\n",
    }


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[str]:
    """Serves all that the script downloads, except the encoder, under the paths of the publishers.

    As there, the corpora of the track are archives, although their names end with .json.gz; its test set is one file.
    """
    splits = ("train", "dev", "test")
    track = {"nlmchem": "NLMChem", "cdr": "CDR", "chemdner": "CHEMDNER"}
    bodies: dict[str, bytes] = {
        name: tar(
            {
                f"BC7T2-{title}-corpus-{split}.BioC.json": as_json(tmp_path, range(at, at + 3))
                for at, split in zip(range(100 * number, 100 * number + 90, 10), splits, strict=False)
            }
        )
        for number, (name, title) in enumerate(track.items(), 1)
    }
    bodies["nlmchem-test"] = gzip.compress(as_json(tmp_path, range(500, 503)), mtime=0)
    parts = enumerate(("Train", "Dev", "Test"), 600)
    bodies["biored"] = zipped({f"BioRED/{part}.PubTator": pubtator(number) for number, part in parts})
    bodies["drugprot"] = zipped({**drugprot("training", 701), **drugprot("development", 702)})
    answers = {
        url.partition("//")[2].partition("/")[2]: body
        for name, body in bodies.items()
        for file in resource(name).files
        for url in file.urls
    }
    silver = as_json(tmp_path, range(800, 801))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Request)

    def behave(request: Request) -> None:
        if "list-type=2" in request.path:
            # The bucket does not have the article, so the service of single articles is asked.
            request.answer(b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
        elif "pmcoa.cgi" in request.path:
            request.answer(silver)
        else:
            body = answers.get(request.path.lstrip("/"))
            request.answer(body or b"", 200 if body else 404)

    site = Site(f"http://127.0.0.1:{server.server_port}", behave)
    server.site = site  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield site.address
    server.shutdown()
    server.server_close()


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Path]:
    with served(tmp_path) as folder:
        yield folder


@pytest.mark.slow
def test_the_script_runs_to_the_submission_and_repeats_no_step(mirror: str, commands: Path, tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()
    (lexicon := Path(os.environ["NLMCHEM_HOME"]) / "lexicon").mkdir(parents=True, exist_ok=True)
    (home / "lexicon").symlink_to(lexicon.resolve())
    (tmp_path / "ids.txt").write_text("PMC800\n")
    own = {
        "NLMCHEM_HOME": home, "OUT": out, "DEVICE": "cpu", "SMALL": 1, "MIRROR": mirror,
        "BASE": write_tiny_transformer(tmp_path / "base"), "SILVER_IDS": tmp_path / "ids.txt",
        "no_proxy": "127.0.0.1", "OMP_NUM_THREADS": 1,
    }  # fmt: skip
    environment = {**os.environ, **{name: str(value) for name, value in own.items()}}
    environment["PATH"] = os.pathsep.join([str(commands), str(Path(sys.executable).parent), os.environ["PATH"]])

    def ran() -> list[str]:
        done = subprocess.run(
            ["bash", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout.splitlines()

    first = ran()
    begun = [line.partition(":")[0] for line in first if line.endswith(": begins")]
    assert begun == [
        "download", "first", "first-decision", "silver-articles", "silver", "decision", "target", "mean", "gold",
        "annotate", "score", "submit",
    ]  # fmt: skip
    for name in ("model/model.safetensors", "decision.json", "submission/Track2-Team-999-Subtask1-Run-1.xml"):
        assert (out / name).is_file()
    assert "strict" in (out / "scores.txt").read_text("utf-8").casefold()
    gold = {document.id for document in corpora.read(out / "gold.xml")}
    assert gold == {"500", "501", "502"}
    card = (out / "model" / "README.md").read_text("utf-8")
    assert "The mean of the weights of 2 models" in card
    assert all(line.endswith(": complete") for line in ran()[:-1]), "a complete step was repeated"
    (out / "score.done").unlink()
    assert [line for line in ran() if line.endswith(": begins")] == ["score: begins"]
