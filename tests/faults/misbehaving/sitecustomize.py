"""Python imports this module in each process that has this folder on its PYTHONPATH.

It replaces the tagger by one that dies, hangs or waits when an article contains certain words. Where TEST_EVENTS names
a file, the process writes to it which articles it begins and finishes.
"""

import ctypes
import itertools
import os
import signal
import time
from pathlib import Path

from nlmchem.engine import executors, worker
from nlmchem.tagging.lexicon_tagger import LexiconTagger

_LOCK = ctypes.create_string_buffer(64)
worker.GRACE = 1.0
executors.PATIENCE = float(os.environ.get("TEST_PATIENCE", executors.PATIENCE))
_tag = LexiconTagger.__call__


def _misbehave(tagger, documents):
    for document in documents:
        text = " ".join(passage.text or "" for passage in document.passages)
        if "KILLS-ITS-WORKER" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        while "NEVER-ENDS" in text:
            time.sleep(0.01)
        while "STUCK-IN-C" in text:
            # A lock that this thread holds already. Like a long computation in C, no signal ends the call, and no other
            # thread of Python runs.
            ctypes.PyDLL(None).pthread_mutex_lock(_LOCK)
        time.sleep(float(os.environ.get("TEST_SLOW", "0")))
    _tag(tagger, documents)


LexiconTagger.__call__ = _misbehave

if "TEST_CLOCK_GOES_BACK" in os.environ:
    # An hour with each call, as no real clock does.
    _now = itertools.count(time.time(), -3600)
    time.time = lambda: next(_now)

if log := os.environ.get("TEST_EVENTS"):
    from article_events import record

    record(Path(log))
