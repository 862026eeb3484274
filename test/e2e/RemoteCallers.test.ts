/** The command line of another machine, and a daemon that serves TLS to it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, it, onTestFinished } from "vitest"
import { cleanEnvironment, demoHost, openSandbox, programIn } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { freePort } from "../support/TestServer.ts"

it("an enrolled caller on another machine uses the connections of its profile, until the administrator disables the caller", async () => {
  const server = await openSandbox({ start: false })
  onTestFinished(() => server.close())
  const at = (name: string) => path.join(server.directory, name)
  const authority = makeAuthority()
  const { cert, key } = authority.issue(["localhost"])
  const files = { "own-cert.pem": cert, "own-key.pem": key, "own-ca.pem": authority.caPem }
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(at(name), text)
  const port = await freePort()
  const url = `https://localhost:${port}`
  await server.must(["daemon", "start", "--host", "0.0.0.0", "--port", String(port)], {
    env: {
      CREDSVC_SERVER_BASE_URL: url,
      CREDSVC_TLS_CERT_FILE: at("own-cert.pem"),
      CREDSVC_TLS_KEY_FILE: at("own-key.pem")
    }
  })
  await server.must(["register", "demo.json", "--yes"])
  await server.must(["profile", "create", "team"])
  await server.must(["login", "demo", "--stdin"], { env: { CREDSVC_PROFILE: "team" }, input: server.key })
  await server.must(["login", "demo", "--stdin", "--connection", "private"], { input: server.key })
  assert.include((await server.credsvc(["doctor"])).stderr, "The certificate of CREDSVC_TLS_CERT_FILE expires on")

  const home = at("caller")
  fs.mkdirSync(home, { mode: 0o700 })
  const { upstream, version } = JSON.parse(fs.readFileSync(path.join(server.home, "config.json"), "utf8"))
  fs.writeFileSync(path.join(home, "config.json"), JSON.stringify({ version, upstream }), { mode: 0o600 })
  const client = { ...cleanEnvironment(home), CREDSVC_DAEMON_URL: url }
  const untrusting = await programIn(server.directory, client).credsvc(["list"])
  assert.include(untrusting.stderr, "NODE_EXTRA_CA_CERTS")
  const { credsvc, must } = programIn(server.directory, { ...client, NODE_EXTRA_CA_CERTS: at("own-ca.pem") })
  const refused = async (message: string, ...[args, run]: Parameters<typeof credsvc>) => {
    const { code, stderr } = await credsvc(args, run)
    assert.notStrictEqual(code, 0)
    assert.include(stderr, message)
    assert.notInclude(stderr, "restart")
  }

  await refused("Enroll it with: credsvc enroll", ["list"])
  const { stdout: code } = await server.must(["admin", "enroll-code", "team", "--name", "laptop"])
  const enrolled = await must(["enroll"], { input: code })
  assert.include(enrolled.stderr, "as \"laptop\". You use the connections of the profile team.")
  const { connections } = JSON.parse((await must(["api", "connections", "list"])).stdout)
  assert.deepStrictEqual(
    connections.map(({ connection_name, profile }: any) => [connection_name, profile]),
    [["default", "team"]]
  )
  // The questions of runs are for administrators only.
  assert.include((await must([])).stdout, "1 connection stored.")
  const request = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", `https://${demoHost}/v1/whoami`]
  assert.strictEqual((await must(["run", "--", ...request])).stdout, "200")
  await refused("Only the administrator can do this", ["admin", "identities"])
  await refused("CREDSVC_PROFILE=unknown credsvc enroll", ["whoami"], { env: { CREDSVC_PROFILE: "unknown" } })

  assert.include((await server.must(["admin", "identities"])).stdout, "laptop")
  await server.must(["admin", "disable", "laptop"])
  await refused("This identity is disabled", ["list"])
  await server.must(["admin", "enable", "laptop"])
  await must(["list"])
})
