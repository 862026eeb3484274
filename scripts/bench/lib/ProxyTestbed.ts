/**
 * Sets up credsvc's proxy in front of an API on this machine, and other proxies for comparison.
 *
 * `credsvc` is `credsvc run` as installed, with its daemon; `oneCore` is the same on the core of client and API, `ruled` is the same with
 * rules, and `asking` asks about requests outside of these.
 * `constantCredential` is the same proxy with a constant credential, so the difference is the cost of asking the daemon, and
 * `unsearched` does not search responses for it either. `limit`
 * (HTTP/1.1) and `limit2` (HTTP/2) are the Node limit: the minimum that Node's own HTTP modules can do. They,
 * `go` and `mitmproxy` inject a constant credential; `nginx` does so as a reverse proxy, without tunnels and
 * without generating certificates. `forwarder` is the floor of any proxy on Node: it copies bytes between two TLS
 * connections, so its clients send the credential themselves, as those of `direct`, which uses no proxy. `asker` is the floor of one that asks
 * another process about each request.
 */
import { type ChildProcess, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import * as CertificateAuthority from "../../../src/certificates/CertificateAuthority.ts"
import { daemonEnvironment, nodeOptions } from "../../../src/client/Autostart.ts"
import { type Daemon, environment, program, startDaemon } from "../../lib/Daemon.ts"
import { succeed, temporaryDirectory, timeOf } from "../../lib/Programs.ts"
import { firstLine, onCore, OTHER_CORE, Processes, PROXY_CORE, type Worker, workerOf } from "./Processes.ts"

const workers = path.join(import.meta.dirname, "proxy")

export const HOST = "api.bench.test"
/** Hosts that no run has seen before, for measuring the first connection to a host. */
export const FRESH_HOSTS = Array.from({ length: 100 }, (_, number) => `h${number}.bench.test`)
export const CREDENTIAL = "Bearer sk-bench-0123456789abcdef0123456789abcdef"
const RULES = ["--allow", `GET ${HOST}/v1/**`, "--deny", `${HOST}/v1/secret/**`]
const PLACEHOLDER = "Bearer credsvc-proxy-managed"

export type ProxyName =
  | "credsvc"
  | "oneCore"
  | "ruled"
  | "asking"
  | "constantCredential"
  | "unsearched"
  | "limit"
  | "limit2"
  | "forwarder"
  | "asker"
  | "go"
  | "mitmproxy"
  | "nginx"
  | "direct"

/** A client's target: the proxy at an `http:` URL, or the server itself at an `https:` one. */
export interface Candidate {
  readonly url: string
  readonly ca: string
  /** The credential that the client sends: a placeholder for a proxy that replaces it. */
  readonly authorization: string
  readonly pid: number
  /** The process ID of the daemon, which does a part of the work. */
  readonly daemon?: number | undefined
}

export interface ProxyTestbed extends AsyncDisposable {
  /** Starts the candidate on its first use. Fails with the reason if it is not available. */
  readonly candidate: (name: ProxyName) => Promise<Candidate>
  /** Keeps the cores awake from now on, or returns the reason why that is impossible. */
  readonly keepAwake: () => string | undefined
  readonly worker: (name: string, args: ReadonlyArray<string>) => ReturnType<Processes["node"]>
  readonly persistentWorker: (name: string) => Worker
  /** Starts the load generator as the command of `credsvc run` with these options. `target` is for its jobs. */
  readonly generatorInRun: (
    options: ReadonlyArray<string>
  ) => Promise<{ readonly generate: Worker; readonly target: Omit<Candidate, "pid"> }>
  /** Runs credsvc in a directory for projects, and returns its milliseconds. */
  readonly credsvc: (args: ReadonlyArray<string>) => number
  /** Starts a run, and returns the process IDs of its proxy and of its daemon. */
  readonly ownProcesses: () => Promise<{ readonly proxy: number; readonly daemon: number }>
  /** Starts a server without a proxy, and returns its process ID. */
  readonly bareServer: () => Promise<number>
}

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

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })

export const has = (command: string): boolean => !spawnSync(command, ["--version"], { stdio: "ignore" }).error

const notInstalled = (what: string): Error => new Error(`${what} is not installed (scripts/setup --bench)`)

/** Builds the proxy in Go. Its cache makes later builds quick. */
const goProxy = (directory: string): string => {
  const program = path.join(directory, "go-proxy")
  const cache = path.join(os.tmpdir(), `credsvc-bench-go-${process.getuid?.() ?? ""}`)
  const env = { HOME: directory, GOCACHE: cache, GOTOOLCHAIN: "local", GOFLAGS: "" }
  succeed("go", ["build", "-o", program, path.join(workers, "go", "main.go")], { env })
  return program
}

/** When run by root, nginx changes the owner of `directory`. */
const nginxConfiguration = (directory: string, files: Files, rest: string): string => `
worker_processes 1; daemon off; pid ${directory}/pid; error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path ${directory}; proxy_temp_path ${directory}; fastcgi_temp_path ${directory};
  uwsgi_temp_path ${directory}; scgi_temp_path ${directory}; keepalive_requests 1000000000;
  ssl_certificate ${files.cert}; ssl_certificate_key ${files.key};
  ${rest}
}`

/** Sends the same responses as `upstream.ts`, except for the events. */
const nginxApi = (port: number): string => `
  server {
    listen 127.0.0.1:${port} ssl;
    location / {
      if ($http_authorization != "${CREDENTIAL}") { return 401; }
      default_type application/json;
      add_header X-Request-Id req_0123456789abcdef; add_header Cache-Control no-store;
      return 200 '{"id":"bench","data":"${"x".repeat(203)}"}';
    }
  }`

const nginxProxy = (port: number, upstream: string, files: Files): string => `
  upstream api { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} ssl;
    location / {
      proxy_pass https://api; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host ${HOST};
      proxy_set_header Authorization "${CREDENTIAL}"; proxy_buffering off; proxy_request_buffering off;
      proxy_ssl_name ${HOST}; proxy_ssl_server_name on; proxy_ssl_verify on; proxy_ssl_trusted_certificate ${files.ca};
    }
  }`

interface Files {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

export interface TestbedOptions {
  /**
   * The file in lib/proxy that implements the API. It gets the certificate, key, credential and the fresh hosts'
   * certificates. `nginx` implements it for one host and without events, at a fraction of the cost.
   */
  readonly api?: string
  readonly daemonCore?: number
}

export const openProxyTestbed = async (
  { api = "upstream", daemonCore = OTHER_CORE }: TestbedOptions = {}
): Promise<ProxyTestbed> => {
  const stack = new AsyncDisposableStack()
  const directory = stack.use(temporaryDirectory("bench")).path
  // Ends after the runs, which would start another daemon.
  const daemons = stack.use(new AsyncDisposableStack())
  const processes = stack.use(new Processes())
  const write = (name: string, content: string): string => {
    const file = path.join(directory, name)
    fs.writeFileSync(file, content, { mode: 0o600 })
    return file
  }
  const start = (core: number, name: string, args: ReadonlyArray<string>, errors?: "ignore") =>
    processes.start(core, process.execPath, [path.join(workers, `${name}.ts`), ...args], {}, { errors })

  const hosts = [HOST, ...FRESH_HOSTS]
  const authority = CertificateAuthority.createTemporary(hosts)
  const leaf = authority.issue(HOST)
  const files: Files = {
    cert: write("cert.pem", leaf.certPem),
    key: write("key.pem", leaf.keyPem),
    ca: write("ca.pem", authority.rootPem)
  }
  const fresh = write("fresh.json", JSON.stringify(FRESH_HOSTS.map((host) => [host, authority.issue(host)])))
  const startNginx = async (core: number, port: number, rest: string): Promise<ChildProcess> => {
    const own = fs.mkdtempSync(path.join(directory, "nginx-"))
    const configuration = write(`nginx-${port}.conf`, nginxConfiguration(own, files, rest))
    const run = processes.start(core, "nginx", ["-p", own, "-e", "stderr", "-c", configuration])
    if (await listening(port)) return run
    throw new Error("nginx does not listen")
  }
  const startApi = async (): Promise<string> => {
    if (api !== "nginx") return firstLine(start(OTHER_CORE, api, [files.cert, files.key, CREDENTIAL, fresh]))
    const port = await freePort()
    await startNginx(OTHER_CORE, port, nginxApi(port))
    return String(port)
  }
  const upstream = await startApi()
  const home = path.join(directory, "home")
  fs.mkdirSync(home, { mode: 0o700 })
  const config = {
    version: 1,
    upstream: {
      extra_ca_certs: [files.ca],
      resolve: Object.fromEntries(hosts.map((host) => [`${host}:443`, `127.0.0.1:${upstream}`]))
    }
  }
  fs.writeFileSync(path.join(home, "config.json"), JSON.stringify(config), { mode: 0o600 })

  const project = path.join(directory, "project")
  fs.mkdirSync(project)
  const credsvc = (args: ReadonlyArray<string>, input = ""): number =>
    timeOf(process.execPath, [program, ...args], { cwd: project, env: environment(home), input })

  /** The proxy that prints its port or its URL, and the file of its certificate authority if that is not the API's. */
  const started = async (proxy: ChildProcess, authorization = PLACEHOLDER): Promise<Candidate> => {
    const [at = "", ca = files.ca] = (await firstLine(proxy)).split(" ")
    return { url: URL.canParse(at) ? at : `http://127.0.0.1:${at}`, ca, authorization, pid: proxy.pid! }
  }
  const minimal = (name: string, ...more: ReadonlyArray<string>): Promise<Candidate> =>
    started(
      start(PROXY_CORE, name, [files.cert, files.key, files.ca, upstream, HOST, CREDENTIAL, ...more]),
      name === "forwarder" ? CREDENTIAL : PLACEHOLDER
    )

  /**
   * Starts the daemon as clients do, but in the session of the benchmark: Linux divides a core between sessions first, so
   * the loop that keeps the core awake would take half of it from a daemon in another session.
   */
  const openDaemon = async (): Promise<Daemon> => {
    const options = { prefix: onCore(daemonCore), nodeOptions }
    const daemon = daemons.use(await startDaemon(daemonEnvironment(environment(home), home), options))
    const definition = { name: "bench", auth_type: "api_key", flow: "api_key", api_url: `https://${HOST}`, hosts }
    credsvc(["register", write("bench.json", JSON.stringify(definition)), "--yes"])
    credsvc(["login", "bench", "--stdin"], CREDENTIAL.replace("Bearer ", ""))
    return daemon
  }
  let daemon: Promise<Daemon> | undefined

  const ownRun = async (core: number, options: ReadonlyArray<string> = []): Promise<Candidate> => {
    const { child } = await (daemon ??= openDaemon())
    const script = "echo \"$HTTPS_PROXY $CREDSVC_CA_FILE\"; exec sleep 3600"
    const run = processes.node(core, program, ["run", ...options, "--", "sh", "-c", script], environment(home))
    return { ...await started(run), daemon: child.pid! }
  }

  const ownProxy = (searched: "searched" | "unsearched"): Promise<Candidate> =>
    started(start(PROXY_CORE, "constant-credential", [home, CREDENTIAL, searched, ...hosts]))

  const make: Readonly<Record<ProxyName, () => Promise<Candidate>>> = {
    credsvc: () => ownRun(PROXY_CORE),
    oneCore: () => ownRun(OTHER_CORE),
    ruled: () => ownRun(PROXY_CORE, RULES),
    asking: () => ownRun(PROXY_CORE, ["--ask", ...RULES]),
    constantCredential: () => ownProxy("searched"),
    unsearched: () => ownProxy("unsearched"),
    limit: () => started(start(PROXY_CORE, "minimal", [files.ca, upstream, CREDENTIAL, ...hosts])),
    limit2: () => minimal("minimal2"),
    forwarder: () => minimal("forwarder"),
    asker: () => minimal("forwarder", "ask"),
    go: async () => {
      if (!has("go")) throw notInstalled("Go")
      return started(processes.start(PROXY_CORE, goProxy(directory), [directory, files.ca, upstream, CREDENTIAL]))
    },
    mitmproxy: async () => {
      if (!has("mitmdump")) throw notInstalled("mitmdump")
      const port = await freePort()
      const confdir = path.join(directory, "mitmproxy")
      const options = [`confdir=${confdir}`, `ssl_verify_upstream_trusted_ca=${files.ca}`, "connection_strategy=lazy"]
      const run = processes.start(
        PROXY_CORE,
        "mitmdump",
        [
          "--quiet",
          "--listen-host",
          "127.0.0.1",
          "--listen-port",
          String(port),
          ...options.flatMap((option) => ["--set", option]),
          "--scripts",
          path.join(workers, "mitmproxy_addon.py")
        ],
        { BENCH_HOST: HOST, BENCH_CREDENTIAL: CREDENTIAL, BENCH_PORT: upstream, PYTHONDONTWRITEBYTECODE: "1" },
        { errors: "ignore" }
      )
      if (!await listening(port)) throw new Error("mitmdump does not listen")
      const ca = path.join(confdir, "mitmproxy-ca-cert.pem")
      return { url: `http://127.0.0.1:${port}`, ca, authorization: PLACEHOLDER, pid: run.pid! }
    },
    nginx: async () => {
      if (!has("nginx")) throw notInstalled("nginx")
      const port = await freePort()
      const run = await startNginx(PROXY_CORE, port, nginxProxy(port, upstream, files))
      return { url: `https://127.0.0.1:${port}`, ca: files.ca, authorization: PLACEHOLDER, pid: run.pid! }
    },
    direct: () =>
      Promise.resolve({
        url: `https://127.0.0.1:${upstream}`,
        ca: files.ca,
        authorization: CREDENTIAL,
        pid: process.pid
      })
  }

  const made = new Map<ProxyName, Promise<Candidate>>()
  return {
    candidate: (name) => {
      const known = made.get(name) ?? make[name]()
      made.set(name, known)
      return known
    },
    keepAwake: () => processes.keepAwake(),
    worker: (name, args) => start(OTHER_CORE, name, args),
    generatorInRun: async (options) => {
      await (daemon ??= openDaemon())
      // The settings for clients of the run do not apply to the generator.
      const script = "echo \"$HTTPS_PROXY $CREDSVC_CA_FILE\"; exec env -i \"$@\""
      const generator = [...onCore(OTHER_CORE), process.execPath, path.join(workers, "generator.ts")]
      const child = processes.start(
        PROXY_CORE,
        process.execPath,
        [
          program,
          "run",
          "--quiet",
          ...options,
          "--",
          "sh",
          "-c",
          script,
          "sh",
          `PATH=${process.env["PATH"]}`,
          ...generator
        ],
        environment(home),
        { cwd: project, input: "pipe" }
      )
      return { target: await started(child), generate: workerOf(child) }
    },
    credsvc: (args) => credsvc(args),
    ownProcesses: async () => {
      const { daemon = 0, pid } = await ownRun(PROXY_CORE)
      return { proxy: pid, daemon }
    },
    bareServer: async () => {
      const server = processes.node(OTHER_CORE, path.join(workers, "bare.mjs"), [files.cert, files.key])
      await firstLine(server)
      return server.pid!
    },
    persistentWorker: (name) => processes.persistentWorker(OTHER_CORE, path.join(workers, `${name}.ts`)),
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}
