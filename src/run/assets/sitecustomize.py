"""Run by every Python process of the run at its start, because it is on PYTHONPATH.

aiohttp reads the proxy variables only for sessions with trust_env=True, and certifi names a list of its own. This file changes both as
soon as the program imports them, and runs the sitecustomize that it shadows.
"""

import importlib.util
import os
import sys


def _aiohttp(module):
    create = module.ClientSession.__init__

    def __init__(session, *args, **kwargs):
        # Libraries such as ccxt name the default, False, themselves.
        kwargs["trust_env"] = True
        create(session, *args, **kwargs)

    module.ClientSession.__init__ = __init__


def _certifi(module):
    own = module.where

    def where():
        return os.environ.get("SSL_CERT_FILE") or own()

    def contents():
        with open(where(), encoding="utf-8") as file:
            return file.read()

    # Startup files of an environment may have imported it already.
    for changed in (module, sys.modules.get("certifi", module)):
        changed.where, changed.contents = where, contents


class _ClientFinder:
    changes = {"aiohttp.client": _aiohttp, "certifi.core": _certifi}

    def find_spec(self, name, path=None, target=None):
        change = self.changes.pop(name, None)
        spec = change and importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            change(module)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _ClientFinder())
for _name in [name for name in _ClientFinder.changes if name in sys.modules]:
    _ClientFinder.changes.pop(_name)(sys.modules[_name])

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]
_ours = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # the one that this file shadows
except ImportError as error:
    if error.name != "sitecustomize":
        raise
    sys.modules["sitecustomize"] = _ours
