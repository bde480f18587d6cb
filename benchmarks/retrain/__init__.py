"""What makes each shipped artefact."""
