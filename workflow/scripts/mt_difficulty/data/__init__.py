"""Read evaluation sets from the archive or from a user's own files; languages and downloads."""
