import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as CertificateAuthority from "../../src/proxy/CertificateAuthority.ts"
import { atLeast, median, notMeasured, type Row, type Section } from "./lib/Section.ts"

const workers = path.join(path.dirname(fileURLToPath(import.meta.url)), "lib", "proxy")
const program = path.join(workers, "..", "..", "..", "..", "dist", "credsvc.js")
const HOST = "api.bench.test"
const CREDENTIAL = "Bearer sk-bench-0123456789abcdef0123456789abcdef"
const CONNECTIONS = 16
const ROUNDS = 5
const WARM_UP_MILLISECONDS = 700
const MEASURED_MILLISECONDS = 2000

const children = new Set<ChildProcess>()
const pinned = os.availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0

/** The proxy has one core for itself, and everything else the other: what is compared is the work of one core. */
const start = (
  core: number,
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = {}
): ChildProcess => {
  const [file, all] = pinned ? ["taskset", ["-c", String(core), command, ...args]] : [command, [...args]]
  const child = spawn(file, all, {
    env: { PATH: process.env["PATH"], HOME: os.tmpdir(), ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  children.add(child)
  child.once("exit", () => children.delete(child))
  return child
}

const worker = (core: number, name: string, args: ReadonlyArray<string>): ChildProcess =>
  start(core, process.execPath, [path.join(workers, `${name}.ts`), ...args])

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")))
    })
    child.once("exit", (code) => reject(new Error(`${child.spawnargs.join(" ")} ended with ${code}`)))
  })

const all = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.once("close", (code) => code === 0 ? resolve(text) : reject(new Error(`the generator ended with ${code}`)))
  })

const listening = async (port: number): Promise<boolean> => {
  for (let attempt = 0; attempt < 100; attempt++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, "127.0.0.1", () => resolve(true))
      socket.once("error", () => resolve(false))
      socket.once("close", () => resolve(false))
      setTimeout(() => socket.destroy(), 200).unref()
    })
    if (open) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}

interface Candidate {
  readonly url: string
  readonly ca: string
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })

const run = async (): Promise<ReadonlyArray<Row>> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-bench-"))
  const write = (name: string, content: string): string => {
    const file = path.join(directory, name)
    fs.writeFileSync(file, content, { mode: 0o600 })
    return file
  }
  try {
    const authority = CertificateAuthority.make([HOST])
    const leaf = authority.issue(HOST)
    const [cert, key, ca] = [
      write("cert.pem", leaf.certPem),
      write("key.pem", leaf.keyPem),
      write("ca.pem", authority.rootPem)
    ]
    const upstream = await firstLine(worker(1, "upstream", [cert, key, CREDENTIAL]))
    const home = path.join(directory, "home")
    fs.mkdirSync(home, { mode: 0o700 })
    fs.writeFileSync(
      path.join(home, "config.json"),
      JSON.stringify({
        version: 1,
        upstream: { extra_ca_certs: [ca], resolve: { [`${HOST}:443`]: `127.0.0.1:${upstream}` } }
      }),
      { mode: 0o600 }
    )
    const env = { CREDSVC_HOME: home, CREDSVC_MASTER_KEY_MODE: "local_key" }
    const credsvc = (args: ReadonlyArray<string>, input = ""): void => {
      const ended = spawnSync(process.execPath, [program, ...args], {
        env: { PATH: process.env["PATH"], HOME: directory, ...env },
        encoding: "utf8",
        input
      })
      if (ended.status !== 0) throw new Error(`credsvc ${args[0]} ended with ${ended.status}: ${ended.stderr}`)
    }
    await firstLine(start(1, process.execPath, [program, "daemon", "serve", "--port", "0"], env))
    const definition = { name: "bench", auth_type: "api_key", flow: "api_key", api_url: `https://${HOST}` }
    credsvc(["register", write("bench.json", JSON.stringify(definition)), "--yes"])
    credsvc(["login", "bench", "--stdin"], CREDENTIAL.replace("Bearer ", ""))
    const child = "echo \"$HTTPS_PROXY $CREDSVC_CA_FILE\"; exec sleep 600"
    const [proxyUrl = "", runCa = ""] =
      (await firstLine(start(0, process.execPath, [program, "run", "--", "sh", "-c", child], env))).split(" ")
    const minimal = await firstLine(worker(0, "minimal", [cert, key, ca, upstream, HOST, CREDENTIAL]))
    const candidates: Record<string, Candidate> = {
      credsvc: { url: proxyUrl, ca: runCa },
      minimal: { url: `http://127.0.0.1:${minimal}`, ca }
    }
    const mitmPort = await freePort()
    const hasMitm = spawnSync("mitmdump", ["--version"]).status === 0
    if (hasMitm) {
      start(0, "mitmdump", [
        "--quiet",
        "--listen-host",
        "127.0.0.1",
        "--listen-port",
        String(mitmPort),
        "--set",
        `confdir=${path.join(directory, "mitmproxy")}`,
        "--set",
        `ssl_verify_upstream_trusted_ca=${ca}`,
        "--set",
        "connection_strategy=lazy",
        "--scripts",
        path.join(workers, "mitmproxy_addon.py")
      ], { BENCH_HOST: HOST, BENCH_CREDENTIAL: CREDENTIAL, BENCH_PORT: upstream, PYTHONDONTWRITEBYTECODE: "1" })
      if (await listening(mitmPort)) {
        candidates["mitmproxy"] = {
          url: `http://127.0.0.1:${mitmPort}`,
          ca: path.join(directory, "mitmproxy", "mitmproxy-ca-cert.pem")
        }
      }
    }

    const rates: Record<string, Array<number>> = {}
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, candidate] of Object.entries(candidates)) {
        const said = await all(worker(1, "generator", [
          candidate.url,
          candidate.ca,
          HOST,
          String(CONNECTIONS),
          String(WARM_UP_MILLISECONDS),
          String(MEASURED_MILLISECONDS)
        ]))
        const { requests, seconds } = JSON.parse(said) as { readonly requests: number; readonly seconds: number }
        const list = rates[name] ??= []
        list.push(requests / seconds)
      }
    }
    const rate = (name: string) => median(rates[name] ?? [])
    // Rounds are interleaved, so a round's own ratio is what a noisy machine disturbs least.
    const ratio = (name: string) =>
      median((rates["credsvc"] ?? []).map((value, round) => value / (rates[name]?.[round] ?? Number.NaN)))
    const detail = (name: string) => ` (${rate("credsvc").toFixed(0)} to ${rate(name).toFixed(0)} requests/s)`
    const rows = [
      atLeast("against a minimal Node proxy that injects a constant", ratio("minimal"), 0.7, detail("minimal"))
    ]
    const what = "against mitmproxy that injects a constant"
    rows.push(
      candidates["mitmproxy"] === undefined
        ? notMeasured(what, "at least 8x", "mitmdump is not installed")
        : atLeast(what, ratio("mitmproxy"), 8, detail("mitmproxy"))
    )
    return rows
  } finally {
    await Promise.all([...children].map((child) => {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill()
      return ended
    }))
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

export const section: Section = {
  title: "Throughput of the proxy",
  method:
    `Requests for 230 bytes of JSON over ${CONNECTIONS} keep-alive connections, TLS 1.3 on both sides, one request under ` +
    "way on each. Ours asks the daemon for every credential; the others have it at hand. " +
    `Medians of ${ROUNDS} interleaved rounds, the proxy on one core, everything else on another.`,
  run
}
