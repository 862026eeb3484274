import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import type { SettingsShape } from "../../../src/config/Settings.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import { testsWith } from "../../support/Fixture.ts"
import { canBeOthers, curl, runAsOther } from "../../support/OtherUser.ts"
import { enrolled } from "../../support/RemoteCaller.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"
import { permissiveUmask } from "../../support/Umask.ts"

const group = 65533

const settings = { serverBaseUrl: Option.some(new URL("https://creds.example/team")) }

const inHome = testsWith(Effect.gen(function*() {
  const home = yield* temporaryDirectory
  const directory = yield* temporaryDirectory
  fs.chmodSync(directory, 0o755)
  const file = `${directory}/front.sock`
  return {
    directory,
    file,
    start: (front: { readonly path?: string; readonly group?: string } = {}, own: Partial<SettingsShape> = settings) =>
      startTestDaemon({ home, settings: own, front: { path: file, group: undefined, ...front } }),
    home
  }
}))

const request = (socketPath: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
  Effect.callback<{ readonly status: number; readonly text: string; readonly id: unknown }, Error>((resume) => {
    const options = {
      socketPath,
      path,
      method: body === undefined ? "GET" : "POST",
      agent: false,
      headers: {
        host: "creds.example",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      }
    }
    const outgoing = builtins.http.request(options, (response) => {
      response.setEncoding("utf8").once("data", (text: string) => {
        resume(Effect.succeed({ status: response.statusCode ?? 0, text, id: response.headers["x-request-id"] }))
        outgoing.destroy()
      })
    })
    outgoing.on("error", (error) => resume(Effect.fail(error))).end(body)
  })

const modeOf = (file: string) => fs.statSync(file).mode & 0o777

const failure = <A, R>(started: Effect.Effect<A, unknown, R>) =>
  Effect.scoped(Effect.map(Effect.flip(started), (error) => (error as Error).message))

describe("FrontSocket", () => {
  inHome.live("serves only the host of the base URL, and is removed when the daemon stops", function*({ file, start }) {
    yield* Effect.scoped(Effect.gen(function*() {
      yield* start()
      assert.strictEqual((yield* request(file, "/team/health")).status, 200)
      assert.strictEqual((yield* request(file, "/health", { host: "evil.test" })).status, 403)
      assert.strictEqual((yield* request(file, "/health", { origin: "https://evil.test" })).status, 403)
    }))
    assert.isFalse(fs.existsSync(file))
  })

  inHome.live("accepts only signed requests, including those that register runs", function*({ file, start }) {
    const daemon = yield* start()
    const caller = yield* enrolled(daemon, "alice")
    const run = JSON.stringify({ pid: 1, providers: null, connections: {}, unmatched: "allow", contained: false })
    const headers = { "credsvc-run": "r".repeat(43) }
    assert.strictEqual((yield* request(file, "/team/runs", headers, run)).status, 401)
    assert.strictEqual((yield* request(file, "/team/connections", { host: "127.0.0.1" })).status, 403)
    const signed = caller.sign("/team/runs", { method: "POST", headers, body: run })
    const response = yield* request(file, signed.target, signed.headers, run)
    assert.strictEqual(response.status, 200, response.text)
  })

  inHome.live(
    "uses the request ID of the reverse proxy, in the response and in the log",
    function*({ file, home, start }) {
      const daemon = yield* start()
      const lines = () =>
        fs.readFileSync(`${home}/server/logs/daemon.log`, "utf8").split("\n").filter((line) =>
          line.includes(" request ")
        )
      const caller = yield* enrolled(daemon, "alice")
      const own = "3f2a9c81d0b64e7f8a0c5d2e1b9f7a60"
      const { headers, target } = caller.sign("/team/connections")
      assert.strictEqual((yield* request(file, target, { ...headers, "x-request-id": own })).id, own)
      assert.match(
        lines().at(-1) ?? "",
        new RegExp(
          ` INFO +request request=${own} method=GET route=/connections status=200 milliseconds=\\d+ identity=alice$`
        )
      )
      // The audit log has it too.
      const post = (path: string, body: object) => {
        const signed = caller.sign(path, { method: "POST", body: JSON.stringify(body) })
        return request(file, signed.target, { ...signed.headers, "x-request-id": own }, signed.body)
      }
      const login = yield* post("/team/auth/sessions", { provider: "openai", connection: "default" })
      const { session_id: session } = JSON.parse(login.text)
      yield* post(`/team/auth/sessions/${session}/resume`, { data: { api_key: "sk-0123456789" } })
      const { entries } = JSON.parse((yield* daemon.request("/audit?limit=2")).body)
      assert.deepStrictEqual(
        entries.map(({ event, request }: Readonly<Record<string, unknown>>) => [event, request]),
        [["identity-enroll", undefined], ["login", own]]
      )
      // Refused requests have one as well.
      assert.strictEqual((yield* request(file, "/team/connections", { "x-request-id": own })).id, own)
      assert.match(lines().at(-1) ?? "", new RegExp(`request=${own} .* status=401 milliseconds=\\d+$`))
      for (const given of ["short", "a".repeat(65), "with space 1234", "line=1\tx=123456", `${own},${own}`]) {
        const { id } = yield* request(file, "/team/health", { "x-request-id": given })
        assert.match(String(id), /^[0-9a-f]{32}$/, given)
        assert.include(lines().at(-1) ?? "", `request=${id}`)
      }
      const count = lines().length
      const local = yield* daemon.request("/health", { headers: { "x-request-id": own } })
      assert.match(String(local.headers["x-request-id"]), /^[0-9a-f]{32}$/)
      assert.strictEqual(lines().length, count)
    }
  )

  inHome.live("accepts only signed requests, even if the base URL is on loopback", function*({ file, start }) {
    yield* start({}, { serverBaseUrl: Option.some(new URL("http://localhost:8080")) })
    for (const host of ["localhost:8080", "127.0.0.1:7998"]) {
      assert.notStrictEqual((yield* request(file, "/connections", { host })).status, 200, host)
    }
    assert.strictEqual((yield* request(file, "/connections", { host: "localhost:8080" })).status, 401)
  })

  inHome.live(
    "is accessible to this user only, or also to the given group, with any umask",
    function*({ file, start }) {
      yield* permissiveUmask
      yield* Effect.scoped(Effect.andThen(start(), Effect.sync(() => assert.strictEqual(modeOf(file), 0o600))))
      const own = process.getgid?.() ?? 0
      yield* Effect.scoped(Effect.andThen(
        start({ group: String(own) }),
        Effect.sync(() => {
          assert.strictEqual(modeOf(file), 0o660)
          assert.strictEqual(fs.statSync(file).gid, own)
        })
      ))
    }
  )

  inHome.live.skipIf(!canBeOthers)("refuses other users, except those of the group", function*({ file, start }) {
    const asMember = (gid: number) => runAsOther(curl("--unix-socket", file, "http://creds.example/team/health"), gid)
    yield* Effect.scoped(Effect.gen(function*() {
      yield* start()
      assert.deepInclude(yield* asMember(group), { code: 7, stdout: "" })
    }))
    yield* start({ group: String(group) })
    assert.include((yield* asMember(group)).stdout, "\"status\":\"ok\"")
    assert.deepInclude(yield* asMember(group - 1), { code: 7, stdout: "" })
  })

  inHome.live("replaces a socket that a killed daemon has left, and nothing else", function*({ file, home, start }) {
    const left = builtins.childProcess.spawnSync(process.execPath, [
      "-e",
      `require("node:net").createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, "SIGKILL"))`
    ])
    assert.strictEqual(left.signal, "SIGKILL")
    assert.isTrue(fs.existsSync(file))
    yield* Effect.scoped(Effect.gen(function*() {
      yield* start()
      assert.strictEqual((yield* request(file, "/health")).status, 200)
      const second = startTestDaemon({ settings, front: { path: file, group: undefined } })
      assert.include(yield* failure(second), "another program listens on")
      assert.strictEqual((yield* request(file, "/health")).status, 200)
    }))
    fs.writeFileSync(file, "text")
    assert.include(yield* failure(start()), "exists and is not a socket")
    assert.strictEqual(fs.readFileSync(file, "utf8"), "text")
    assert.isFalse(fs.existsSync(`${home}/server/daemon.json`))
  })

  inHome.live("reports which flag or variable is invalid", function*({ directory, home, start }) {
    assert.include(yield* failure(start({ path: "front.sock" })), "the path of --front-socket must be absolute")
    assert.include(
      yield* failure(start({ path: `${directory}/none/front.sock` })),
      "--front-socket cannot be used (ENOENT)"
    )
    assert.include(yield* failure(start({ group: "no-such-group" })), "\"no-such-group\" of --front-group")
    const inner = `${directory}/inner`
    fs.mkdirSync(inner)
    for (const mode of [0o777, 0o1777]) {
      fs.chmodSync(directory, mode)
      assert.include(yield* failure(start()), "of --front-socket can be changed by other users")
    }
    fs.chmodSync(directory, 0o777)
    assert.include(yield* failure(start({ path: `${inner}/front.sock` })), "can be changed by other users")
    const front = { path: `${home}/front.sock`, group: undefined }
    assert.include(
      yield* failure(startTestDaemon({ home, front })),
      "CREDSVC_SERVER_BASE_URL, the URL of the server"
    )
  })
})
