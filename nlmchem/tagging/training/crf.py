"""A linear-chain CRF over word pieces, for training (Lafferty et al. 2001; over BERT: Almeida et al. 2022)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nlmchem.tagging.inference.decoding import FORBIDDEN
from nlmchem.tagging.models.labels import Scheme, legal

__all__ = ["Crf"]


class Crf(nn.Module):
    """Transition weights of a label scheme. Special pieces have the label `O` and are part of the chain."""

    def __init__(self, scheme: Scheme) -> None:
        super().__init__()
        between, _, _, _ = legal(scheme)
        self.transitions = nn.Parameter(torch.zeros(between.shape))
        self.illegal: Tensor
        self.register_buffer("illegal", torch.from_numpy(~between), persistent=False)

    def forward(self, emissions: Tensor, roles: Tensor, mask: Tensor) -> Tensor:
        """Negative log-likelihood per piece, for each window.

        `emissions`: windows x pieces x roles; `roles`: windows x pieces, legal sequences; `mask`: 1 on pieces, 0
        on padding, which is at the right.
        """
        emissions = emissions.float()
        weights = self.transitions.masked_fill(self.illegal, FORBIDDEN)
        shown = mask.bool()
        given = emissions.gather(2, roles[..., None]).squeeze(2) * shown
        steps = weights[roles[:, :-1], roles[:, 1:]] * shown[:, 1:]
        likelihood = given.sum(1) + steps.sum(1) - self._partition(emissions, weights, shown)
        return -likelihood / shown.sum(1)

    @staticmethod
    def _partition(emissions: Tensor, weights: Tensor, shown: Tensor) -> Tensor:
        forward = emissions[:, 0]
        for at in range(1, emissions.shape[1]):
            following = torch.logsumexp(forward[:, :, None] + weights[None], dim=1) + emissions[:, at]
            forward = torch.where(shown[:, at, None], following, forward)
        return torch.logsumexp(forward, dim=1)
