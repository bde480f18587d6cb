"""A teacher: a tagger whose probabilities a smaller one learns, besides the labels (Hinton et al. 2015)."""

from __future__ import annotations

from pathlib import Path

from corpora.errors import OptionError
from nlmchem.tagging.inference.labels import LabelSet
from nlmchem.tagging.inference.scoring import Network, TokenClassifier
from nlmchem.tagging.kernel.arithmetic import AUTO
from nlmchem.tagging.models.folders import GUIDELINES, folder_of, read_facts
from nlmchem.tagging.models.loading import open_model
from nlmchem.tagging.training.plan import TaggerTraining


def teacher_of(student: Path, options: TaggerTraining) -> Network | None:
    """The logits of the teacher for windows of the student; None without a teacher.

    `student`: the folder that training starts from. Raises `OptionError` if the teacher reads other pieces, or gives
    other labels, than the student.
    """
    if options.teacher is None:
        return None
    folder = folder_of(str(options.teacher))
    # On a GPU the tensors would be copied there and back; the teacher is a fraction of the work.
    model = open_model(folder, "cpu", AUTO)
    reason = _unlike(model, folder, student, options)
    if reason or not isinstance(model, TokenClassifier):
        raise OptionError("teacher", f"{folder} has {reason or 'no labels'}; name a tagger of the same kind")
    return model.network


def _unlike(model: object, folder: Path, student: Path, options: TaggerTraining) -> str | None:
    """What a teacher has that the student does not have."""
    from nlmchem.tagging.training.base import base_tokenizer

    if not isinstance(model, TokenClassifier) or options.crf or model.transitions is not None:
        return "no probabilities of single pieces"
    if model.labels != LabelSet.of(options.scheme):
        return "other labels"
    facts = read_facts(folder)
    if bool(facts.get("letter_case")) != options.letter_case or bool(facts.get("gazetteer")) != options.gazetteer:
        return "another letter_case or gazetteer"
    if options.gazetteer and facts.get(GUIDELINES, [""]) != ["", *options.guidelines]:
        return "other guidelines"
    vocabulary = base_tokenizer(student).get_vocab()
    return "other word pieces" if model.cutter.tokenizer.get_vocab() != vocabulary else None
