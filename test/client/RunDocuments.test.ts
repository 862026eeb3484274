import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { readNotice, readRun, registrationText } from "../../src/client/RunDocuments.ts"
import { Run, RunNotice, RunRegistration } from "../../src/domain/wire/Run.ts"
import * as fc from "../support/FastCheck.ts"

const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") })
  .map((date) => date.toISOString())
const provider = fc.constantFrom("openai", "a.b-c")
const rules = fc.array(fc.constantFrom("GET api.openai.com", "DELETE *.example.com/v1/**"), { maxLength: 2 })
const ruleSets = fc.array(
  fc.record({ allow: rules, deny: rules, readonly: fc.boolean(), policy: fc.constantFrom("reading", "strict") }, {
    noNullPrototype: true,
    requiredKeys: ["allow", "deny", "readonly"]
  }),
  { maxLength: 2 }
)
const limits = {
  providers: fc.option(fc.array(provider, { maxLength: 2 })),
  connections: fc.dictionary(provider, fc.constantFrom("default", "me@work"), { noNullPrototype: true }),
  unmatched: fc.constantFrom("allow", "deny"),
  contained: fc.boolean(),
  rules: ruleSets,
  max_uses: fc.option(fc.integer({ min: 1, max: 1000 })),
  expires_at: fc.option(time),
  strict: fc.boolean(),
  ask: fc.boolean()
}

const response = fc.record({
  name: fc.constantFrom("0123456789", "abcdefabcd"),
  pid: fc.integer({ min: 1 }),
  started_at: time,
  profile: fc.constantFrom("quiet-heron-4821"),
  ...limits,
  uses: fc.constant([]),
  stopped_at: fc.constant(null),
  outer_rules: ruleSets,
  frozen_at: fc.option(time)
}, {
  noNullPrototype: true,
  requiredKeys: [
    "name",
    "pid",
    "started_at",
    "profile",
    "providers",
    "connections",
    "unmatched",
    "contained",
    "rules",
    "max_uses",
    "expires_at",
    "uses",
    "stopped_at"
  ]
})

const registration = fc.record({
  ...limits,
  pid: fc.integer({ min: 1 }),
  policies: fc.array(fc.constantFrom("reading", "strict"), { maxLength: 2 }),
  used: fc.nat(),
  inside: fc.string({ maxLength: 64 })
}, { noNullPrototype: true, requiredKeys: ["providers", "connections", "unmatched", "contained", "pid"] })

describe("RunDocuments", () => {
  it("encodes a registration exactly as its schema does", () => {
    const decode = Schema.decodeUnknownSync(RunRegistration)
    const encode = Schema.encodeSync(RunRegistration)
    fc.assert(fc.property(registration, (sent) => {
      const given = decode(sent)
      assert.deepStrictEqual(JSON.parse(registrationText(given)), encode(given))
    }))
  })

  it("decodes the limits of a run exactly as its schema does", () => {
    const decode = Schema.decodeUnknownSync(Run)
    fc.assert(fc.property(response, (sent) => {
      const expected = decode(sent)
      const read = readRun(JSON.parse(JSON.stringify(sent)))
      assert.deepStrictEqual<unknown>(
        read,
        Object.fromEntries(Object.keys(read ?? {}).map((key) => [key, expected[key as keyof Run]]))
      )
      assert.isDefined(read)
    }))
  })

  it("rejects the response of a daemon of another version", () => {
    const used = ["name", "profile", "providers", "connections", "unmatched", "rules", "max_uses", "expires_at"]
    fc.assert(
      fc.property(response, (sent) => {
        for (const key of used) {
          for (const other of [undefined, {}, [1], true, "never"]) {
            if (key === "connections" && typeof other === "object" && !Array.isArray(other)) continue
            if ((key === "name" || key === "profile") && other === "never") continue
            assert.isUndefined(readRun({ ...sent, [key]: other }), `${key}: ${JSON.stringify(other)}`)
          }
        }
      }),
      { numRuns: 10 }
    )
    for (const other of [undefined, null, 1, "run", []]) assert.isUndefined(readRun(other))
  })

  it("reads the notices that it knows, and ignores all other lines", () => {
    const decode = Schema.decodeUnknownOption(Schema.fromJsonString(RunNotice))
    const lines = [
      "{\"notice\":\"changed\"}",
      "{\"notice\":\"stopped\"}",
      "{\"notice\":\"frozen\",\"later\":1}",
      "{\"notice\":\"later\"}",
      "{}",
      "null",
      "",
      "{"
    ]
    for (const line of lines) {
      assert.strictEqual(readNotice(line), Option.getOrUndefined(decode(line))?.notice, line)
    }
  })
})
