"""`nlmchem train`: one command for each kind of model."""

from __future__ import annotations

from nlmchem.cli.old_groups import group
from nlmchem.cli.train import decision, dense, indexer, mean, tagger

app = group("Train taggers, decisions, indexers and encoders of names.")
app.command(epilog=tagger.EXAMPLE)(tagger.tagger)
app.command(epilog=mean.EXAMPLE)(mean.mean)
app.command(epilog=decision.EXAMPLE)(decision.decision)
app.command(epilog=dense.EXAMPLE)(dense.dense)
app.command(epilog=indexer.EXAMPLE)(indexer.indexer)
