import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runNameOf } from "../../src/config/RunMark.ts"
import { type Changes, first, register, runsOf, second, third, withDaemon } from "../support/RegisteredRun.ts"
import { key, resolveIn as resolve } from "../support/ResolveQueries.ts"

const readonlyRules = { allow: [], deny: [], readonly: true }
const onlyAcme = { allow: ["GET api.acme.example/v1/**"], deny: [], readonly: false }

describe("NewRunLimits", () => {
  withDaemon.live("keeps the rules that a policy had when the run was registered", function*(daemon) {
    const rules = { allow: ["GET api.openai.com"], deny: [], readonly: false }
    yield* daemon.post("/policies/triage", rules)
    const { json, status } = yield* register(daemon, first, { policies: ["triage"], rules: [] })
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(json.rules, [{ ...rules, policy: "triage" }])
    yield* daemon.post("/policies/triage", { ...rules, allow: ["api.openai.com"] })
    assert.deepStrictEqual((yield* runsOf(daemon)).runs[0].rules, json.rules)
    yield* daemon.request("/policies/triage", { method: "DELETE" })
    const again = yield* register(daemon, second, { policies: ["triage"] })
    assert.deepInclude(again.json, { detail: "Unknown policy \"triage\". List the policies with: credsvc policy list" })
    const many = Array.from({ length: 32 }, (_, at) => ({ ...rules, allow: [`GET api.openai.com/${at}`] }))
    yield* daemon.post("/policies/triage", rules)
    const excessive = yield* register(daemon, second, { policies: ["triage"], rules: many })
    assert.strictEqual(excessive.status, 400)
  })

  withDaemon.live("adds the rules of the outer run to those of a run inside it", function*(daemon) {
    const outer = yield* register(daemon, first, {
      rules: [readonlyRules],
      max_uses: 5,
      expires_at: "2099-01-01T00:00:00Z"
    })
    assert.deepStrictEqual(outer.json.rules, [readonlyRules])
    const inside = { inside: runNameOf(first) }
    const { json } = yield* register(daemon, second, { ...inside, rules: [onlyAcme], max_uses: 9 })
    assert.deepStrictEqual(json.rules, [onlyAcme, readonlyRules])
    assert.deepInclude(json, { max_uses: 5, expires_at: "2099-01-01T00:00:00.000Z" })
  })

  withDaemon.live("rejects invalid rules and unknown limits", function*(daemon) {
    for (const rules of [[{ ...onlyAcme, allow: ["GET /"] }], Array.from({ length: 33 }, () => readonlyRules), [{}]]) {
      assert.strictEqual((yield* register(daemon, first, { rules })).status, 400)
    }
    assert.strictEqual((yield* register(daemon, first, { max_uses: 0 })).status, 400)
  })

  withDaemon.live(
    "limits a run inside two other runs by both, even if its caller names only one of them",
    function*(daemon) {
      yield* register(daemon, first, { max_uses: 1 })
      yield* register(daemon, second, { inside: runNameOf(first) })
      yield* register(daemon, third, { inside: runNameOf(second) })
      assert.strictEqual(yield* resolve(daemon, third), `Bearer ${key}`)
      assert.strictEqual(
        yield* resolve(daemon, first),
        "403 This run has used credentials for 1 request, which is its limit (--max-uses)."
      )
    }
  )

  withDaemon.live("resolves credentials within the limits of the run only", function*(daemon) {
    const { profile } = (yield* daemon.request("/whoami")).json
    const other = (yield* daemon.post("/profiles", {})).json.handle
    yield* register(daemon, first, { providers: ["openai"], connections: { openai: "default" } })
    assert.strictEqual(yield* resolve(daemon, first), `Bearer ${key}`)
    assert.strictEqual(
      yield* resolve(daemon, first, {}, { "credsvc-profile": other }),
      `403 This run is limited to the profile ${profile}.`
    )
    yield* register(daemon, second, { providers: ["github-token"] })
    const excluded = "403 This run is limited to github-token and does not include openai."
    assert.strictEqual(yield* resolve(daemon, second), excluded)
    assert.strictEqual(yield* resolve(daemon, second, { provider: undefined }), excluded)
    yield* register(daemon, third, { connections: { openai: "work" } })
    assert.strictEqual(
      yield* resolve(daemon, third),
      "403 This run is limited to openai=work and does not include openai=default."
    )
  })

  withDaemon.live("narrows a run inside another run, and refuses limits wider than the outer run's", function*(daemon) {
    const { profile } = (yield* daemon.request("/whoami")).json
    const other = (yield* daemon.post("/profiles", {})).json.handle
    const outer = { providers: ["openai", "github-token"], connections: { openai: "default" }, unmatched: "deny" }
    yield* register(daemon, first, outer, { "credsvc-profile": other })
    const inside = runNameOf(first)
    const inner = yield* register(daemon, second, { inside, providers: ["openai"] })
    assert.deepInclude(inner.json, { ...outer, profile: other, providers: ["openai"] })
    const exceeding: ReadonlyArray<readonly [Changes, string]> = [
      [
        { providers: ["slack"] },
        "/providers: the outer run is limited to openai, github-token and does not include slack"
      ],
      [
        { connections: { openai: "work" } },
        "/connections: the outer run is limited to openai=default and does not include openai=work"
      ]
    ]
    for (const [changes, detail] of exceeding) {
      const { json, status } = yield* register(daemon, "other-run-0123456789", { inside, ...changes })
      assert.deepStrictEqual([status, json.detail], [400, detail])
    }
    const elsewhere = yield* register(daemon, second, { inside }, { "credsvc-profile": profile })
    assert.deepStrictEqual([elsewhere.status, elsewhere.json.error], [403, "OperationNotAllowedError"])
    assert.lengthOf((yield* runsOf(daemon)).runs, 2)
  })

  withDaemon.live("resolves a connection for contained runs only if all outer runs are contained", function*(daemon) {
    yield* daemon.request("/connections/openai/default/contained-only", { method: "POST" })
    const refused = "403 The connection \"default\" for openai is for contained runs only, so it is not used here. " +
      "Use it with: credsvc run --contain -- <command>"
    yield* register(daemon, first)
    assert.strictEqual(yield* resolve(daemon, first), refused)
    yield* register(daemon, second, { inside: runNameOf(first), contained: true })
    assert.strictEqual(yield* resolve(daemon, second), refused)
    yield* register(daemon, third, { contained: true })
    assert.strictEqual(yield* resolve(daemon, third), `Bearer ${key}`)
    assert.strictEqual(yield* resolve(daemon, "no-such-run-0123456789"), refused)
  })

  withDaemon.live("refuses a run inside an unknown run, unless the unknown run registers soon", function*(daemon) {
    const inside = runNameOf(first)
    const [, inner] = yield* Effect.all([
      Effect.andThen(Effect.sleep(300), register(daemon, first)),
      register(daemon, second, { inside })
    ], { concurrency: 2 })
    assert.strictEqual(inner.status, 200)
    const lost = yield* register(daemon, "other-run-0123456789", { inside: "0123456789" })
    assert.strictEqual(lost.status, 403)
    assert.include(lost.json.detail, "inside a run that the daemon does not know")
  })
})
