"""Evaluation sets from the archive or own files, languages, and downloads."""
