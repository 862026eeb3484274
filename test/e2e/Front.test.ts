/** The command line and a daemon behind an authenticating proxy. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { cleanEnvironment, type Outcome, programIn } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { suiteDirectory } from "../support/TestDirectories.ts"

const secret = "CANARY-front-5d1f"

interface Reply {
  readonly status: number
  readonly type?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string
}

const unauthorized: Reply = { status: 401, type: "text/html", body: "<h1>401</h1>" }
const whoami: Reply = {
  status: 200,
  type: "application/json",
  body: JSON.stringify({
    home: "/srv/credsvc",
    profile: "quiet-heron-4821",
    identity: "quiet-heron-4821",
    master_key_mode: "local_key",
    master_key_source: "local_key",
    master_key_description: "a key file",
    daemon_url: "https://creds.example/team",
    version: "0.1.0"
  })
}
const problem = (status: number, detail: string): Reply => ({
  status,
  type: "application/problem+json",
  body: JSON.stringify({ error: "RequestRefusedError", status, detail, type: "about:blank", title: "Request refused" })
})

describe("The command line behind an authenticating proxy", () => {
  const directory = suiteDirectory()
  const authority = makeAuthority()
  const { cert, key } = authority.issue(["localhost"])
  const elsewhere: Array<string> = []
  const other = http.createServer((request, response) => {
    elsewhere.push(JSON.stringify([request.url, request.headers]))
    response.end("{}")
  })
  let received: Array<http.IncomingMessage> = []
  let reply: (request: http.IncomingMessage) => Reply = () => whoami
  const front = https.createServer({ cert, key }, (request, response) => {
    received.push(request)
    const { body = "", headers = {}, status, type = "text/plain" } = reply(request)
    response.writeHead(status, { "content-type": type, ...headers }).end(body)
  })
  let url = ""
  const { credsvc } = programIn(directory, {
    ...cleanEnvironment(path.join(directory, "home")),
    NODE_EXTRA_CA_CERTS: path.join(directory, "ca.pem")
  })
  const run = async (env: NodeJS.ProcessEnv, answer: typeof reply, args = ["whoami"]): Promise<Outcome> => {
    received = []
    reply = answer
    return credsvc(args, { env: { CREDSVC_DAEMON_URL: url, ...env } })
  }
  const program = (name: string, script: string): string => {
    const file = path.join(directory, name)
    fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return file
  }

  beforeAll(async () => {
    fs.writeFileSync(path.join(directory, "ca.pem"), authority.caPem)
    for (const server of [front, other]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    url = `https://localhost:${(front.address() as AddressInfo).port}/team`
  })
  afterAll(async () => {
    for (const server of [front, other]) {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
  })

  const authorized = (token: string) => ({ headers }: http.IncomingMessage): Reply =>
    headers.authorization === `Bearer ${token}` ? whoami : unauthorized

  it("sends the header fields of CREDSVC_DAEMON_HEADERS with every request, and keeps the path of CREDSVC_DAEMON_URL", async () => {
    const fields = `Authorization: Bearer ${secret}\nX-Team: blue`
    const outcome = await run({ CREDSVC_DAEMON_HEADERS: fields }, authorized(secret))
    assert.strictEqual(outcome.code, 0, outcome.stderr)
    assert.isAbove(received.length, 0)
    for (const { headers, url } of received) {
      assert.deepInclude(headers, { authorization: `Bearer ${secret}`, "x-team": "blue" })
      assert.match(url ?? "", /^\/team\/\w/)
    }
  })

  it("sends the header fields that the program of CREDSVC_DAEMON_HEADERS_COMMAND prints, and runs the program once", async () => {
    const file = program("print-headers", `echo run >> "$1"; echo "Authorization: Bearer ${secret}"`)
    const runs = path.join(directory, "runs;touch$IFS")
    await run({ CREDSVC_DAEMON_HEADERS_COMMAND: `${file} ${runs}` }, authorized(secret), ["doctor"])
    assert.isAbove(received.length, 0)
    for (const { headers } of received) assert.strictEqual(headers.authorization, `Bearer ${secret}`)
    assert.strictEqual(fs.readFileSync(runs, "utf8"), "run\n", "the program got its argument as it is, once")
  })

  it("keeps the header fields out of its output and its log", async () => {
    const file = program("print-secret", `echo "X-Other: ${secret}"`)
    const env = {
      CREDSVC_DAEMON_HEADERS: `Authorization: Bearer ${secret}`,
      CREDSVC_DAEMON_HEADERS_COMMAND: `${file} ${secret}`
    }
    for (const args of [["whoami", "--verbose"], ["whoami", "--json"], ["daemon", "status"], ["doctor"]]) {
      const { stderr, stdout } = await run(env, () => unauthorized, args)
      assert.notInclude(stderr + stdout, secret, args.join(" "))
    }
    for (const name of fs.readdirSync(path.join(directory, "home"), { recursive: true, encoding: "utf8" })) {
      const at = path.join(directory, "home", name)
      if (fs.statSync(at).isFile()) assert.notInclude(fs.readFileSync(at, "latin1"), secret, name)
    }
  })

  it("does not follow redirects, and sends nothing to their target", async () => {
    const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const headers = { CREDSVC_DAEMON_HEADERS: `Authorization: Bearer ${secret}` }
    const redirect = (location: string) => () => ({ status: 302, headers: { location } })
    const away = await run(headers, redirect(`${target}/login?rd=x`))
    assert.strictEqual(away.code, 9)
    assert.include(
      away.stderr,
      `redirects to ${target}, probably to log in. Correct the header fields in CREDSVC_DAEMON_HEADERS`
    )
    const within = await run(headers, redirect("/team/"))
    assert.include(within.stderr, "Check the path in CREDSVC_DAEMON_URL")
    assert.deepStrictEqual(elsewhere, [])
  })

  const errors: ReadonlyArray<
    readonly [title: string, answer: Reply, env: NodeJS.ProcessEnv, ...parts: ReadonlyArray<string>]
  > = [
    [
      "a 401 without header fields",
      unauthorized,
      {},
      "(status 401). Set CREDSVC_DAEMON_HEADERS to",
      "CREDSVC_DAEMON_HEADERS_COMMAND"
    ],
    ["a 401 as JSON", { ...unauthorized, type: "application/json", body: "{}" }, {}, "Set CREDSVC_DAEMON_HEADERS to"],
    [
      "a 401 with header fields",
      unauthorized,
      { CREDSVC_DAEMON_HEADERS: "X-A: b" },
      "(status 401). Correct the header fields in CREDSVC_DAEMON_HEADERS"
    ],
    [
      "a 403 with header fields",
      { status: 403 },
      { CREDSVC_DAEMON_HEADERS: "X-A: b" },
      "(status 403). Correct the header fields in CREDSVC_DAEMON_HEADERS"
    ],
    ["a 404 of the front server", { status: 404 }, {}, "(status 404). Check the path in CREDSVC_DAEMON_URL"],
    [
      "a 404 of the daemon",
      problem(404, "Unknown route."),
      {},
      "Check the path in CREDSVC_DAEMON_URL",
      "CREDSVC_SERVER_BASE_URL"
    ],
    [
      "a 403 of the daemon",
      problem(403, "CREDSVC_SERVER_BASE_URL must name that host."),
      {},
      "CREDSVC_SERVER_BASE_URL must name"
    ],
    ["a 502", { status: 502, type: "text/html" }, {}, "cannot reach the daemon (status 502). Start the daemon there"],
    ["a 503", { status: 503, type: "text/html" }, {}, "cannot reach the daemon (status 503)"],
    [
      "a 504 with the ID of the request",
      { status: 504, headers: { "x-request-id": "3f2a9c81d0b64e7f" } },
      {},
      "cannot reach the daemon (status 504)",
      "passes requests (request 3f2a9c81d0b64e7f)"
    ],
    [
      "a 503 of the daemon with the ID of the request",
      { ...problem(503, "It is stopping."), headers: { "x-request-id": "3f2a9c81d0b64e7f" } },
      {},
      "It is stopping. (request 3f2a9c81d0b64e7f)"
    ],
    [
      "a 503 of the daemon with an ID of another form",
      { ...problem(503, "It is stopping."), headers: { "x-request-id": "3f2a9c81; rm -rf" } },
      {},
      "It is stopping.\n"
    ]
  ]
  for (const [title, answer, env, ...parts] of errors) {
    it(`explains what to correct after ${title}, without advice to restart the daemon`, async () => {
      const outcome = await run(env, () => answer)
      assert.notStrictEqual(outcome.code, 0)
      for (const part of parts) assert.include(outcome.stderr, part)
      assert.notMatch(outcome.stderr, /daemon (?:re)?start/)
    })
  }

  it("names the program whose output is invalid, and neither its arguments nor its output", async () => {
    const commands = [
      [program("fails", "echo broken; exit 3"), "fails of CREDSVC_DAEMON_HEADERS_COMMAND exited with code 3"],
      [program("prints-text", `echo ${secret}`), "line 1 is not of the form"],
      [program("prints-nothing", ":"), "it contains no header field"],
      [program("prints-host", `echo "Host: ${secret}"`), `must not contain the field "Host"`]
    ] as const
    for (const [file, message] of commands) {
      const { code, stderr } = await run({ CREDSVC_DAEMON_HEADERS_COMMAND: `${file} ${secret}` }, () => whoami)
      assert.strictEqual(code, 9)
      assert.include(stderr, message)
      assert.notInclude(stderr, secret)
      assert.lengthOf(received, 0)
    }
  })

  it("explains a certificate of an unknown authority", async () => {
    const { code, stderr } = await run({ NODE_EXTRA_CA_CERTS: "" }, () => whoami)
    assert.strictEqual(code, 9)
    assert.include(stderr, "is not trusted (")
    assert.include(stderr, "NODE_EXTRA_CA_CERTS")
  })
})
