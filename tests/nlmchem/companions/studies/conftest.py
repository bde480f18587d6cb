"""Tiny random models and articles (`tiny_models`)."""

from __future__ import annotations

from tiny_models import articles, make_model, one_thread

__all__ = ["articles", "make_model", "one_thread"]
