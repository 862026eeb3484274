import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { ChainVerifier } from "../../src/audit/ChainVerifier.ts"
import { RequestLog } from "../../src/audit/RequestLog.ts"
import type { RunName } from "../../src/domain/Run.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { testsWith } from "../support/Fixture.ts"
import { foundation } from "../support/Services.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

const inHome = testsWith(temporaryDirectory)
const start = Date.parse("2026-11-01T00:00:00Z")
const OTHER_KEY = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

/** Records entries and batches, deletes the batches that ended before a time, and exports both logs. */
const exported = (home: string, { entries = 70, prune = 0 } = {}) =>
  Effect.gen(function*() {
    const audit = yield* AuditLog
    const requests = yield* RequestLog
    const profiles = yield* Profiles
    const profile = yield* profiles.active
    for (let entry = 0; entry < entries; entry++) {
      yield* audit.append({ event: "get", provider: null, connection: null, identity: profile, status: "ok" })
    }
    for (const part of [1, 2, 3]) {
      const time = start + part * 1000
      const report = {
        part,
        last: part === 3,
        missing: 0,
        entries: [[time, "GET", "api.acme.test", `/${part}`, 200, 1, 2, "acme", "work", null, null] as const]
      }
      yield* requests.record({ run: "aaaaaaaaaa" as RunName, profile, report })
    }
    if (prune > 0) yield* requests.prune(DateTime.makeUnsafe(start + prune))
    const { base, batches } = yield* requests.chain(0)
    const links = batches.map(({ content, ...batch }) => ({
      batch: Object.assign(batch, { content: Buffer.from(content).toString("base64") })
    }))
    const lines = [{ base }, ...(yield* audit.chain(0)).map((entry) => ({ entry })), ...links]
    return {
      lines: lines.map((line) => JSON.stringify(line)),
      publicKey: (yield* profiles.key(profile)).publicKey
    }
  }).pipe(Effect.provide(RequestLog.layerNoDeps.pipe(Layer.provideMerge(foundation(home)))))

const verify = (lines: ReadonlyArray<string>, ...publicKeys: ReadonlyArray<string>) => {
  const verifier = new ChainVerifier(publicKeys)
  lines.every((line) => verifier.add(line))
  return verifier.result
}

describe("ChainVerifier", () => {
  inHome.live("verifies an export with the public key alone, and tells what no signature covers yet", function*(home) {
    const { lines, publicKey } = yield* exported(home)
    const { ok, problem, requestBatches, signed, entries } = verify(lines, OTHER_KEY, publicKey)
    assert.isNull(problem)
    assert.isTrue(ok)
    assert.strictEqual(signed, 64)
    assert.isAtLeast(entries, 70)
    assert.strictEqual(requestBatches, 3)
  })

  inHome.live("verifies an export after old batches were deleted", function*(home) {
    const { lines, publicKey } = yield* exported(home, { entries: 1, prune: 1500 })
    assert.deepInclude(verify(lines, publicKey), { ok: true, requestBatches: 2 })
    const all = yield* exported(home, { entries: 0, prune: 10_000 })
    assert.deepInclude(verify(all.lines, publicKey), { ok: true, requestBatches: 0 })
  })

  inHome.live("rejects a key that has not signed", function*(home) {
    const { lines } = yield* exported(home, { entries: 1 })
    assert.match(verify(lines, OTHER_KEY).problem!, /batch 1 of the request log was altered, or signed by an identity/)
  })

  inHome.live("rejects a log without a single signature, which anybody could have written", function*(home) {
    const { lines, publicKey } = yield* exported(home, { entries: 3 })
    const unsigned = lines.filter((line) => !line.startsWith("{\"batch\""))
    assert.match(verify(unsigned, publicKey).problem!, /^No signature covers this log yet/)
    assert.isTrue(verify(lines, publicKey).ok)
  })

  inHome.live("rejects an export without any one of its lines, and with any two of them exchanged", function*(home) {
    const { lines, publicKey } = yield* exported(home, { entries: 64, prune: 1500 })
    const last = lines.findLastIndex((line) => line.startsWith("{\"entry\""))
    for (const at of lines.keys()) {
      // A log that ends earlier is valid.
      if (at !== lines.length - 1 && at !== last) {
        assert.isFalse(verify(lines.toSpliced(at, 1), publicKey).ok, `without line ${at + 1}`)
      }
      if (at > 0 && at !== last + 1) {
        const exchanged = lines.with(at, lines[at - 1]!).with(at - 1, lines[at]!)
        assert.isFalse(verify(exchanged, publicKey).ok, `line ${at + 1} before line ${at}`)
      }
    }
  })

  inHome.live("rejects an export with a change of any signed value, and names its line", function*(home) {
    const { lines, publicKey } = yield* exported(home, { entries: 64, prune: 1500 })
    const [first, ...rest] = lines
    const covered = rest.filter((line) => !line.startsWith("{\"entry\"") || JSON.parse(line).entry.seq <= 64)
    for (const [index, line] of [first!, ...covered].entries()) {
      const [[kind, link]] = Object.entries<Record<string, unknown>>(JSON.parse(line)) as [
        [string, Record<string, unknown>]
      ]
      for (const [name, value] of Object.entries(link)) {
        const changed = typeof value === "number" ? value + 1 : value === null ? "x" : `${String(value).slice(0, -2)}zz`
        const forged = lines.with(lines.indexOf(line), JSON.stringify({ [kind]: { ...link, [name]: changed } }))
        const { ok, problem } = verify(forged, publicKey)
        assert.isFalse(ok, `${name} in line ${index + 1}`)
        assert.match(problem!, /^Line \d+: /)
      }
    }
  })

  inHome.live("rejects a beginning without a signature, an empty file, and other files", function*(home) {
    const { lines, publicKey } = yield* exported(home, { entries: 1, prune: 1500 })
    const unsigned = JSON.stringify({ base: { ...JSON.parse(lines[0]!).base, signature: null } })
    assert.match(verify(lines.with(0, unsigned), publicKey).problem!, /deleted by an earlier version of credsvc/)
    assert.match(verify([], publicKey).problem!, /The file is empty/)
    assert.match(verify(["{\"seq\":1}"], publicKey).problem!, /Line 1: not a line of credsvc log --export-chain/)
    assert.match(verify(lines.slice(1), publicKey).problem!, /the first line of the export is missing/)
  })
})
