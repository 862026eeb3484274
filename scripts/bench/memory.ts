import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import * as CertificateAuthority from "../../src/proxy/CertificateAuthority.ts"
import type { Row, Section } from "./lib/Section.ts"

const program = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "dist", "credsvc.js")
const host = "api.bench.test"
const key = "bench_0123456789abcdef0123456789abcdef"
const size = 2 ** 30
const bar = 64

/** Runs below `credsvc run`, whose process is its parent and holds the proxy. */
const child = `
  import * as fs from "node:fs"
  const resident = () => Number(/VmRSS:\\s+(\\d+)/.exec(fs.readFileSync("/proc/" + process.ppid + "/status", "utf8"))[1])
  let peak = 0
  setInterval(() => { peak = Math.max(peak, resident()) }, 20).unref()
  const measure = async (transfer) => {
    const before = peak = resident()
    const started = performance.now()
    const bytes = await transfer()
    if (bytes !== ${size}) throw new Error("moved " + bytes + " bytes")
    return { growth: (Math.max(peak, resident()) - before) / 1024, seconds: (performance.now() - started) / 1000 }
  }
  const piece = new Uint8Array(65536)
  const url = "https://${host}/"
  await (await fetch(url + "small")).text()
  const down = await measure(async () => {
    let bytes = 0
    for await (const chunk of (await fetch(url + "down")).body) bytes += chunk.length
    return bytes
  })
  const up = await measure(async () => {
    let left = ${size}
    const body = new ReadableStream({
      type: "bytes",
      pull(controller) {
        if (left === 0) return controller.close()
        left -= piece.length
        controller.enqueue(piece.slice())
      }
    })
    return Number(await (await fetch(url + "up", { method: "POST", body, duplex: "half" })).text())
  })
  console.log(JSON.stringify({ down, up }))
`

interface Measured {
  readonly growth: number
  readonly seconds: number
}

const startApi = async (): Promise<{ readonly server: https.Server; readonly caPem: string }> => {
  const authority = CertificateAuthority.make([host])
  const leaf = authority.issue(host)
  const piece = Buffer.alloc(65_536)
  const pieces = function*() {
    for (let sent = 0; sent < size; sent += piece.length) yield piece
  }
  const server = https.createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    if (request.headers.authorization !== `Bearer ${key}`) response.writeHead(401).end("no key")
    else if (request.url === "/down") {
      response.writeHead(200, { "content-length": size })
      pipeline(Readable.from(pieces()), response).catch(() => response.destroy())
    } else if (request.url === "/up") {
      let bytes = 0
      request.on("data", (chunk: Buffer) => bytes += chunk.length)
      request.on("end", () => response.end(String(bytes)))
    } else response.end("small")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, caPem: authority.rootPem }
}

/** Not spawnSync: the API that the child talks to lives in this process. */
const output = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "inherit"] })
    let stdout = ""
    process_.stdout.on("data", (chunk: Buffer) => stdout += chunk.toString())
    process_.on("error", reject)
    process_.on("close", (code) => code === 0 ? resolve(stdout) : reject(new Error(`${args[0]} ended with ${code}`)))
  })

const run = async (): Promise<ReadonlyArray<Row>> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bench-"))
  const home = path.join(directory, "home")
  const { LANG = "C", PATH = "" } = process.env
  const env = { HOME: directory, CREDSVC_HOME: home, CREDSVC_MASTER_KEY_MODE: "local_key", LANG, PATH }
  const { caPem, server } = await startApi()
  const write = (file: string, content: string) =>
    fs.writeFileSync(path.join(directory, file), content, { mode: 0o600 })
  try {
    fs.mkdirSync(home, { mode: 0o700 })
    write("ca.pem", caPem)
    write("child.mjs", child)
    write("bench.json", JSON.stringify({ name: "bench", auth_type: "api_key", flow: "api_key", hosts: [host] }))
    write(
      "home/config.json",
      JSON.stringify({
        version: 1,
        upstream: {
          extra_ca_certs: [path.join(directory, "ca.pem")],
          resolve: { [`${host}:443`]: `127.0.0.1:${(server.address() as AddressInfo).port}` }
        }
      })
    )
    await output(["--quiet", "daemon", "start", "--port", "0"], env)
    await output(["--quiet", "register", path.join(directory, "bench.json"), "--yes"], env)
    const login = spawnSync(process.execPath, [program, "login", "bench", "--stdin"], {
      env,
      input: key,
      encoding: "utf8"
    })
    if (login.status !== 0) throw new Error(`login ended with ${login.status}: ${login.stderr}`)
    const said = await output(["run", "--", process.execPath, path.join(directory, "child.mjs")], env)
    const { down, up } = JSON.parse(said) as { readonly down: Measured; readonly up: Measured }
    const row = (what: string, { growth, seconds }: Measured): Row => ({
      what,
      result: `${growth.toFixed(0)} MiB more at the peak (${(size / 2 ** 20 / seconds).toFixed(0)} MiB/s)`,
      bar: `under ${bar} MiB`,
      met: growth < bar
    })
    return [row("1 GiB down", down), row("1 GiB up", up)]
  } finally {
    spawnSync(process.execPath, [program, "daemon", "stop"], { env, stdio: "ignore", timeout: 30_000 })
    server.close()
    server.closeAllConnections()
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

export const section: Section = {
  title: "Memory of the proxy",
  method: "Resident memory of `credsvc run`, before and at the peak of one request of 1 GiB, read every 20 ms. " +
    "The child is Node's fetch, the API an HTTPS server on the same machine, so the rate is that of four processes on it.",
  run
}
