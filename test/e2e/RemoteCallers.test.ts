/** A daemon behind a TLS server, and the command line of another machine that uses it. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import type * as Http from "node:http"
import * as path from "node:path"
import { builtins } from "../../src/platform/builtins.ts"
import { cleanEnvironment, demoHost, openSandbox, programIn, type Sandbox } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { freePort } from "../support/TestServer.ts"
import { openSite, type Site } from "../support/TestSites.ts"

/** Forwards requests to the daemon's port, and says so, as reverse proxies do. */
const forwardTo = (portOf: () => number): Http.RequestListener => (request, response) => {
  const sent = builtins.http.request({
    host: "127.0.0.1",
    port: portOf(),
    method: request.method,
    path: request.url,
    headers: { ...request.headers, "x-forwarded-for": "192.0.2.1" },
    agent: false
  }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  sent.on("error", () => response.destroy())
  response.on("close", () => sent.destroy())
  request.pipe(sent)
}

describe("a daemon on another machine", () => {
  let sandbox: Sandbox | undefined
  let site: Site | undefined
  afterEach(async () => {
    await site?.close()
    await sandbox?.close()
  })

  it("serves an enrolled caller in its own profile, until it is disabled", async () => {
    const server = sandbox = await openSandbox({ start: false })
    let daemonPort = 0
    const front = site = await openSite(makeAuthority(), ["localhost"], forwardTo(() => daemonPort))
    const url = `https://localhost:${front.port}`
    const there = async (args: ReadonlyArray<string>, run: Parameters<Sandbox["credsvc"]>[1] = {}) => {
      const outcome = await server.credsvc(args, run)
      assert.strictEqual(outcome.code, 0, `${args.join(" ")}: ${outcome.stderr}`)
      return outcome.stdout.trim()
    }
    await there(["daemon", "start", "--host", "0.0.0.0", "--port", "0"], { env: { CREDSVC_SERVER_BASE_URL: url } })
    daemonPort = JSON.parse(fs.readFileSync(path.join(server.home, "server", "daemon.json"), "utf8")).port
    await there(["register", "demo.json", "--yes"])
    await there(["profile", "create", "team"])
    await there(["login", "demo", "--stdin"], { env: { CREDSVC_PROFILE: "team" }, input: server.key })
    await there(["login", "demo", "--stdin", "--connection", "private"], { input: server.key })

    const home = path.join(server.directory, "caller")
    fs.mkdirSync(home, { mode: 0o700 })
    const { upstream, version } = JSON.parse(fs.readFileSync(path.join(server.home, "config.json"), "utf8"))
    fs.writeFileSync(path.join(home, "config.json"), JSON.stringify({ version, upstream }), { mode: 0o600 })
    const authority = path.join(server.directory, "front.pem")
    fs.writeFileSync(authority, front.caPem)
    const { credsvc } = programIn(server.directory, {
      ...cleanEnvironment(home),
      CREDSVC_DAEMON_URL: url,
      NODE_EXTRA_CA_CERTS: authority
    })

    const before = await credsvc(["list"])
    assert.notStrictEqual(before.code, 0)
    assert.include(before.stderr, "Enroll it with: credsvc enroll")
    assert.notInclude(before.stderr, "restart")
    const code = await there(["admin", "enroll-code", "team", "--name", "laptop"])
    const enrolled = await credsvc(["enroll"], { input: `${code}\n` })
    assert.strictEqual(enrolled.code, 0, enrolled.stderr)
    assert.include(enrolled.stderr, "as \"laptop\". You use the connections of the profile team.")

    const { connections } = JSON.parse((await credsvc(["api", "connections", "list"])).stdout)
    assert.deepStrictEqual(
      connections.map(({ connection_name, profile }: any) => [connection_name, profile]),
      [["default", "team"]]
    )
    const request = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", `https://${demoHost}/v1/whoami`]
    const run = await credsvc(["run", "--", ...request])
    assert.deepStrictEqual([run.code, run.stdout], [0, "200"], run.stderr)
    const administered = await credsvc(["admin", "identities"])
    assert.notStrictEqual(administered.code, 0)
    assert.include(administered.stderr, "Only the administrator can do this")
    const other = await credsvc(["whoami"], { env: { CREDSVC_PROFILE: "unknown" } })
    assert.include(other.stderr, "CREDSVC_PROFILE=unknown credsvc enroll")

    assert.include(await there(["admin", "identities"]), "laptop")
    await there(["admin", "disable", "laptop"])
    const disabled = await credsvc(["list"])
    assert.include(disabled.stderr, "This identity is disabled")
    await there(["admin", "enable", "laptop"])
    assert.strictEqual((await credsvc(["list"])).code, 0)
    const local = await server.credsvc(["enroll"], { input: code })
    assert.include(local.stderr, "needs no enrollment")
  })

  it("serves TLS itself, without a server in front", async () => {
    const server = sandbox = await openSandbox({ start: false })
    const authority = makeAuthority()
    const at = (name: string) => path.join(server.directory, name)
    const { cert, key } = authority.issue(["localhost"])
    for (
      const [name, text] of [["own-cert.pem", cert], ["own-key.pem", key], ["own-ca.pem", authority.caPem]] as const
    ) {
      fs.writeFileSync(at(name), text)
    }
    const there = async (args: ReadonlyArray<string>, run: Parameters<Sandbox["credsvc"]>[1] = {}) => {
      const outcome = await server.credsvc(args, run)
      assert.strictEqual(outcome.code, 0, `${args.join(" ")}: ${outcome.stderr}`)
      return outcome.stdout.trim()
    }
    const port = await freePort()
    const url = `https://localhost:${port}`
    await there(["daemon", "start", "--host", "0.0.0.0", "--port", String(port)], {
      env: {
        CREDSVC_SERVER_BASE_URL: url,
        CREDSVC_TLS_CERT_FILE: at("own-cert.pem"),
        CREDSVC_TLS_KEY_FILE: at("own-key.pem")
      }
    })
    await there(["register", "demo.json", "--yes"])
    await there(["profile", "create", "team"])
    await there(["login", "demo", "--stdin"], { env: { CREDSVC_PROFILE: "team" }, input: server.key })
    const doctor = await server.credsvc(["doctor"])
    assert.include(doctor.stderr, "The certificate of CREDSVC_TLS_CERT_FILE expires on")

    const home = at("caller")
    fs.mkdirSync(home, { mode: 0o700 })
    const { upstream, version } = JSON.parse(fs.readFileSync(path.join(server.home, "config.json"), "utf8"))
    fs.writeFileSync(path.join(home, "config.json"), JSON.stringify({ version, upstream }), { mode: 0o600 })
    const client = { ...cleanEnvironment(home), CREDSVC_DAEMON_URL: url }
    const untrusting = await programIn(server.directory, client).credsvc(["list"])
    assert.include(untrusting.stderr, "NODE_EXTRA_CA_CERTS")
    const { credsvc } = programIn(server.directory, { ...client, NODE_EXTRA_CA_CERTS: at("own-ca.pem") })
    const code = await there(["admin", "enroll-code", "team"])
    const enrolled = await credsvc(["enroll"], { input: `${code}\n` })
    assert.strictEqual(enrolled.code, 0, enrolled.stderr)
    const request = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", `https://${demoHost}/v1/whoami`]
    const run = await credsvc(["run", "--", ...request])
    assert.deepStrictEqual([run.code, run.stdout], [0, "200"], run.stderr)
  })
})
