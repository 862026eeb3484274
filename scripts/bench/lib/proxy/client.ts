/** Shared code of the measuring clients: one JSON argument, and connections through a proxy or directly to a server. */
import * as fs from "node:fs"
import * as net from "node:net"
import * as readline from "node:readline"
import * as tls from "node:tls"

export interface Target {
  /** `http:` is a forward proxy, with user and password; `https:` is the server itself. */
  readonly url: string
  readonly ca: string
  readonly authorization: string
}

export const options = <A>(): A => JSON.parse(process.argv[2] ?? "{}") as A

/** Responds to each line of input, a JSON object, with a line of JSON. */
export const respondToEach = async <A>(respond: (job: A) => Promise<unknown>): Promise<void> => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await respond(JSON.parse(line))))
  }
}

export const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const trusted = new Map<string, tls.SecureContext>()

/** Read once, as programs do that open many connections. */
const trust = (ca: string): tls.SecureContext => {
  const known = trusted.get(ca) ?? tls.createSecureContext({ ca: fs.readFileSync(ca) })
  trusted.set(ca, known)
  return known
}

const tunnel = (url: URL, host: string): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const credential = url.username === ""
      ? ""
      : `Proxy-Authorization: Basic ${Buffer.from(`${url.username}:${url.password}`).toString("base64")}\r\n`
    const socket = net.connect({ host: url.hostname, port: Number(url.port) }, () => {
      socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n${credential}\r\n`)
    })
    socket.setNoDelay(true)
    socket.on("error", (error) => reject(new Error(`tunnel: ${error.message}`)))
    socket.once("close", () => reject(new Error("tunnel: closed")))
    socket.once("data", (response: Buffer) => {
      if (response.toString("latin1").startsWith("HTTP/1.1 200")) resolve(socket)
      else reject(new Error(`CONNECT: ${response.toString("latin1")}`))
    })
  })

export interface OpenOptions {
  readonly protocol?: "h2" | "http/1.1"
  /** Called when an open connection breaks. */
  readonly broken?: (reason: string) => void
}

/** A verified TLS connection to the host, through the target. */
export const open = async (
  target: Target,
  host: string,
  { broken = fail, protocol = "http/1.1" }: OpenOptions = {}
): Promise<tls.TLSSocket> => {
  const url = new URL(target.url)
  const secureContext = trust(target.ca)
  const at = url.protocol === "https:"
    ? { host: url.hostname, port: Number(url.port) }
    : { socket: await tunnel(url, host) }
  return new Promise((resolve, reject) => {
    let reason = "a connection was closed"
    let gone = (): void => reject(new Error(reason))
    const secured = tls.connect({ ...at, servername: host, secureContext, ALPNProtocols: [protocol] }, () => {
      if (protocol === "h2" && secured.alpnProtocol !== "h2") fail("no HTTP/2 was agreed on")
      gone = () => broken(reason)
      resolve(secured)
    })
    secured.setNoDelay(true)
    secured.on("error", (error) => reason = `TLS: ${error.message}`)
    secured.on("close", () => gone())
  })
}

export const requestHead = (target: Target, host: string, path: string): Buffer =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench/1.0\r\nAccept: application/json\r\n` +
      `Accept-Encoding: gzip, deflate, br\r\nAuthorization: ${target.authorization}\r\nX-Client: bench\r\n\r\n`
  )

/** Sends small requests one after the other, and calls `onResponse` after each response. */
export const repeat = (secured: net.Socket, request: Buffer, onResponse: () => boolean): void => {
  let left = ""
  let length = -1
  secured.on("data", (chunk: Buffer) => {
    left += chunk.toString("latin1")
    if (length === -1) {
      const end = left.indexOf("\r\n\r\n")
      if (end === -1) return
      if (!left.startsWith("HTTP/1.1 200")) fail(left)
      const declared = /\r\ncontent-length: *(\d+)/i.exec(left)
      // Responses without a length are chunked. The end marker cannot occur within this body.
      length = declared === null ? -2 : end + 4 + Number(declared[1])
    }
    if (length === -2 ? left.endsWith("0\r\n\r\n") : left.length >= length) {
      left = ""
      length = -1
      if (onResponse()) secured.write(request)
    }
  })
  secured.write(request)
}

export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
