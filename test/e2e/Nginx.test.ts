/** The daemon behind nginx, with the configuration of docs/hosting.md. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as https from "node:https"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { oidcDefinition } from "../support/OAuthSandbox.ts"
import { hostedClient, type OidcServer, openOidcServer } from "../support/OidcServer.ts"
import { cleanEnvironment, programIn, repository } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { writeConfig } from "../support/TestSites.ts"

const nginx = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((file) => fs.existsSync(file))
if (nginx === undefined) console.warn("SKIPPED: the tests behind nginx need nginx (scripts/setup --test)")

const isRoot = process.getuid?.() === 0
const password = "CANARY-nginx-7f21"
const basic = `Basic ${Buffer.from(`alice:${password}`).toString("base64")}`

interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
}

const until = async <A>(what: string, look: () => A | undefined | Promise<A | undefined>): Promise<A> => {
  for (let attempt = 0; attempt < 400; attempt++) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resume) => setTimeout(resume, 50))
  }
  throw new Error(`no ${what}`)
}

describe.runIf(nginx !== undefined && process.platform === "linux")("The daemon behind nginx", () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-nginx-"))
  const at = (name: string) => path.join(directory, name)
  const home = at("home")
  const authority = makeAuthority()
  const started: Array<ChildProcess> = []
  const { credsvc, start } = programIn(directory, {
    ...cleanEnvironment(home),
    NODE_EXTRA_CA_CERTS: at("ca.pem")
  })
  let oidc: OidcServer
  let entrance: net.Server
  let origin = ""
  let client: NodeJS.ProcessEnv = {}

  /** nginx cannot choose a free port, so it listens on a socket, to which this port leads. */
  const openEntrance = () =>
    new Promise<net.Server>((resolve) => {
      const server = net.createServer((socket) => {
        const onward = net.connect(at("nginx.sock"))
        socket.on("error", () => onward.destroy()).on("close", () => onward.destroy())
        onward.on("error", () => socket.destroy()).on("close", () => socket.destroy())
        socket.pipe(onward).pipe(socket)
      })
      server.listen(0, "127.0.0.1", () => resolve(server))
    })

  const configuration = (): string => {
    const documented = fs.readFileSync(path.join(repository, "docs", "hosting", "nginx.conf"), "utf8")
    const here: ReadonlyArray<readonly [string, string]> = [
      ["/run/credsvc/front.sock", at("run/front.sock")],
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
    }, documented)
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
      `${name}_temp_path ${at(name)};`
    )
    return `${isRoot ? "user nobody nogroup;" : ""}
daemon off;
pid ${at("nginx.pid")};
error_log ${at("error.log")};
events {}
http {
${temporary.join("\n")}
${server}
}
`
  }

  const get = (target: string, headers: Readonly<Record<string, string>> = { authorization: basic }): Promise<Answer> =>
    new Promise((resolve, reject) => {
      https.get(`${origin}${target}`, { ca: authority.caPem, headers, agent: false }, (response) => {
        let body = ""
        response.setEncoding("utf8").on("data", (text: string) => body += text)
        response.on(
          "end",
          () => resolve({ status: response.statusCode ?? 0, location: response.headers.location, body })
        )
      }).on("error", reject)
    })

  const serve = async (): Promise<ChildProcess> => {
    const group = isRoot ? ["--front-group", "nogroup"] : []
    const daemon = start(["daemon", "serve", "--port", "0", "--front-socket", at("run/front.sock"), ...group], {
      env: { CREDSVC_SERVER_BASE_URL: `${origin}/team` }
    })
    started.push(daemon)
    let said = ""
    daemon.stderr?.on("data", (chunk: Buffer) => said += chunk.toString())
    await until("daemon", () => {
      if (daemon.exitCode !== null) throw new Error(said)
      return fs.existsSync(path.join(home, "server", "daemon.json")) ? true : undefined
    })
    return daemon
  }

  const stop = (child: ChildProcess): Promise<void> =>
    child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => {
      child.once("close", () => resolve())
      child.kill("SIGTERM")
    })

  beforeAll(async () => {
    // nginx runs as another user if it can, who has to get to the files.
    fs.chmodSync(directory, 0o755)
    for (const name of ["run", "home"]) fs.mkdirSync(at(name), { mode: name === "run" ? 0o755 : 0o700 })
    fs.chmodSync(at("run"), 0o755)
    const { cert, key } = authority.issue(["localhost"])
    for (const [name, text] of [["ca.pem", authority.caPem], ["cert.pem", cert], ["key.pem", key]] as const) {
      fs.writeFileSync(at(name), text)
    }
    fs.writeFileSync(at("htpasswd"), `alice:{PLAIN}${password}\n`)
    fs.chmodSync(at("htpasswd"), 0o644)
    entrance = await openEntrance()
    origin = `https://localhost:${(entrance.address() as net.AddressInfo).port}`
    oidc = await openOidcServer({ hostedRedirectUri: `${origin}/team/auth/callback/oauth` })
    writeConfig(home, oidc.sites)
    client = {
      CREDSVC_HOME: at("client"),
      CREDSVC_DAEMON_URL: `${origin}/team`,
      CREDSVC_DAEMON_HEADERS: `Authorization: ${basic}`
    }
    fs.writeFileSync(at("nginx.conf"), configuration())
    const checked = spawnSync(nginx ?? "", ["-t", "-c", at("nginx.conf"), "-e", at("error.log")], { encoding: "utf8" })
    assert.strictEqual(checked.status, 0, checked.stderr)
    await serve()
    started.push(spawn(nginx ?? "", ["-c", at("nginx.conf"), "-e", at("error.log")], { stdio: "ignore" }))
    await until("nginx", () => get("/team/health").catch(() => undefined))
  })

  afterAll(async () => {
    for (const child of started) await stop(child)
    entrance.close()
    await oidc.close()
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })

  it("is reached only with the password", async () => {
    assert.strictEqual((await get("/team/health", {})).status, 401)
    assert.strictEqual((await get("/team/health")).status, 200)
    const refused = await credsvc(["whoami"], { env: { ...client, CREDSVC_DAEMON_HEADERS: "" } })
    assert.strictEqual(refused.code, 9)
    assert.include(refused.stderr, "(status 401). Set CREDSVC_DAEMON_HEADERS")
    const wrong = await credsvc(["whoami"], { env: { ...client, CREDSVC_DAEMON_HEADERS: "Authorization: Basic eDp5" } })
    assert.include(wrong.stderr, "(status 401). Correct CREDSVC_DAEMON_HEADERS,")
    const elsewhere = await credsvc(["whoami"], { env: { ...client, CREDSVC_DAEMON_URL: `${origin}/other` } })
    assert.include(elsewhere.stderr, "Check the path in CREDSVC_DAEMON_URL")
    const whoami = await credsvc(["whoami", "--json"], { env: client })
    assert.strictEqual(JSON.parse(whoami.stdout).daemon_url, `${origin}/team`, whoami.stderr)
  })

  it("has pages whose links, assets and redirects keep the path, and that are live", async () => {
    assert.strictEqual((await get("/team/")).location, "/team/ui/")
    const page = await get("/team/ui/")
    assert.strictEqual(page.status, 200)
    for (const [, link = ""] of page.body.matchAll(/ (?:href|src)="(\/[^"]*)"/g)) {
      assert.strictEqual((await get(link)).status, 200, link)
    }
    const events = /data-events="([^"]+)"/.exec(page.body)?.[1] ?? ""
    const first = await new Promise<string>((resolve, reject) => {
      const options = { ca: authority.caPem, headers: { authorization: basic }, agent: false }
      const request = https.get(`${origin}${events}?since=old`, options, (response) => {
        assert.strictEqual(response.headers["content-type"], "text/event-stream")
        response.once("data", (chunk: Buffer) => {
          request.destroy()
          resolve(chunk.toString())
        })
      }).on("error", reject)
    })
    assert.include(first, "event: change")
  })

  it("receives the callback of a login, and serves a run and its requests", async () => {
    fs.writeFileSync(at("app.json"), JSON.stringify(oidcDefinition(oidc, { oauth: hostedClient })))
    const registered = await credsvc(["register", "app.json", "--yes"], { env: client })
    assert.strictEqual(registered.code, 0, registered.stderr)
    const login = start(["login", "oidc", "--no-browser"], { env: client })
    started.push(login)
    let said = ""
    login.stderr?.on("data", (chunk: Buffer) => said += chunk.toString())
    const page = await until("address", () => {
      if (login.exitCode !== null) throw new Error(said)
      return new RegExp(`(${oidc.issuer}/\\S+)\\s`).exec(said)?.[1]
    })
    const callback = await oidc.user.walk(page)
    assert.isTrue(callback.startsWith(`${origin}/team/auth/callback/oauth?`), callback)
    const received = await get(callback.slice(origin.length))
    assert.strictEqual(received.status, 303, received.body)
    assert.match(received.location ?? "", /^\/team\/auth\/sessions\//)
    assert.strictEqual((await get(received.location ?? "")).status, 200)
    await until("end of the login", () => login.exitCode ?? undefined)
    assert.strictEqual(login.exitCode, 0, said)
    const run = await credsvc(["run", "--", "curl", "-sS", "--max-time", "20", `${oidc.api.origin}/`], { env: client })
    assert.strictEqual(run.code, 0, run.stderr)
    assert.notInclude(fs.readFileSync(at("access.log"), "utf8"), "code=")
  })

  it("is reported as stopped by the server in front of it, and found again when it is back", async () => {
    const daemon = started.find(({ spawnargs }) => spawnargs.includes("serve"))
    await stop(daemon!)
    assert.isFalse(fs.existsSync(at("run/front.sock")))
    const stopped = await credsvc(["whoami"], { env: client })
    assert.strictEqual(stopped.code, 9)
    assert.include(stopped.stderr, "cannot reach the daemon (status 502). Start the daemon there")
    await serve()
    assert.strictEqual((await credsvc(["whoami"], { env: client })).code, 0)
  })
})
