"""Score a user's own texts: read inputs, score, compare systems, choose segments, judge metrics."""
