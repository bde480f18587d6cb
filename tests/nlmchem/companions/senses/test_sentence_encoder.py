"""The encoder of sentences: rows of unit length, each text alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_transformer import WIDTH, write_tiny_transformer

from corpora.errors import ResourceError
from nlmchem.companions.senses.encoders import SentenceEncoder
from sieves.dense.encoders import encoder_version


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> SentenceEncoder:
    return SentenceEncoder(write_tiny_transformer(tmp_path_factory.mktemp("sentences")))


def test_rows_have_unit_length_and_do_not_depend_on_other_texts(encoder: SentenceEncoder) -> None:
    texts = ["zinc uptake", "a much longer sentence about the uptake of zinc by roots", ""]
    rows = encoder.encode(texts)
    assert rows.shape == (3, WIDTH)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert all((encoder.encode([text])[0] == row).all() for text, row in zip(texts, rows, strict=True))
    assert encoder.encode([]).shape == (0, WIDTH)


def test_a_row_is_the_mean_of_the_pieces(encoder: SentenceEncoder) -> None:
    import torch

    pieces = encoder._tokenizer("zinc uptake", return_tensors="pt")
    with torch.inference_mode():
        mean = encoder._model(**pieces).last_hidden_state[0].mean(dim=0).numpy()
    assert np.allclose(encoder.encode(["zinc uptake"])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_a_text_that_is_too_long_is_cut(encoder: SentenceEncoder) -> None:
    text = "zinc uptake by roots " * 40
    assert np.allclose(encoder.encode([text])[0], encoder.encode([text + "and leaves"])[0])


def test_the_version_is_that_of_the_folder(tmp_path: Path) -> None:
    folder = write_tiny_transformer(tmp_path)
    assert SentenceEncoder(folder).version == encoder_version(str(folder))


def test_a_folder_without_a_model_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="no model in"):
        SentenceEncoder(tmp_path)


def test_a_model_of_another_kind_is_one_sentence(tmp_path: Path) -> None:
    import transformers

    folder = write_tiny_transformer(tmp_path)
    config = transformers.T5Config(vocab_size=200, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
    transformers.T5Model(config).save_pretrained(folder)
    with pytest.raises(ResourceError, match=r"\(t5\) is no encoder of texts; give one such as"):
        SentenceEncoder(folder)


def test_a_vocabulary_of_another_model_is_one_sentence(tmp_path: Path) -> None:
    import transformers

    folder = write_tiny_transformer(tmp_path)
    config = transformers.BertConfig(vocab_size=5, hidden_size=8, num_hidden_layers=1, num_attention_heads=2)
    transformers.BertModel(config).save_pretrained(folder)
    with pytest.raises(ResourceError, match=r"\(bert\) is no encoder of texts"):
        SentenceEncoder(folder)


def test_the_folder_of_the_embedded_tagger_is_one_sentence() -> None:
    from nlmchem.tagging.models.folders import FOLDER

    with pytest.raises(ResourceError, match=r"model\.safetensors"):
        SentenceEncoder(FOLDER)
