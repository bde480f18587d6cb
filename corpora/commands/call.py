"""Moved; removed when nothing imports it."""

from corpora.commands.command import Call as Call
