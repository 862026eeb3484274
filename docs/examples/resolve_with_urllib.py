"""The credential for one request, from Python without a package.

Log in first: credsvc login anthropic.

Prints: x-api-key: 28 characters
"""

import json
import os
import urllib.error
import urllib.request

daemon = os.environ.get("CREDSVC_DAEMON_URL", "http://127.0.0.1:7998")
request = urllib.request.Request(
    f"{daemon}/credentials/resolve",
    data=json.dumps({"host": "api.anthropic.com", "path": "/v1/messages"}).encode(),
    headers={"content-type": "application/json"},
)
# The daemon is on this machine, so no proxy of the environment leads to it.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    with opener.open(request) as response:
        result = json.load(response)
except urllib.error.HTTPError as error:
    problem = json.load(error)
    raise SystemExit(f"{problem['error']}: {problem['detail']}")
for name, value in result["headers"].items():
    print(f"{name}: {len(value)} characters")
