/**
 * The API that the clients call: it responds with 401 unless the request contains the real secret and no placeholder.
 * It is also a git server, a package registry and a WebSocket server, and supports HTTP/2. Under other names it is the
 * API of the agents' models.
 */
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type * as Http2 from "node:http2"
import type * as Net from "node:net"
import * as path from "node:path"
import type { Duplex } from "node:stream"
import { WebSocketServer } from "ws"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { agentHosts, answerAgent, converse } from "./AgentApi.ts"
import { API_HOST } from "./Client.ts"
import { registries } from "./Registries.ts"

export interface ClientApi {
  readonly port: number
  readonly caPem: string
  /** The request lines of requests with a placeholder. */
  readonly leaked: ReadonlyArray<string>
  readonly close: () => void
}

/** A response in which every SDK finds its own part. */
const answer = JSON.stringify({
  id: "served",
  object: "chat.completion",
  type: "message",
  role: "assistant",
  ok: true,
  user: "served",
  login: "served",
  content: [{ type: "text", text: "served" }],
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "served" } }],
  candidates: [{ content: { role: "model", parts: [{ text: "served" }] } }],
  TableNames: ["served"],
  projects: [{ projectId: "served", lifecycleState: "ACTIVE" }]
})

const buckets =
  `<?xml version="1.0"?><ListAllMyBucketsResult><Buckets><Bucket><Name>served</Name></Bucket></Buckets></ListAllMyBucketsResult>`

/** One uncompressed message: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
const grpcAnswer = (response: Http.ServerResponse): void => {
  const message = Buffer.from("served")
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(message.length, 1)
  response.writeHead(200, { "content-type": "application/grpc" })
  response.addTrailers({ "grpc-status": "0" })
  response.end(Buffer.concat([frame, message]))
}

const stream = (response: Http.ServerResponse): void => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const event = (content: string) =>
    response.write(`data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta: { content } }] })}\n\n`)
  event("not yet")
  setTimeout(() => {
    event("served")
    response.end("data: [DONE]\n\n")
  }, 50)
}

/** RFC 3875, as far as git's own server needs it. */
const gitServer = (root: string) => (request: Http.IncomingMessage, response: Http.ServerResponse, url: URL): void => {
  const { headers } = request
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REMOTE_USER: "x",
      REMOTE_ADDR: "127.0.0.1",
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname.slice("/git".length),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: headers["content-type"] ?? "",
      ...(headers["content-length"] === undefined ? {} : { CONTENT_LENGTH: headers["content-length"] }),
      HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(headers["git-protocol"] ?? "")
    },
    stdio: ["pipe", "pipe", "ignore"]
  })
  request.pipe(child.stdin)
  child.stdin.on("error", () => {})
  let head = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf("\r\n\r\n")
    if (end === -1) return
    child.stdout.off("data", read)
    for (const line of head.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(": ", 2)
      if (name === "Status") response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.write(head.subarray(end + 4))
    child.stdout.pipe(response)
  }
  child.stdout.on("data", read)
}

const makeRepository = (root: string): void => {
  const bare = path.join(root, "probe.git")
  const work = path.join(root, "work")
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x.test", ...args], { stdio: "ignore" })
  git("init", "-q", "-b", "main", work)
  fs.writeFileSync(path.join(work, "file"), "served")
  git("-C", work, "add", "file")
  git("-C", work, "commit", "-q", "-m", "first")
  git("clone", "-q", "--bare", work, bare)
  git("-C", bare, "config", "http.receivepack", "true")
}

/** `secrets`: each of them is accepted. */
export const startClientApi = async (secrets: ReadonlyArray<string>, scratch: string): Promise<ClientApi> => {
  const names: ReadonlyArray<string> = [API_HOST, ...Object.values(agentHosts)]
  const authority = CertificateAuthority.createTemporary(names)
  const contexts = names.map((name) => {
    const { certPem, keyPem } = authority.issue(name)
    return [name, { cert: certPem, key: keyPem }] as const
  })
  const root = path.join(scratch, "git")
  fs.mkdirSync(root)
  makeRepository(root)
  const files = registries(`https://${API_HOST}`, scratch)
  const git = gitServer(root)
  const leaked: Array<string> = []

  const isAdmitted = (request: Http.IncomingMessage): boolean => {
    const basic = Buffer.from(/^basic (.*)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "", "base64")
    const texts = [request.url ?? "", ...request.rawHeaders, basic.toString("latin1")]
    if (texts.some((text) => text.includes(PLACEHOLDER))) leaked.push(`${request.method} ${request.url}`)
    else {
      const { authorization, "x-api-key": anthropic, "x-goog-api-key": google } = request.headers
      return [authorization?.replace(/^Bearer /, ""), anthropic, google].some((key) => secrets.includes(String(key)))
    }
    return false
  }
  const hostOf = ({ headers }: Http.IncomingMessage): string => String(headers[":authority"] ?? headers.host ?? "")
  const isAgents = (request: Http.IncomingMessage): boolean =>
    Object.values(agentHosts).includes(hostOf(request).replace(/:443$/, ""))
  const answerRequest = (request: Http.IncomingMessage, response: Http.ServerResponse): void => {
    const url = new URL(request.url ?? "/", `https://${API_HOST}`)
    if (!isAdmitted(request)) {
      request.resume()
      response.writeHead(401, { "content-type": "application/json" }).end(`{"error":"no key"}`)
      return
    }
    if (isAgents(request)) {
      const body: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => body.push(chunk))
      request.once("end", () => answerAgent(url.pathname, Buffer.concat(body).toString(), response))
      return
    }
    if (url.pathname.startsWith("/git/")) return git(request, response, url)
    // Some clients read the response only after their upload.
    request.resume().once("end", () => {
      const file = files.get(url.pathname)
      if (file !== undefined) response.writeHead(200, { "content-type": file.type }).end(file.body)
      else if (url.pathname.startsWith("/registry/")) response.writeHead(404).end()
      else if (url.pathname.includes("/stream")) stream(response)
      else if (request.headers["content-type"] === "application/grpc") grpcAnswer(response)
      else if (url.pathname.includes("/s3")) response.writeHead(200, { "content-type": "application/xml" }).end(buckets)
      else response.writeHead(200, { "content-type": "application/json" }).end(answer)
    })
  }
  // Its HTTP/2 messages have the same shape as far as this code uses them.
  const server = builtins.http2.createSecureServer(
    { ...contexts[0]?.[1], allowHTTP1: true },
    answerRequest as unknown as (request: Http2.Http2ServerRequest, response: Http2.Http2ServerResponse) => void
  )
  for (const [name, context] of contexts) server.addContext(name, context)
  const connections = new Set<Net.Socket>()
  server.on("secureConnection", (socket: Net.Socket) => {
    connections.add(socket)
    socket.on("error", () => {})
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on("upgrade", (request: Http.IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isAdmitted(request)) return socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n")
    sockets.handleUpgrade(request, socket, head, (connection) => {
      if (isAgents(request)) converse(connection)
      else connection.send("served")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as Net.AddressInfo).port,
    caPem: authority.rootPem,
    leaked,
    close: () => {
      for (const connection of sockets.clients) connection.terminate()
      for (const connection of connections) connection.destroy()
      server.close()
    }
  }
}
