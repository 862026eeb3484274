/** The daemon behind nginx, with the configuration of docs/hosting.md. The replicas are in test/postgres/HostedReplicas.test.ts. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { confirmationOf } from "../support/Confirmation.ts"
import { basic, documented, type Nginx, nginxGroup, nginxProgram, openNginx } from "../support/Nginx.ts"
import { oidcDefinition } from "../support/OAuthSandbox.ts"
import { hostedClient, type OidcServer, openOidcServer } from "../support/OidcServer.ts"
import { cleanEnvironment, programIn } from "../support/Sandbox.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"
import { writeConfig } from "../support/TestSites.ts"
import { until } from "../support/Until.ts"

const metricsToken = "CANARY-metrics-0123456789-abcdefghij"

describe.runIf(nginxProgram !== undefined)("The daemon behind nginx", () => {
  const directory = suiteDirectory()
  const at = (name: string) => path.join(directory, name)
  const home = at("home")
  const started: Array<ChildProcess> = []
  const { credsvc, start } = programIn(directory, {
    ...cleanEnvironment(home),
    NODE_EXTRA_CA_CERTS: at("ca.pem")
  })
  let oidc: OidcServer
  let nginx: Nginx
  let origin = ""
  let client: NodeJS.ProcessEnv = {}

  /** A command of the administrator, on the machine of the daemon. */
  const local = async (args: ReadonlyArray<string>): Promise<string> => {
    const { code, stderr, stdout } = await credsvc(args)
    assert.strictEqual(code, 0, stderr)
    return stdout
  }

  const get = (target: string, headers?: Readonly<Record<string, string>>) =>
    nginx.ask(target, headers === undefined ? {} : { headers })

  const serve = async (): Promise<ChildProcess> => {
    const daemon = start(["daemon", "serve", "--port", "0", "--front-socket", at("run/front.sock"), ...nginxGroup], {
      env: { CREDSVC_SERVER_BASE_URL: `${origin}/team`, CREDSVC_METRICS_TOKEN: metricsToken }
    })
    started.push(daemon)
    let said = ""
    daemon.stderr?.on("data", (chunk: Buffer) => said += chunk.toString())
    await until(() => {
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
    nginx = await openNginx(directory, documented("one"))
    origin = nginx.origin
    fs.mkdirSync(home, { mode: 0o700 })
    oidc = await openOidcServer({ hostedRedirectUri: `${origin}/team/auth/callback/oauth` })
    writeConfig(home, oidc.sites)
    client = {
      CREDSVC_HOME: at("client"),
      CREDSVC_DAEMON_URL: `${origin}/team`,
      CREDSVC_DAEMON_HEADERS: `Authorization: ${basic}`
    }
    fs.writeFileSync(at("app.json"), JSON.stringify(oidcDefinition(oidc, { oauth: hostedClient })))
    await serve()
    await nginx.start()
    for (const command of [["profile", "create", "team"], ["register", "app.json", "--yes"]]) await local(command)
    const code = await local(["admin", "enroll-code", "team"])
    const enrolled = await credsvc(["enroll"], { env: client, input: code })
    assert.strictEqual(enrolled.code, 0, enrolled.stderr)
  })

  afterAll(async () => {
    for (const child of started) await stop(child)
    await nginx.close()
    await oidc.close()
  })

  it("responds only to clients that authenticate to nginx", async () => {
    assert.strictEqual((await get("/team/health", {})).status, 401)
    assert.strictEqual((await get("/team/health")).status, 200)
    const refused = await credsvc(["whoami"], { env: { ...client, CREDSVC_DAEMON_HEADERS: "" } })
    assert.strictEqual(refused.code, 9)
    assert.include(refused.stderr, "(status 401). Set CREDSVC_DAEMON_HEADERS")
    const wrong = await credsvc(["whoami"], { env: { ...client, CREDSVC_DAEMON_HEADERS: "Authorization: Basic eDp5" } })
    assert.include(wrong.stderr, "(status 401). Correct the header fields in CREDSVC_DAEMON_HEADERS")
    const elsewhere = await credsvc(["whoami"], { env: { ...client, CREDSVC_DAEMON_URL: `${origin}/other` } })
    assert.include(elsewhere.stderr, "Check the path in CREDSVC_DAEMON_URL")
    const whoami = await credsvc(["whoami", "--json"], { env: client })
    assert.strictEqual(JSON.parse(whoami.stdout).daemon_url, `${origin}/team`, whoami.stderr)
  })

  it("refuses unsigned requests, even for the dashboard", async () => {
    for (const target of ["/team/", "/team/ui/", "/team/connections"]) {
      assert.strictEqual((await get(target)).status, 401, target)
    }
  })

  it("accepts the metrics token through nginx, for /metrics only", async () => {
    const authorization = `Bearer ${metricsToken}`
    assert.include((await get("/team/metrics", { authorization })).body, "credsvc_build_info")
    for (const other of [basic, "", `${authorization}x`]) {
      assert.strictEqual((await get("/team/metrics", { authorization: other })).status, 401, other)
    }
    for (const target of ["/team/connections", "/team/health", "/team/metrics/", "/metrics"]) {
      assert.notStrictEqual((await get(target, { authorization })).status, 200, target)
    }
  })

  it("receives the callback of a login, and serves a run and its requests", async () => {
    const login = start(["login", "oidc", "--no-browser"], { env: client })
    started.push(login)
    let said = ""
    login.stderr?.on("data", (chunk: Buffer) => said += chunk.toString())
    const address = await until(() => {
      if (login.exitCode !== null) throw new Error(said)
      return new RegExp(`(${oidc.issuer}/\\S+)\\s`).exec(said)?.[1]
    })
    const callback = await oidc.user.walk(address)
    assert.isTrue(callback.startsWith(`${origin}/team/auth/callback/oauth?`), callback)
    const { target, ...form } = confirmationOf((await get(callback.slice(origin.length))).body)
    const received = await nginx.ask(target, { ...form, headers: { ...form.headers, origin, authorization: basic } })
    assert.strictEqual(received.status, 303, received.body)
    assert.match(received.location ?? "", /^\/team\/auth\/sessions\//)
    const page = await get(received.location ?? "")
    assert.strictEqual(page.status, 200)
    // The script of the page reads the state of the login.
    const session = /^\/team\/auth\/sessions\/[^/?]+/.exec(received.location ?? "")?.[0] ?? ""
    assert.strictEqual((await get(session)).status, 200, session)
    const links = [...page.body.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map(([, link = ""]) => link)
    assert.isNotEmpty(links)
    for (const link of links) assert.isTrue(link.startsWith("/team/"), link)
    for (const link of links.filter((each) => /\.(?:css|js|ico)(?:$|\?)/.test(each))) {
      assert.strictEqual((await get(link)).status, 200, link)
    }
    await until(() => login.exitCode ?? undefined)
    assert.strictEqual(login.exitCode, 0, said)
    const run = await credsvc(["run", "--", "curl", "-sS", "--max-time", "20", `${oidc.api.origin}/`], { env: client })
    assert.strictEqual(run.code, 0, run.stderr)
    assert.notInclude(nginx.log().join("\n"), "code=")
  })

  it("is reported as stopped when nginx responds with 502, and found again when it is back", async () => {
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
