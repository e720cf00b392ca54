"""Human evaluations: annotations are read, official scores computed and the design described."""
