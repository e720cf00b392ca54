"""Human annotations: reading, design, official numbers."""
