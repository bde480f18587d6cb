"""`nlmchem evaluate`: one command for each task."""

from __future__ import annotations

from nlmchem.cli.evaluate import abbreviations, tasks
from nlmchem.cli.old_groups import group

app = group(
    "Score runs as the NLM-Chem track does, test whether differences are significant, and show the errors.",
    default="spans",
)
app.command(epilog=tasks.SPANS_EXAMPLE)(tasks.spans)
app.command(epilog=tasks.IDENTIFIERS_EXAMPLE)(tasks.identifiers)
app.command(epilog=tasks.INDEXING_EXAMPLE)(tasks.indexing)
app.command(epilog=abbreviations.EXAMPLE)(abbreviations.abbreviations)
