/** A real nginx with the configuration of docs/hosting, whose paths lead into a directory of the test. */
import { assert } from "@effect/vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as https from "node:https"
import * as net from "node:net"
import * as path from "node:path"
import { repository } from "./Sandbox.ts"
import { makeAuthority } from "./TestCertificates.ts"
import { until } from "./Until.ts"

export const nginxProgram = process.platform === "linux"
  ? ["/usr/sbin/nginx", "/usr/bin/nginx"].find((file) => fs.existsSync(file))
  : undefined
if (nginxProgram === undefined) console.warn("SKIPPED: the tests behind nginx need nginx (scripts/setup --test)")

/** The group of nginx's workers. If root starts nginx, they run as another user. */
export const nginxGroup = process.getuid?.() === 0 ? ["--front-group", "nogroup"] : []

const password = "CANARY-nginx-7f21"
/** The value of the header field `Authorization`. */
export const basic = `Basic ${Buffer.from(`alice:${password}`).toString("base64")}`

export interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Without it, the request has a connection of its own. */
  readonly agent?: https.Agent
}

/** nginx cannot choose a free port, so it listens on a socket, to which this port leads. */
const openEntrance = (socketPath: string) =>
  new Promise<net.Server>((resolve) => {
    const server = net.createServer((socket) => {
      const onward = net.connect(socketPath)
      socket.on("error", () => onward.destroy()).on("close", () => onward.destroy())
      onward.on("error", () => socket.destroy()).on("close", () => socket.destroy())
      socket.pipe(onward).pipe(socket)
    })
    server.listen(0, "127.0.0.1", () => resolve(server))
  })

/** The documented configuration, without the lines for replicas if there is one daemon. */
export const documented = (daemons: "one" | "replicas"): string => {
  const text = fs.readFileSync(path.join(repository, "docs", "hosting", "nginx.conf"), "utf8")
  return daemons === "one" ? text.split("\n").filter((line) => !line.endsWith("replicas")).join("\n") : text
}

/** Prepares nginx in the directory, where the sockets of daemons are in `run`. `start` starts it. */
export const openNginx = async (directory: string, configuration: string) => {
  const at = (name: string) => path.join(directory, name)
  const authority = makeAuthority()
  const { cert, key } = authority.issue(["localhost"])
  // If root starts nginx, its workers run as another user, who must be able to read the files.
  fs.chmodSync(directory, 0o755)
  fs.mkdirSync(at("run"), { recursive: true })
  fs.chmodSync(at("run"), 0o755)
  for (
    const [name, text] of Object.entries({
      "ca.pem": authority.caPem,
      "cert.pem": cert,
      "key.pem": key,
      htpasswd: `alice:{PLAIN}${password}\n`
    })
  ) {
    fs.writeFileSync(at(name), text)
    fs.chmodSync(at(name), 0o644)
  }
  const here: ReadonlyArray<readonly [string, string]> = [
    ["/run/credsvc/", `${at("run")}/`],
    ["listen 443 ssl;", `listen unix:${at("nginx.sock")} ssl;`],
    ["credsvc.example.com", "localhost"],
    ["/etc/credsvc/tls/fullchain.pem", at("cert.pem")],
    ["/etc/credsvc/tls/privkey.pem", at("key.pem")],
    ["/etc/nginx/credsvc.htpasswd", at("htpasswd")],
    ["/var/log/nginx/credsvc.log", at("access.log")]
  ]
  const server = here.reduce((text, [given, own]) => {
    assert.include(text, given)
    return text.replaceAll(given, own)
  }, configuration)
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${at(name)};`)
  fs.writeFileSync(
    at("nginx.conf"),
    `${nginxGroup.length > 0 ? "user nobody nogroup;" : ""}
daemon off;
pid ${at("nginx.pid")};
error_log ${at("error.log")};
events {}
http {
${temporary.join("\n")}
${server}
}
`
  )
  const entrance = await openEntrance(at("nginx.sock"))
  const origin = `https://localhost:${(entrance.address() as net.AddressInfo).port}`
  let child: ChildProcess | undefined

  /** Sends a request, with the password unless other header fields are given. */
  const ask = (target: string, { agent, body, headers = { authorization: basic }, method }: AskOptions = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const request = https.request(`${origin}${target}`, {
        ca: authority.caPem,
        agent: agent ?? false,
        headers,
        ...(method === undefined ? {} : { method })
      }, (response) => {
        let received = ""
        response.setEncoding("utf8").on("data", (text: string) => received += text).on("error", reject)
        response.on(
          "end",
          () => resolve({ status: response.statusCode ?? 0, location: response.headers.location, body: received })
        )
      })
      request.on("error", reject).end(body)
    })

  const args = ["-c", at("nginx.conf"), "-e", at("error.log")]
  return {
    origin,
    caPem: authority.caPem,
    /** The lines of the access log. */
    log: () => fs.readFileSync(at("access.log"), "utf8").split("\n").slice(0, -1),
    /** The last lines of the error log, which say why nginx itself responded. */
    errors: () => fs.readFileSync(at("error.log"), "utf8").split("\n").slice(-10).join("\n"),
    ask,
    start: async () => {
      const checked = spawnSync(nginxProgram ?? "", ["-t", ...args], { encoding: "utf8" })
      assert.strictEqual(checked.status, 0, checked.stderr)
      child = spawn(nginxProgram ?? "", args, { stdio: "ignore" })
      await until(() => ask("/").catch(() => undefined))
    },
    close: async () => {
      const running = child
      if (running !== undefined && running.exitCode === null && running.signalCode === null) {
        await new Promise((resolve) => running.once("close", resolve) && running.kill("SIGTERM"))
      }
      entrance.close()
    }
  }
}

export type Nginx = Awaited<ReturnType<typeof openNginx>>
