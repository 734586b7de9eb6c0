"""mem0 dream: cleans a project's mem0 memories, shows every change before it moves, and can take it back."""

import sys

if sys.version_info < (3, 10):  # noqa: UP036 - this file alone must parse on old Pythons, to say so
    _HAS = "%d.%d" % sys.version_info[:2]  # noqa: UP031
    sys.exit("mem0 dream needs Python 3.10 or newer, and this is " + _HAS + "; start it with a newer one.")

__version__ = "0.1.0"
