"""Run by every Python process of the run at its start, because it is on PYTHONPATH.

aiohttp reads the proxy variables only for sessions with trust_env=True. This file makes that the default as soon as the
program imports aiohttp, and runs the sitecustomize that it shadows.
"""

import importlib.util
import os
import sys


class _ClientFinder:
    def find_spec(self, name, path=None, target=None):
        if name != "aiohttp.client":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            create = module.ClientSession.__init__

            def __init__(session, *args, **kwargs):
                kwargs.setdefault("trust_env", True)
                create(session, *args, **kwargs)

            module.ClientSession.__init__ = __init__

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _ClientFinder())

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]
_ours = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # the one that this file shadows
except ImportError as error:
    if error.name != "sitecustomize":
        raise
    sys.modules["sitecustomize"] = _ours
