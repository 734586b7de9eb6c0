"""How many examples a property of the expensive kind gets: all of them in CI, a twentieth at a developer's desk."""

import os
from typing import Any

from hypothesis import HealthCheck, settings


def examples(most: int, **options: Any) -> settings:
    """Settings for a property whose every example is a whole run; `most` is the number of examples in CI."""
    thorough = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
    return settings(max_examples=most if thorough else most // 20 + 1, deadline=None, **options)


def whole_runs(most: int) -> settings:
    """As `examples`, for worlds that are costly to draw."""
    return examples(most, suppress_health_check=list(HealthCheck))
