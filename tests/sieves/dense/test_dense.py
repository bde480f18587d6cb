"""The dense fallback: answers depend only on their text; vectors of names are computed once and stored."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bioc import BioCDocument, BioCPassage
from safetensors.numpy import save_file

from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import add_mention, fresh_ids, mentions
from corpora.storage import cache
from sieves.dense import fallback as dense_vectors
from sieves.dense.encoders import BagEncoder, encoder_version, open_encoder
from sieves.dense.fallback import SIEVE, DenseFallback, NameVectors, open_fallback
from sieves.lexicon.lexicon import STARTER, Lexicon
from sieves.normalizer import Normalizer

MISSPELT = ("odocosahexaenoic acid", "ovitamin C", "odopamine")
"""What no sieve knows: edit distance compares names that begin alike."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random directions for n-grams: names that share most of them are near each other."""
    path = tmp_path_factory.mktemp("encoder") / "weights.safetensors"
    save_file({"ngrams": np.random.default_rng(0).normal(size=(4096, 64)).astype(np.float16)}, path)
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of this test alone."""
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def own(mesh: Path, tmp_path: Path) -> Path:
    """A lexicon in a folder of its own."""
    folder = tmp_path / "lexicon"
    folder.mkdir()
    return Path(shutil.copy(mesh, folder / "mesh.sqlite"))


@pytest.fixture
def messages() -> list[str]:
    return []


def make_document(*texts: str) -> BioCDocument:
    """An article whose sentences are mentions."""
    document = BioCDocument()
    document.id = "1"
    ids = fresh_ids(document, "C")
    offset = 0
    for text in texts:
        passage = BioCPassage.of_text(text, offset)
        document.add_passage(passage)
        add_mention(passage, [(offset, offset + len(text))], id=next(ids), annotator="gold")
        offset += len(text) + 1
    return document


def identified(documents: list[BioCDocument]) -> list[list[tuple[object, ...]]]:
    return [[(m.text, m.identifiers, m.evidence) for m in mentions(document)] for document in documents]


# -- answers ------------------------------------------------------------------------------------


def test_unresolved_mentions_get_the_concept_of_the_nearest_name(own: Path, weights: Path) -> None:
    with Lexicon.open(own) as lexicon:
        documents = [make_document("Retinol", *MISSPELT, "quite another thing")]
        Normalizer(lexicon, dense=open_fallback(lexicon, own, str(weights), 0.6))(documents)
    found = {mention.text: (mention.identifiers, mention.evidence.sieve) for mention in mentions(documents[0])}
    assert found["Retinol"] == (("MESH:D000003",), "exact")
    assert found["ovitamin C"] == (("MESH:D000004",), SIEVE)
    assert found["odopamine"] == (("MESH:D000017",), SIEVE)
    assert found["quite another thing"] == ((), None)


def test_answers_do_not_depend_on_the_chunk(own: Path, weights: Path) -> None:
    texts = [("Ethanol", *MISSPELT), ("odopamine", "ograin spirit"), (), ("olinoleic acid", "wine", "ovitamin C")]
    with Lexicon.open(own) as lexicon:
        together = [make_document(*one) for one in texts]
        Normalizer(lexicon, dense=open_fallback(lexicon, own, str(weights), 0.5))(together)
        alone = [make_document(*one) for one in reversed(texts)]
        normalizer = Normalizer(lexicon, dense=open_fallback(lexicon, own, str(weights), 0.5))
        for document in alone:
            normalizer([document])
    assert identified(together) == identified(alone[::-1])


def test_each_unresolved_surface_of_a_chunk_is_encoded_once(own: Path, weights: Path) -> None:
    class Counting(BagEncoder):
        asked: list[list[str]] = []  # noqa: RUF012

        def encode(self, names):  # type: ignore[no-untyped-def]
            self.asked.append(list(names))
            return super().encode(names)

    encoder = Counting.open(weights)
    with Lexicon.open(own) as lexicon:
        vectors = NameVectors.of(lexicon, own, encoder)
        normalizer = Normalizer(lexicon, dense=DenseFallback(lexicon, vectors, encoder))
        encoder.asked.clear()
        normalizer([make_document("Ethanol", "winee", "odopamine"), make_document("odopamine", "winee")])
        normalizer([make_document("winee")])
    assert encoder.asked == [["odopamine", "winee"]]


@pytest.mark.parametrize("queries", [1, 2, 256])
@pytest.mark.parametrize("block", [1, 4 * 64 * 3, 1 << 24])
def test_cosines_do_not_depend_on_batches_or_blocks(
    own: Path, weights: Path, monkeypatch: pytest.MonkeyPatch, queries: int, block: int
) -> None:
    encoder = open_encoder(str(weights))
    names = [*MISSPELT, "wine", "grain spirit", "x", "sodium", "chloride"]
    with Lexicon.open(own) as lexicon:
        vectors = NameVectors.of(lexicon, own, encoder)
        whole = vectors.ranked(encoder.encode(names), 3)
        monkeypatch.setattr(dense_vectors, "QUERIES", queries)
        monkeypatch.setattr(dense_vectors, "BLOCK_BYTES", block)
        cut = [found for name in names for found in vectors.ranked(encoder.encode([name]), 3)]
        assert vectors.ranked(encoder.encode(names), 3) == whole == cut
        assert [found[0] for found in vectors.ranked(encoder.encode(names), 1)] == [found[0] for found in whole]
    assert all(first[1] >= second[1] for first, second, _ in whole)


def test_the_nearest_name_is_that_of_a_matrix_product(own: Path, weights: Path) -> None:
    encoder = open_encoder(str(weights))
    names = ["ovitamin C", "odopamine", "waxs"]
    with Lexicon.open(own) as lexicon:
        keys = list(lexicon.database.keys())
        first = {key: lexicon.with_key(key)[0].name for key in keys}
        found = [one for (one,) in NameVectors.of(lexicon, own, encoder).ranked(encoder.encode(names), 1)]
    scores = encoder.encode(names) @ encoder.encode([first[key] for key in keys]).T
    assert [key for key, _ in found] == [keys[at] for at in scores.argmax(axis=1)]
    assert np.allclose([cosine for _, cosine in found], scores.max(axis=1), atol=0.02)


def test_answers_have_the_identifiers_of_the_year(own: Path, weights: Path) -> None:
    for year, identifier in ((None, "MESH:D000015"), (2020, "MESH:C000001")):
        with Lexicon.open(own, year) as lexicon:
            found = open_fallback(lexicon, own, str(weights), 0.5)(["opromotol"])
        assert found["opromotol"].identifiers == (identifier,)


def test_nearest_names_are_listed_below_the_threshold_as_well(own: Path, weights: Path) -> None:
    with Lexicon.open(own) as lexicon:
        fallback = open_fallback(lexicon, own, str(weights), 1.0)
        assert fallback(["odopamine"]) == {}
        nearest = fallback.nearest("odopamine", 3)
    assert nearest[0].matched_name == "Dopamine"
    assert len(nearest) == 3
    assert fallback.nearest("·") == []


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan")])
def test_a_threshold_outside_0_to_1_is_refused(own: Path, weights: Path, threshold: float) -> None:
    with Lexicon.open(own) as lexicon, pytest.raises(ConfigurationError, match="dense_threshold is"):
        open_fallback(lexicon, own, str(weights), threshold)


def test_the_embedded_encoder_needs_no_torch(own: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from sieves.dense.fallback import open_fallback; "
        "from sieves.lexicon.lexicon import STARTER, Lexicon; path = Path(sys.argv[1]); "
        "open_fallback(Lexicon.open(path), path)(['odopamine']); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(own)], capture_output=True, check=True, text=True)
    assert {"torch", "transformers", "sklearn", "scipy"}.isdisjoint(done.stdout.split())


# -- where vectors lie --------------------------------------------------------------------------


def test_vectors_are_made_once_beside_the_lexicon(own: Path, weights: Path, home: Path, messages: list[str]) -> None:
    with Lexicon.open(own) as lexicon:
        open_fallback(lexicon, own, str(weights), report=messages.append)
        files = {path: path.stat().st_mtime_ns for path in own.parent.iterdir()}
        open_fallback(lexicon, own, str(weights), report=messages.append)
    assert {path: path.stat().st_mtime_ns for path in own.parent.iterdir()} == files
    assert sorted(path.suffix for path in files) == [".keys", ".npy", ".sqlite"]
    assert not home.exists()
    (sentence,) = messages
    assert "computing the vectors of" in sentence


def test_vectors_of_the_starter_lexicon_are_in_the_cache(weights: Path, home: Path, messages: list[str]) -> None:
    with Lexicon.open(STARTER) as lexicon:
        fallback = open_fallback(lexicon, None, str(weights), report=messages.append)
        assert fallback(["odocosahexaenoic acid"])
    (kept,) = cache.contents()
    assert (kept.name, len(kept.files)) == (dense_vectors.CACHE, 2)
    assert cache.empty(dense_vectors.CACHE)[0] > 0


def test_vectors_go_to_the_cache_if_the_folder_of_the_lexicon_is_read_only(
    own: Path, weights: Path, home: Path, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, own.parent)
    with Lexicon.open(own) as lexicon:
        for _ in range(2):
            assert open_fallback(lexicon, own, str(weights), report=messages.append)(["odocosahexaenoic acid"])
    assert [path.name for path in own.parent.iterdir()] == ["mesh.sqlite"]
    assert "cannot write name vectors beside" in messages[0]
    assert str(home) in messages[1]
    assert len(messages) == 2


def test_vectors_that_cannot_be_written_anywhere_are_an_error(
    own: Path, weights: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, own.parent, home)
    with Lexicon.open(own) as lexicon, pytest.raises(ResourceError, match="set NLMCHEM_HOME"):
        open_fallback(lexicon, own, str(weights), report=lambda _: None)


@pytest.mark.parametrize("suffix", [".npy", ".keys"])
@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"one\ntwo\n"])
def test_broken_vectors_are_refused(own: Path, weights: Path, suffix: str, content: bytes) -> None:
    with Lexicon.open(own) as lexicon:
        open_fallback(lexicon, own, str(weights))
        (file,) = own.parent.glob(f"*{suffix}")
        file.write_bytes(content)
        with pytest.raises(ResourceError, match="delete them"):
            open_fallback(lexicon, own, str(weights))


def test_each_encoder_and_lexicon_has_its_own_vectors(own: Path, weights: Path, mesh: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    save_file({"ngrams": np.random.default_rng(1).normal(size=(4096, 32)).astype(np.float16)}, other)
    with Lexicon.open(own) as lexicon:
        for encoder in (weights, other):
            open_fallback(lexicon, own, str(encoder))
    assert len(list(own.parent.glob("*.npy"))) == 2


def refuse(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """As a folder that is read-only (root may write everywhere, so permissions are no test)."""
    real = dense_vectors.replacing

    def replacing(path: Path, **more: Any):  # type: ignore[no-untyped-def]
        if any(path.is_relative_to(folder) for folder in folders):
            raise PermissionError(13, "Permission denied")
        return real(path, **more)

    monkeypatch.setattr(dense_vectors, "replacing", replacing)
    monkeypatch.setattr(cache, "replacing", replacing)


# -- encoders -----------------------------------------------------------------------------------


def test_the_version_of_an_encoder_is_computed_without_opening_it(weights: Path) -> None:
    assert encoder_version(str(weights)) == BagEncoder.open(weights).version
    assert encoder_version("default") == encoder_version() == open_encoder().version


@pytest.mark.parametrize("name", ["nothing", "folder"])
def test_a_path_without_an_encoder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    for opening in (open_encoder, encoder_version):
        with pytest.raises(ResourceError, match=r"no dense encoder|no model in"):
            opening(str(tmp_path / name))
