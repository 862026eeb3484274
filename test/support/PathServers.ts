/** Real servers that respond with the path of a request as they decode it: Node, nginx and Python. */
import * as fs from "node:fs"
import type * as Http from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import { text } from "node:stream/consumers"
import { builtins } from "../../src/platform/builtins.ts"
import { freePort } from "./TestServer.ts"

/** The readings of one path by one server. Empty if it rejects the request. */
export type Readings = ReadonlyArray<string>

export interface PathServer {
  readonly name: string
  readonly read: (target: string) => Promise<Readings>
  readonly close: () => void
}

const SEPARATOR = "\x1f"

const NODE = `
const path = require("path"), http = require("http")
const attempt = (read) => { try { return [read()] } catch { return [] } }
const server = http.createServer({ insecureHTTPParser: false }, (request, response) => {
  const raw = request.url.split("?")[0]
  const readings = [
    ...attempt(() => decodeURIComponent(new URL(request.url, "http://a").pathname)),
    ...attempt(() => decodeURIComponent(raw)),
    ...attempt(() => path.posix.normalize(decodeURIComponent(raw))),
    ...attempt(() => path.win32.normalize(decodeURIComponent(raw)).replaceAll("\\\\", "/"))
  ]
  const body = Buffer.from(readings.join("${SEPARATOR}"))
  response.writeHead(200, { "Content-Length": body.length }).end(body)
})
server.keepAliveTimeout = 0
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
`

const PYTHON = `
import http.server, posixpath, sys, urllib.parse
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    def do_GET(self):
        raw = urllib.parse.urlsplit("http://a" + self.path).path
        decoded = urllib.parse.unquote(raw)
        # Also as a server of files reads it, and as WSGI does, which decodes bytes.
        readings = [decoded, posixpath.normpath(decoded), self.translate_path(self.path)[len(self.directory):], urllib.parse.unquote(self.path.split("?")[0])]
        body = "\\x1f".join(readings).encode("utf-8", "replace")
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    def handle_error(self, *args):
        pass
server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
`

const nginxConfiguration = (directory: string, port: number): string => `
daemon off; worker_processes 1; pid ${directory}/pid; error_log ${directory}/error.log crit;
events { worker_connections 64; }
http {
  access_log off; keepalive_requests 100000000;
  client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
  default_type application/octet-stream;
  server { listen 127.0.0.1:${port}; location / { return 200 $uri; } }
}
`

/** Sends a request, on the connection of the one before if the server keeps it open. */
const ask = (port: number, agent: Http.Agent, target: string): Promise<Readings> =>
  new Promise((resolve, reject) => {
    builtins.http.get({ host: "127.0.0.1", port, path: target, agent, headers: { host: "a" } }, (response) => {
      text(response).then((body) => resolve(response.statusCode === 200 ? body.split(SEPARATOR) : []), reject)
    }).on("error", (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED" ? reject(error) : resolve([]))
  })

const started = async (
  name: string,
  command: string,
  args: ReadonlyArray<string>,
  known?: number
): Promise<PathServer> => {
  const child = builtins.childProcess.spawn(command, [...args], { stdio: ["ignore", "pipe", "inherit"] })
  const port = known ?? await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (line: Buffer) => resolve(Number(line.toString())))
    child.once("error", reject)
    child.once("exit", () => reject(new Error(`${name} did not start`)))
  })
  const agent = new builtins.http.Agent({ keepAlive: true, maxSockets: 1 })
  const read = (target: string) => ask(port, agent, target)
  // nginx says nothing when it listens.
  for (let attempt = 0;; attempt++) {
    try {
      await read("/")
      break
    } catch (error) {
      if (attempt === 500) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    name,
    read,
    close: () => {
      agent.destroy()
      child.kill("SIGKILL")
    }
  }
}

const NGINX = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((file) => fs.existsSync(file))

/** Starts the servers that this machine has. */
export const startPathServers = async (): Promise<ReadonlyArray<PathServer>> => {
  const servers = [started("node", process.execPath, ["-e", NODE]), started("python", "python3", ["-c", PYTHON])]
  if (NGINX !== undefined) {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-nginx-"))
    const port = await freePort()
    fs.writeFileSync(path.join(directory, "nginx.conf"), nginxConfiguration(directory, port))
    servers.push(started("nginx", NGINX, ["-p", directory, "-c", "nginx.conf", "-e", "stderr"], port))
  }
  return Promise.all(servers)
}
