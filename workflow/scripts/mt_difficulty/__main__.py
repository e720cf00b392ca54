"""`python -m mt_difficulty`."""

import sys

from .cli import main

sys.exit(main())
