"""Training of taggers: data, stages, folds, seeds, model cards; registries of augmentations and kinds of models."""
