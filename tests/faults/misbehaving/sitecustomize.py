"""Python imports this module in each process that has this folder on its PYTHONPATH.

It replaces the tagger by one that dies, hangs or waits when an article contains certain words. Where TEST_EVENTS names
a file, the process writes to it which articles it begins and finishes.
"""

import os
import signal
import time
from pathlib import Path

from nlmchem.batch import executors, worker
from nlmchem.tagging.lexicon.tagger import LexiconTagger

worker.GRACE = 1.0
executors.PATIENCE = float(os.environ.get("TEST_PATIENCE", executors.PATIENCE))
_tag = LexiconTagger.__call__


def _misbehave(tagger, documents):
    for document in documents:
        text = " ".join(passage.text or "" for passage in document.passages)
        if "KILLS-ITS-WORKER" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        while "NEVER-ENDS" in text:
            pass
        if "STUCK-IN-C" in text:
            sum(range(10**15))
        time.sleep(float(os.environ.get("TEST_SLOW", "0")))
    _tag(tagger, documents)


LexiconTagger.__call__ = _misbehave

if log := os.environ.get("TEST_EVENTS"):
    from article_events import record

    record(Path(log))
