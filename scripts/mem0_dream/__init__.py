"""mem0 dream: cleans a project's mem0 memories, shows every change before it moves, and can take it back."""

import sys

if sys.version_info < (3, 10):  # noqa: UP036 - this file alone must parse on old Pythons, to say so
    sys.exit("mem0 dream needs Python 3.10 or newer, and this is %d.%d; start it with a newer one." % sys.version_info[:2])  # noqa: UP031, E501

__version__ = "0.1.0"
