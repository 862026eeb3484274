import * as fs from "node:fs"
import * as http2 from "node:http2"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { demoHost, openSandbox, type Sandbox } from "../../test/support/Sandbox.ts"
import { makeAuthority } from "../../test/support/TestCertificates.ts"
import { firstLine } from "./lib/Processes.ts"
import { inFull, quantile, type Row, type Section, valueAtMost } from "./lib/Section.ts"

const client = path.join(import.meta.dirname, "lib", "revocation", "client.ts")
const each = 67
const rounds = inFull(4, 1)

/** Sends one event, or switches protocols, and leaves every response open. */
const serveEvents = async (certificate: { readonly cert: string; readonly key: string }) => {
  const server = http2.createSecureServer({ ...certificate, allowHTTP1: true }, (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write("data: 1\n\n")
  })
  server.on("upgrade", (_request, socket) => {
    socket.on("error", () => {})
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello")
  })
  server.on("sessionError", () => {})
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

/** The delays of one withdrawal, in milliseconds after the daemon's response. */
const withdraw = async (sandbox: Sandbox, url: string, target: string): Promise<ReadonlyArray<number>> => {
  const child = sandbox.spawn(["run", "--", process.execPath, client, demoHost, String(each)])
  child.stderr?.on("data", (text) => process.stderr.write(text))
  await firstLine(child)
  const closed = firstLine(child)
  const exited = new Promise((resolve) => child.once("exit", resolve))
  const response = await fetch(url + target, { method: "POST" })
  const answered = Date.now()
  if (!response.ok) throw new Error(`${target} responded with ${response.status}`)
  const times = JSON.parse(await closed) as ReadonlyArray<number>
  // A run that ends after its daemon would start another daemon.
  await exited
  return times.map((time) => time - answered)
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  const authority = makeAuthority()
  const server = await serveEvents(authority.issue([demoHost]))
  const sandbox = await openSandbox()
  try {
    const config = path.join(sandbox.home, "config.json")
    const settings = JSON.parse(fs.readFileSync(config, "utf8"))
    const caFile = path.join(sandbox.directory, "bench-ca.pem")
    fs.writeFileSync(caFile, authority.caPem)
    settings.upstream.extra_ca_certs = [caFile]
    settings.upstream.resolve = { [`${demoHost}:443`]: `127.0.0.1:${(server.address() as AddressInfo).port}` }
    fs.writeFileSync(config, JSON.stringify(settings))
    const url = JSON.parse((await sandbox.credsvc(["daemon", "status"])).stdout).url
    const delays: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      delays.push(...await withdraw(sandbox, url, "/connections/demo/default/logout"))
      await sandbox.credsvc(["login", "demo", "--stdin"], { input: `${sandbox.key}\n` })
    }
    return [
      valueAtMost("half of the streams ended after", quantile(delays, 0.5), 50, "ms"),
      valueAtMost("99 of 100 streams ended after", quantile(delays, 0.99), 250, "ms"),
      { what: "the last one ended after", result: `${Math.max(...delays)} ms` }
    ]
  } finally {
    await sandbox.close()
    server.close()
  }
}

export const section: Section = {
  title: "Withdrawal of a credential from open streams",
  method:
    `The time from the request for a logout until the client sees the end of each of ${
      each * 3
    } open streams: a third ` +
    `each are streams of events over HTTP/1.1 and over HTTP/2, and WebSockets. ${rounds} rounds, all processes on the same cores.`,
  run
}
