"""What a run consists of: its config, locks, records and checks."""
