/** Notices about questions and logins, at receivers that a test has scripted. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { API_HOST, setUp, signIn } from "../hostile/support.ts"
import { testsWith } from "../support/Fixture.ts"
import { paths } from "../support/HostileAuthorizationServer.ts"
import { register } from "../support/RegisteredRun.ts"
import { openScriptedSite } from "../support/ScriptedSite.ts"
import { scoped } from "../support/TestSites.ts"
import { eventually } from "../support/Until.ts"

const secret = "canary-secret-of-the-webhook"
const origin = "https://hooks.example.test"
const runId = "first-run-0123456789"
const question = {
  id: "0123abcd",
  method: "DELETE",
  host: "api.openai.com",
  path: "/v1/files/canary-path",
  rules: [],
  policies: []
}

const fixture = Effect.gen(function*() {
  const receiver = yield* scoped(() =>
    openScriptedSite(["hooks.example.test"], { "/hook": { status: 204 }, "/topic": { body: {} } })
  )
  const { harness, pass, server } = yield* setUp(undefined, {}, [receiver])
  const { daemon, home } = harness
  const at = (name: string) => path.join(home, name)
  fs.writeFileSync(at("webhook-secret"), `whsec_${btoa(secret)}\n`, { mode: 0o600 })
  fs.writeFileSync(at("note.sh"), `#!/bin/sh\nprintf '%s\\n' "$@" > "${at("noted")}"\n`, { mode: 0o755 })
  const { profile } = (yield* daemon.request("/whoami")).json
  /** Sets the targets of a profile. */
  const notify = (targets: object, of: string = profile) => {
    const config = JSON.parse(fs.readFileSync(at("config.json"), "utf8"))
    fs.writeFileSync(at("config.json"), JSON.stringify({ ...config, notices: { [of]: targets } }), { mode: 0o600 })
  }
  const webhook = { url: `${origin}/hook`, secret_file: at("webhook-secret") }
  const ask = (changes: object = {}) =>
    Effect.forkScoped(
      daemon.post("/runs/questions", { ...question, ...changes }, { "credsvc-run": runId })
    )
  return { ask, at, daemon, harness, notify, pass, profile, receiver, server, webhook }
})

const { live } = testsWith(fixture, () => PeerOwner.layer)

const arrived = (receiver: Effect.Success<typeof fixture>["receiver"], path: string, count: number) =>
  Effect.promise(() => receiver.arrival(path, count))

describe("Notices", () => {
  live("of a question reach every target, once a minute, without details of the request", function*(setup) {
    const { ask, at, daemon, notify, profile, receiver, webhook } = setup
    notify({ webhook, ntfy: `${origin}/topic`, command: [at("note.sh"), "first"] })
    receiver.answer("/hook", { status: 503 }, { status: 204 })
    yield* register(daemon, runId, { ask: true })
    yield* ask()
    yield* ask({ id: "1123abcd", path: "/v1/files/2" })
    yield* arrived(receiver, "/hook", 2)
    yield* arrived(receiver, "/topic", 1)
    const [refused, { body, headers }] = receiver.at("/hook") as [any, any]
    assert.strictEqual(refused.body, body)
    const url = `http://127.0.0.1:${daemon.port}/ui/approvals`
    const { at: _, subject, text, ...rest } = JSON.parse(body)
    assert.deepStrictEqual(rest, { kind: "question", profile, url })
    assert.strictEqual(text, `A request of the run ${subject} waits for an answer.`)
    const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
    const signature = crypto.createHmac("sha256", secret).update(content).digest("base64")
    assert.strictEqual(headers["webhook-signature"], `v1,${signature}`)
    assert.deepInclude(receiver.at("/topic")[0]!.headers, { title: "credsvc: question", click: url })
    assert.strictEqual(receiver.at("/topic")[0]!.body, text)
    yield* eventually(Effect.sync(() => fs.existsSync(at("noted")) && fs.readFileSync(at("noted"), "utf8")), Boolean)
    assert.strictEqual(fs.readFileSync(at("noted"), "utf8"), `first\ncredsvc: question\n${text}\n${url}\n`)
    assert.strictEqual(receiver.at("/topic").length, 1)
    assert.notInclude(JSON.stringify(receiver.received), "canary")
  })

  live("of a login that the provider has ended lead to the connections", function*(setup) {
    const { harness, notify, pass, receiver, server, webhook } = setup
    notify({ webhook })
    yield* signIn({ harness, server })
    server.answer(paths.token, { status: 400, body: { error: "invalid_grant" } })
    yield* pass("2 hours")
    assert.notStrictEqual((yield* harness.resolve(API_HOST)).status, 200)
    yield* arrived(receiver, "/hook", 1)
    const { kind, text, url } = JSON.parse(receiver.at("/hook")[0]!.body)
    assert.strictEqual(kind, "login")
    assert.strictEqual(text, "The connection \"default\" for hostile needs another login.")
    assert.match(url, /\/ui\/connections$/)
    assert.notInclude(JSON.stringify(receiver.received), "canary")
  })

  live(
    "are not sent without settings, not sent again to a receiver that refuses them, and not redirected",
    function*(setup) {
      const { ask, at, daemon, notify, receiver, webhook } = setup
      yield* register(daemon, runId, { ask: true })
      notify({ webhook }, "another")
      yield* ask()
      yield* eventually(daemon.request("/runs/questions"), ({ json }) => json.questions.length === 1)
      notify({ webhook, ntfy: `${origin}/topic` })
      fs.writeFileSync(at("webhook-secret"), `whsec_${btoa(secret)}`)
      receiver.answer("/hook", { status: 403 })
      receiver.answer("/topic", { status: 302, headers: { location: `${origin}/elsewhere` } })
      yield* ask({ id: "1123abcd" })
      const log = Effect.sync(() =>
        fs.readFileSync(at("server/logs/daemon.log"), "utf8").match(/notice-failed/g)?.length
      )
      yield* eventually(log, (count) => count === 2)
      assert.deepStrictEqual(receiver.received.map(({ path }) => path).toSorted(), ["/hook", "/topic"])
    }
  )

  live("that cannot be sent are reported, and invalid settings are refused", function*(setup) {
    const { daemon, notify, webhook } = setup
    const reported = (path = "/ready") => Effect.map(daemon.request(path), ({ body }) => body)
    assert.notInclude(yield* reported(), "notices")
    notify({ webhook }, "unknown")
    assert.include(yield* reported(), "notices for the profile unknown, which does not exist")
    notify({ command: ["/nonexistent/program"] })
    assert.include(yield* reported(), "sends notices with /nonexistent/program, which is not an executable program")
    notify({ desktop: true })
    if (!fs.existsSync("/usr/bin/notify-send")) assert.include(yield* reported(), "notices with /usr/bin/notify-send")
    for (
      const targets of [
        {},
        { desktop: false },
        { command: [] },
        { command: ["relative"] },
        { ntfy: "http://ntfy.example/topic" },
        { webhook: { url: "https://hooks.example.test/hook" } },
        { webhook: { ...webhook, secret_file: "relative" } },
        { email: "a@example.com" }
      ]
    ) {
      notify(targets)
      const refused = yield* daemon.post("/auth/sessions", { provider: "hostile" })
      assert.include(refused.body, "/notices", JSON.stringify(targets))
    }
  })
})
