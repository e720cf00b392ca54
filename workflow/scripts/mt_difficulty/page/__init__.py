"""Tables, charts and the segment browser of the page."""
