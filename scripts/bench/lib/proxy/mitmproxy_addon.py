"""What our proxy does to a request, without asking anybody for the credential."""

import os

HOST = os.environ["BENCH_HOST"]
CREDENTIAL = os.environ["BENCH_CREDENTIAL"]
PORT = int(os.environ["BENCH_PORT"])


def server_connect(data):
    data.server.address = ("127.0.0.1", PORT)


def requestheaders(flow):
    flow.request.stream = True
    if flow.request.pretty_host == HOST:
        flow.request.headers["authorization"] = CREDENTIAL


def responseheaders(flow):
    flow.response.stream = True
