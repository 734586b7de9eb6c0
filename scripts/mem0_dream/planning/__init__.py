"""From a snapshot to a plan: what may be merged, asked about, or pruned."""
