"""Kills, damaged and hostile inputs."""
