"""`train tagger --base` with a text-to-text model: it learns sentences by heart, and continues after a stop."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from bioc import BioCDocument
from command_line import invoke
from unigram_tokenizer import unigram_tokenizer

import corpora
from corpora.errors import OptionError
from corpora.model.document import mentions
from nlmchem.companions.studies.text_to_text.loading import load_text_to_text
from nlmchem.companions.studies.text_to_text.training import MarkedCollator, open_marked, pack_alone
from nlmchem.tagging.inference.labels import Scheme
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from nlmchem.tagging.training.data import IGNORED, Example, TrainingCorpus, examples
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run
from nlmchem.tagging.training.scores import bare
from nlmchem.tagging.training.stage import train_stage

QUICK = StageOptions(rate=1e-2, passes=20, batch=256)
OPTIONS = TaggerTraining(window=64, first=QUICK, second=QUICK)
ALONE = TaggerOptions(Rules.parse("none"))


@pytest.fixture
def make_plain(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a tiny T5 or BART with random weights, whose tokenizer has no marks, as models of the hub have none."""

    def make(kind: str) -> Path:
        folder = tmp_path / kind
        lines = [
            "Mice were given glucose ethanol dopamine aspirin NaCl for two days.",
            "The level of rose, whereas fell. No effect of treatment was seen in the second group.",
            "We measured currents in neurons of the rat.",
            "".join(map(chr, range(61, 127))),
        ]
        own = unigram_tokenizer(lines, ["<pad>", "</s>", "<unk>", "<s>"], "<unk>")
        size = {"vocab_size": own.get_vocab_size(), "d_model": 32, "pad_token_id": 0, "eos_token_id": 1}
        form = {
            "t5": {
                "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_heads": 4, "decoder_start_token_id": 0,
                "dropout_rate": 0.0,
            },
            "bart": {
                "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 256, "bos_token_id": 3,
                "decoder_start_token_id": 1, "dropout": 0.0,
            },
        }[kind]  # fmt: skip
        torch.manual_seed(3)
        config = transformers.AutoConfig.for_model(kind, **size, **form)
        network = transformers.AutoModelForSeq2SeqLM.from_config(config)
        with torch.no_grad():
            for weight in network.parameters():
                if weight.dim() > 1:
                    weight.normal_(0, 0.1)
        network.save_pretrained(folder)
        own.save(str(folder / "tokenizer.json"))
        return folder

    return make


def spans(documents: list[BioCDocument]) -> list[list[tuple[int, int]]]:
    return [sorted(mention.spans[0] for mention in mentions(document)) for document in documents]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_the_command_trains_until_the_sentences_are_known_by_heart(
    make_plain: Callable[[str], Path], articles: list[BioCDocument], tmp_path: Path, kind: str
) -> None:
    learnt = articles[:2]
    sentences = [passage.text.count(". ") + 1 for document in learnt for passage in document.passages]
    assert sum(sentences) >= 20
    corpora.write(learnt, tmp_path / "gold.xml")
    arguments = [
        "train", "tagger", "--base", str(make_plain(kind)), "--out", str(tmp_path / "run"), "--corpus",
        str(tmp_path / "gold.xml"), "--passes", "60", "--rate", "0.02", "--window", "96", "--batch", "400", "--json",
    ]  # fmt: skip
    result = invoke(arguments)
    assert result.exit_code == 0, result.output + str(result.exception)
    model = tmp_path / "run" / "seed-7" / "all" / "model"
    tagged = [bare(document) for document in learnt]
    NeuralTagger([load_text_to_text(model)], ALONE)(tagged)
    found, right = ({(at, one) for at, own in enumerate(spans(some)) for one in own} for some in (tagged, learnt))
    # Sums of floats depend on the number of threads, so a few of the mentions may be missed.
    assert len(found & right) >= 0.8 * max(len(found), len(right))
    assert json.loads((model / "nlmchem.json").read_text())["text_to_text"]["open"] == "<chem>"
    assert "| second | gold.xml | 2 |" in (model / "README.md").read_text()


def test_a_training_that_was_stopped_continues_to_the_same_weights(
    make_plain: Callable[[str], Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    base = open_marked(make_plain("t5"), tmp_path / "run")
    model = load_text_to_text(base, window=64)
    given = examples(articles[:1], model.cutter, Scheme.BIO, model.capacity, pack=pack_alone)
    stage = replace(QUICK, passes=2, batch=128)
    whole = train_stage(base, tmp_path / "whole", given, stage, OPTIONS)
    stops = 0
    while not (done := train_stage(base, tmp_path / "torn", given, stage, OPTIONS, until=0.0)).finished:
        stops += 1
        assert stops < 50
    assert stops >= 2
    for one, two in zip(whole.learner.module.parameters(), done.learner.module.parameters(), strict=True):
        assert torch.equal(one, two)


def test_a_base_gets_marks_once_and_a_trained_model_is_a_base(
    make_plain: Callable[[str], Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    plain = make_plain("t5")
    base = open_marked(plain, tmp_path / "opened")
    assert base != plain
    assert open_marked(base, tmp_path / "again") == base, "a model with marks is used as it is"
    (opening,), (closing,) = load_text_to_text(base).marks.open, load_text_to_text(base).marks.close
    assert closing == opening + 1
    once = replace(QUICK, passes=1)
    options = replace(OPTIONS, first=once, second=once)
    plan = TrainingPlan(plain, tmp_path / "run", [TrainingCorpus("own", tuple(articles[:1]))], options=options)
    (model,) = run(plan).models
    again = replace(
        plan, base=model, out=tmp_path / "second", folds=2, target=[TrainingCorpus("own", tuple(articles[:2]))]
    )
    outcome = run(again)
    assert len(outcome.models) == 2
    assert outcome.scores is not None
    assert outcome.scores["strict"].keys() == {"precision", "recall", "f1"}


def test_the_target_has_marks_and_pieces_without_a_label_do_not_count(
    make_plain: Callable[[str], Path], tmp_path: Path
) -> None:
    model = load_text_to_text(open_marked(make_plain("bart"), tmp_path / "run"), window=64)
    (opening,), (closing,) = model.marks.open, model.marks.close
    example = Example(np.array([10, 11, 12, 13], np.int32), np.array([0, 1, 2, IGNORED]), 0.5)
    batch = MarkedCollator(model)([example])
    start, end = model.start, model.frame[1][0]
    assert batch["input_ids"].tolist() == [[3, 10, 11, 12, 13, end]]
    assert batch["decoder_input_ids"].tolist() == [[*start, 10, opening, 11, 12, closing, 13]]
    assert batch["labels"].tolist() == [[IGNORED, 10, opening, 11, 12, closing, IGNORED, end]]
    assert batch["weights"].tolist() == [0.5]


@pytest.mark.parametrize("change", [{"crf": True}, {"scheme": Scheme.BILOU}, {"letter_case": True}])
def test_options_of_token_classifiers_are_refused(
    make_plain: Callable[[str], Path], articles: list[BioCDocument], tmp_path: Path, change: dict[str, object]
) -> None:
    plan = TrainingPlan(
        make_plain("t5"), tmp_path / "run", [TrainingCorpus("own", tuple(articles))], options=replace(OPTIONS, **change)
    )
    with pytest.raises(OptionError, match="is not for text-to-text models; leave the option out"):
        run(plan)
