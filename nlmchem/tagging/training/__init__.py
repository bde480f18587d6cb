"""Training of taggers: data, augmentation, stages, folds, seeds, model cards."""
