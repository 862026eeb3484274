/** Debian's Python, with its own modules and therefore its own trust store. */
import type { Client } from "./Client.ts"

const head = `
import os
url, key = os.environ["CLIENT_URL"], os.environ["CLIENTS_API_KEY"]
headers = {"Authorization": "Bearer " + key}
`

const python = (name: string, module: string, script: string, more: Partial<Client> = {}): Client => ({
  name: `python ${name}`,
  command: "/usr/bin/python3",
  args: ["-c", head + script],
  module,
  ...more
})

const aiohttp = (session: string) => `
import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession(${session}) as session:
        async with session.get(url, headers=headers) as response:
            print(await response.text())
asyncio.run(main())
`

const aiohttpSocket = `
import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession(trust_env=True) as session:
        async with session.ws_connect(url.replace("https:", "wss:"), headers=headers) as socket:
            print(await socket.receive_str())
asyncio.run(main())
`

const websockets = `
import asyncio, base64, socket, urllib.parse
import websockets
address = url.replace("https:", "wss:")
async def main():
    if int(websockets.__version__.split(".")[0]) >= 15:
        async with websockets.connect(address, additional_headers=headers) as connection:
            print(await connection.recv())
        return
    # Older ones take a socket, and leave the tunnel to the program.
    proxy = urllib.parse.urlsplit(os.environ["https_proxy"])
    host = urllib.parse.urlsplit(url).hostname
    tunnel = socket.create_connection((proxy.hostname, proxy.port))
    user = base64.b64encode((proxy.username + ":" + proxy.password).encode()).decode()
    head = "CONNECT %s:443 HTTP/1.1\\r\\nHost: %s:443\\r\\nProxy-Authorization: Basic %s\\r\\n\\r\\n"
    tunnel.sendall((head % (host, host, user)).encode())
    assert b" 200 " in tunnel.recv(4096)
    async with websockets.connect(address, sock=tunnel, server_hostname=host, extra_headers=headers) as connection:
        print(await connection.recv())
asyncio.run(main())
`

const stripe = (setting: string) => `
import stripe
stripe.api_key, stripe.api_base, stripe.max_network_retries = key, os.environ["CLIENT_BASE"], 0
${setting}
print(stripe.Customer.retrieve("served").id)
`

const tornado = `
import tornado.httpclient
print(tornado.httpclient.HTTPClient().fetch(url, headers=headers, request_timeout=100).body.decode())
`

const rawSocket = `
import socket, ssl, urllib.parse
address = urllib.parse.urlsplit(url)
plain = socket.create_connection((address.hostname, 443))
with ssl.create_default_context().wrap_socket(plain, server_hostname=address.hostname) as connection:
    head = "GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\nAuthorization: %s\\r\\n\\r\\n"
    connection.sendall((head % (address.path, address.hostname, headers["Authorization"])).encode())
    while chunk := connection.recv(4096):
        print(chunk.decode())
`

const grpc = `
import grpc, urllib.parse
address = urllib.parse.urlsplit(url)
with grpc.secure_channel(address.hostname + ":443", grpc.ssl_channel_credentials()) as channel:
    call = channel.unary_unary(address.path + "/grpc")
    print(call(b"hello", timeout=100, metadata=[("authorization", headers["Authorization"])]).decode())
`

export const pythonClients: ReadonlyArray<Client> = [
  python(
    "urllib",
    "urllib.request",
    "import urllib.request\nprint(urllib.request.urlopen(urllib.request.Request(url, headers=headers)).read().decode())",
    { contained: true, corporate: true }
  ),
  python("ssl", "ssl", rawSocket, { contained: true, fails: "it reads no proxy variable" }),
  python(
    "urllib with strict verification",
    "urllib.request",
    "import ssl, urllib.request\ncontext = ssl.create_default_context()\ncontext.verify_flags |= ssl.VERIFY_X509_STRICT\n" +
      "print(urllib.request.urlopen(urllib.request.Request(url, headers=headers), context=context).read().decode())"
  ),
  python("requests", "requests", "import requests\nprint(requests.get(url, headers=headers).text)", {
    corporate: true
  }),
  python(
    "requests, upload of 5 MB",
    "requests",
    "import requests\nprint(requests.post(url, data=b'x' * 5_000_000, headers=headers).text)"
  ),
  python("httpx", "httpx", "import httpx\nprint(httpx.get(url, headers=headers).text)"),
  python(
    "httpx, asynchronous",
    "httpx",
    "import asyncio, httpx\nasync def main():\n    async with httpx.AsyncClient() as client:\n" +
      "        print((await client.get(url, headers=headers)).text)\nasyncio.run(main())"
  ),
  python("httpx with h2, HTTP/2", "h2", "import httpx\nprint(httpx.Client(http2=True).get(url, headers=headers).text)"),
  python("httplib2", "httplib2", "import httplib2\nprint(httplib2.Http().request(url, headers=headers)[1].decode())"),
  python("aiohttp with trust_env", "aiohttp", aiohttp("trust_env=True")),
  python("aiohttp", "aiohttp", aiohttp(""), { option: "--hook python" }),
  python("aiohttp without the hook", "aiohttp", aiohttp(""), { contained: true, fails: "trust_env is off by default" }),
  // litellm names trust_env itself, from this variable; ccxt names it False.
  python("aiohttp as litellm calls it", "aiohttp", aiohttp(`trust_env=os.getenv("AIOHTTP_TRUST_ENV") == "True"`), {
    contained: true
  }),
  python("aiohttp as ccxt calls it", "aiohttp", aiohttp("trust_env=False"), { option: "--hook python" }),
  python("aiohttp WebSocket", "aiohttp", aiohttpSocket),
  python("websockets", "websockets", websockets),
  python("gRPC", "grpc", grpc, { contained: true }),
  python(
    "urllib3.PoolManager",
    "urllib3",
    "import urllib3\nprint(urllib3.PoolManager(retries=False, timeout=100).request('GET', url).data.decode())",
    { contained: true, fails: "it reads no proxy variable by design" }
  ),
  python("stripe", "stripe", stripe(""), {
    heavy: true,
    fails: "it trusts only its own certificate list",
    failsContained: "it trusts only its own certificate list"
  }),
  python("stripe with ca_bundle_path", "stripe", stripe(`stripe.ca_bundle_path = os.environ["SSL_CERT_FILE"]`), {
    heavy: true
  }),
  python("tornado", "tornado", tornado, { heavy: true, fails: "its simple client has no proxy by design" }),
  python("tornado, base URL in the command or code", "tornado", tornado, { heavy: true, option: "--base-url" }),
  python(
    "urllib3.PoolManager, base URL in the command or code",
    "urllib3",
    "import urllib3\nprint(urllib3.PoolManager().request('GET', url).data.decode())",
    { option: "--base-url" }
  )
]
