/**
 * Another machine, and jobs of CI systems in fake environments of their runners, which enroll at a daemon that serves TLS, with files
 * of docs/hosting.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { startDemoApi } from "../../../scripts/lib/DemoApi.ts"
import { type JobIssuer, openJobIssuer, seconds, shapes, signToken } from "../../support/JobIssuer.ts"
import {
  cleanEnvironment,
  collect,
  demoDefinition,
  demoHost,
  entry,
  openProgram,
  programIn,
  repository
} from "../../support/Sandbox.ts"
import { makeAuthority } from "../../support/TestCertificates.ts"
import { freePort } from "../../support/TestServer.ts"

const hosting = (...names: ReadonlyArray<string>) =>
  fs.readFileSync(path.join(repository, "docs", "hosting", ...names), "utf8")

const secretOfRunner = "canary-secret-of-the-runner"
const key = "canary_key_of_the_demo_api_q7Zr2"

const open = async () => {
  const api = await startDemoApi([demoHost], key)
  const issuers = Object.fromEntries(
    await Promise.all(
      Object.entries(shapes).map(async ([name, { issuer }]) => [name, await openJobIssuer(issuer)] as const)
    )
  )
  const server = openProgram([{ hosts: [demoHost], port: api.port, caPem: api.caPem }, ...Object.values(issuers)])
  const at = (name: string) => path.join(server.directory, name)
  const authority = makeAuthority()
  const { cert, key: certKey } = authority.issue(["localhost"])
  for (const [name, text] of Object.entries({ "cert.pem": cert, "key.pem": certKey, "ca.pem": authority.caPem })) {
    fs.writeFileSync(at(name), text)
  }
  const port = await freePort()
  const url = `https://localhost:${port}`
  await server.must(["daemon", "start", "--host", "0.0.0.0", "--port", String(port)], {
    env: { CREDSVC_SERVER_BASE_URL: url, CREDSVC_TLS_CERT_FILE: at("cert.pem"), CREDSVC_TLS_KEY_FILE: at("key.pem") }
  })
  await server.must(["register", server.define(demoDefinition), "--yes"])
  await server.must(["profile", "create", "ci"])
  await server.must(["login", "demo", "--stdin"], { input: key })
  await server.must(["admin", "grant", "demo", "--to", "ci"])
  for (const [name, { issuer, patterns }] of Object.entries(shapes)) {
    const claims = Object.entries(patterns).flatMap(([claim, pattern]) => ["--claim", `${claim}=${pattern}`])
    const own = name.toLowerCase().split(" ")[0]!
    await server.must([
      "admin",
      "trust",
      "add",
      "ci",
      "--name",
      own,
      "--issuer",
      issuer,
      "--provider",
      "demo",
      ...claims
    ])
  }
  fs.mkdirSync(at("bin"))
  fs.writeFileSync(at("bin/credsvc"), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, { mode: 0o755 })
  return { api, at, authority, issuers, server, url }
}

type Server = Awaited<ReturnType<typeof open>>

const tokenOf = (server: Server, system: string, audience: string) => {
  const { claims, header } = shapes[system]!
  return signToken((server.issuers[system] as JobIssuer).key, claims(audience, seconds()), header)
}

/** The endpoint of the runner, which issues tokens to those with its secret. The first request fails, as it does sometimes. */
const openTokenEndpoint = async (server: Server) => {
  const audiences: Array<string | null> = []
  const endpoint = http.createServer(({ headers, url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://runner.test")
    const audience = searchParams.get("audience")
    audiences.push(audience)
    if (
      headers.authorization !== `Bearer ${secretOfRunner}` || pathname !== "/token" ||
      searchParams.get("api-version") !== "2.0"
    ) {
      return void response.writeHead(401).end("{}")
    }
    if (audiences.length === 1) return void response.writeHead(503).end("{}")
    response.writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ count: 1, value: tokenOf(server, "GitHub Actions", audience ?? "") }))
  })
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token?api-version=2.0`
  return { audiences, url, close: () => endpoint.close() }
}

describe("enroll", () => {
  let server: Server
  beforeAll(async () => {
    server = await open()
  })
  afterAll(async () => {
    await server.server.close()
    server.api.close()
    await Promise.all(Object.values(server.issuers).map(({ close }) => close()))
  })

  let homes = 0
  /** The environment of a job or of another machine, with a home of its own that reaches the API. */
  const jobEnvironment = (more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
    const home = server.at(`home-${++homes}`)
    fs.mkdirSync(home, { mode: 0o700 })
    const { upstream, version } = JSON.parse(fs.readFileSync(path.join(server.server.home, "config.json"), "utf8"))
    fs.writeFileSync(path.join(home, "config.json"), JSON.stringify({ version, upstream }), { mode: 0o600 })
    return {
      ...cleanEnvironment(home),
      PATH: `${server.at("bin")}:${process.env["PATH"]}`,
      CREDSVC_DAEMON_URL: server.url,
      NODE_EXTRA_CA_CERTS: server.at("ca.pem"),
      ...more
    }
  }

  const request = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", `https://${demoHost}/v1/whoami`]

  it("enrolls a job with the step for GitHub Actions, and a later step uses the credential", async () => {
    const runner = await openTokenEndpoint(server)
    try {
      const { inputs, runs } = parse(hosting("github", "action.yml"))
      const given: Readonly<Record<string, string>> = { "daemon-url": server.url }
      const [step] = runs.steps
      const expression = /^\$\{\{ inputs\.([\w-]+) \}\}$/
      const variables = Object.entries<string>(step.env).map(([name, text]) => {
        const input = expression.exec(text)?.[1] ?? assert.fail(text)
        return [name, given[input] ?? inputs[input].default]
      })
      const environmentFile = server.at("github-env")
      const { CREDSVC_DAEMON_URL: _, CREDSVC_HOME: home, ...job } = jobEnvironment({
        GITHUB_ACTIONS: "true",
        GITHUB_ENV: environmentFile,
        ACTIONS_ID_TOKEN_REQUEST_URL: runner.url,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: secretOfRunner
      })
      fs.mkdirSync(server.at("temp"))
      fs.renameSync(home!, server.at("temp/credsvc"))
      const first = await collect(
        spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
          cwd: server.server.directory,
          env: { ...job, RUNNER_TEMP: server.at("temp"), ...Object.fromEntries(variables) }
        })
      )
      assert.strictEqual(first.code, 0, first.stderr)
      assert.match(
        first.stderr,
        /as "github-17983475938-[0-9a-f]{8}". You use the connections of the profile ci\. The enrollment expires /
      )
      assert.deepStrictEqual(runner.audiences, [server.url, server.url])
      const lines = fs.readFileSync(environmentFile, "utf8").trim().split("\n").map((line) => line.split("="))
      const later = programIn(server.server.directory, { ...job, ...Object.fromEntries(lines) })
      assert.strictEqual((await later.must(["run", "--", ...request])).stdout, "200")
      assert.include((await later.credsvc(["get", "demo", "--show-secret"])).stderr, "A job cannot read credentials")
      assert.notInclude(first.stdout + first.stderr, secretOfRunner)
    } finally {
      runner.close()
    }
  })

  it("finds the token of a job of GitLab CI and Buildkite in a variable, and that of Kubernetes in a projected file", async () => {
    const file = server.at("projected-token")
    fs.writeFileSync(file, tokenOf(server, "Kubernetes", server.url))
    const environments = {
      gitlab: { GITLAB_CI: "true", CREDSVC_ID_TOKEN: tokenOf(server, "GitLab CI", server.url) },
      buildkite: { BUILDKITE: "true", CREDSVC_ID_TOKEN: tokenOf(server, "Buildkite", server.url) },
      kubernetes: { CREDSVC_ID_TOKEN_FILE: file }
    }
    for (const [name, environment] of Object.entries(environments)) {
      const job = programIn(server.server.directory, jobEnvironment(environment))
      assert.include((await job.must(["enroll", "--job"])).stderr, `as "${name}-`)
      const script = "echo ${CREDSVC_ID_TOKEN-unset}${CREDSVC_ID_TOKEN_FILE-unset}; exec \"$@\""
      const { stdout } = await job.must(["run", "--", "sh", "-c", script, "sh", ...request])
      assert.strictEqual(stdout, "unsetunset\n200", name)
    }
    assert.match((await server.server.must(["admin", "identities"])).stdout, /^gitlab-302-\w+ +ci +enabled/m)
  })

  it("enrolls a machine with a code, which uses the connections of its profile until the administrator disables it", async () => {
    const administrator = server.server
    await administrator.must(["profile", "create", "team"])
    await administrator.must(["login", "demo", "--stdin"], { env: { CREDSVC_PROFILE: "team" }, input: key })
    const { stderr: warned } = await administrator.credsvc(["doctor"])
    assert.include(warned, "The certificate of CREDSVC_TLS_CERT_FILE expires on")
    const { credsvc, must } = programIn(administrator.directory, jobEnvironment({}))
    const refused = async (message: string, ...[args, run]: Parameters<typeof credsvc>) => {
      const { code, stderr } = await credsvc(args, run)
      assert.notStrictEqual(code, 0)
      assert.include(stderr, message)
      assert.notInclude(stderr, "restart")
    }

    await refused("NODE_EXTRA_CA_CERTS", ["list"], { env: { NODE_EXTRA_CA_CERTS: "" } })
    await refused("Enroll it with: credsvc enroll", ["list"])
    const { stdout: code } = await administrator.must(["admin", "enroll-code", "team", "--name", "laptop"])
    const enrolled = await must(["enroll"], { input: code })
    assert.include(enrolled.stderr, "as \"laptop\". You use the connections of the profile team.")
    const { connections } = JSON.parse((await must(["api", "connections", "list"])).stdout)
    assert.deepStrictEqual(
      connections.map(({ connection_name, profile }: any) => [connection_name, profile]),
      [["default", "team"]]
    )
    // The questions of runs are for administrators only.
    assert.include((await must([])).stdout, "1 connection stored.")
    assert.strictEqual((await must(["run", "--", ...request])).stdout, "200")
    await refused("Only the administrator can do this", ["admin", "identities"])
    await refused("CREDSVC_PROFILE=unknown credsvc enroll", ["whoami"], { env: { CREDSVC_PROFILE: "unknown" } })

    assert.include((await administrator.must(["admin", "identities"])).stdout, "laptop")
    await administrator.must(["admin", "disable", "laptop"])
    await refused("This identity is disabled", ["list"])
    await administrator.must(["admin", "enable", "laptop"])
    await must(["list"])
  })

  it("reports what a job lacks", async () => {
    const token = tokenOf(server, "GitLab CI", "https://elsewhere.example")
    const lacking: ReadonlyArray<readonly [NodeJS.ProcessEnv, ReadonlyArray<string>, string]> = [
      [{}, ["--job"], "This is not a job of GitHub Actions, GitLab CI or Buildkite"],
      [{ GITHUB_ACTIONS: "true" }, ["--job"], "permissions: { id-token: write }"],
      [{ GITLAB_CI: "true" }, ["--job"], `id_tokens: { CREDSVC_ID_TOKEN: { aud: "${server.url}" } }`],
      [{ BUILDKITE: "true" }, ["--job"], `buildkite-agent oidc request-token --audience ${server.url}`],
      [{ CREDSVC_ID_TOKEN_FILE: "/nonexistent" }, ["--job"], "CREDSVC_ID_TOKEN_FILE: /nonexistent does not exist"],
      [{ CREDSVC_ID_TOKEN: " " }, ["--job"], "CREDSVC_ID_TOKEN has an empty token"],
      [{ CREDSVC_ID_TOKEN: token }, ["--job"], "no trust accepts its claims: aud=\"https://elsewhere.example\""],
      [{ CREDSVC_ID_TOKEN: token }, ["--job", "--audience", "x"], "--audience: has no effect"],
      [{}, ["--audience", "x"], "--audience: requires --job"],
      [{}, ["--trust", "x"], "--trust: requires --job"],
      [
        {
          GITHUB_ACTIONS: "true",
          ACTIONS_ID_TOKEN_REQUEST_URL: "http://runner.example/token",
          ACTIONS_ID_TOKEN_REQUEST_TOKEN: secretOfRunner
        },
        ["--job"],
        "ACTIONS_ID_TOKEN_REQUEST_URL: expected an https URL"
      ]
    ]
    for (const [environment, flags, message] of lacking) {
      const job = programIn(server.server.directory, jobEnvironment(environment))
      const { code, stderr } = await job.credsvc(["enroll", ...flags])
      assert.notStrictEqual(code, 0)
      assert.include(stderr, message)
      assert.notInclude(stderr, "eyJ")
      assert.notInclude(stderr, secretOfRunner)
    }
  })

  it("of a job is documented by example files that match what the client and the daemon expect", () => {
    const { spec } = parse(hosting("kubernetes-job.yaml"))
    const [container] = spec.containers
    const { audience, path: file } =
      spec.volumes.flatMap(({ projected }: any) => projected?.sources ?? [])[0].serviceAccountToken
    const { mountPath } = container.volumeMounts.find(({ name }: any) => name === "token")
    const source = fs.readFileSync(path.join(repository, "src", "cli", "commands", "JobToken.ts"), "utf8")
    assert.include(source, `"${mountPath}/${file}"`)
    assert.strictEqual(container.env.find(({ name }: any) => name === "CREDSVC_DAEMON_URL").value, audience)
  })
})
