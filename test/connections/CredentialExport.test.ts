import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as childProcess from "node:child_process"
import * as util from "node:util"
import { exportCredential, type ExportFormat } from "../../src/connections/CredentialExport.ts"
import { readDefinition } from "../../src/domain/ProviderDocument.ts"
import { seeded } from "../support/Seed.ts"

const definitionOf = (document: object) => Result.getOrThrow(readDefinition(document))

const acme = definitionOf({
  schema_version: 1,
  name: "acme",
  auth_type: "api_key",
  flow: "api_key",
  api_url: "https://api.acme.example",
  api_key: { env_var: "ACME_KEY" }
})

const twoFields = definitionOf({
  schema_version: 1,
  name: "acme",
  auth_type: "api_key",
  flow: "api_key",
  api_url: "https://api.acme.example",
  api_key: {
    fields: [{ name: "account_id", label: "Account", secret: false }, { name: "api_key", label: "Key", secret: true }],
    basic: { username: "{account_id}", password: "{api_key}" }
  },
  export: { env: { account_id: "ACME_ACCOUNT", api_key: ["ACME_TOKEN", "ACME_OLD_TOKEN"] } }
})

const outputOf = (value: string, format: ExportFormat) =>
  Result.map(exportCredential(acme, { api_key: Redacted.make(value) }, format), ({ output }) => Redacted.value(output))

/** What a real shell prints for the variable after evaluating the text. */
const evaluated = (text: string): string =>
  childProcess.execFileSync("sh", ["-c", "eval \"$1\"; printf %s \"$ACME_KEY\"", "sh", text], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] }
  })

// Text without NUL and line breaks, rich in what shells and .env readers find special.
const awkward = Schema.Array(
  Schema.Literals([
    ..."'\"\\$`!#;&|<>(){}[]*?~= \t%^@-+,.:/_aZ09äß€😀",
    "$(id)",
    "${HOME}",
    "\\n",
    "'\\''",
    "; exit 3 #"
  ])
).check(Schema.isMinLength(1), Schema.isMaxLength(40))

describe("CredentialExport", () => {
  it("writes one line for a plain key in each form", () => {
    assert.deepStrictEqual(outputOf("sk-abc_123", "env"), Result.succeed("ACME_KEY=sk-abc_123\n"))
    assert.deepStrictEqual(outputOf("sk-abc_123", "shell"), Result.succeed("export ACME_KEY='sk-abc_123'\n"))
    assert.deepStrictEqual(outputOf("sk-abc_123", "json"), Result.succeed("{\n  \"ACME_KEY\": \"sk-abc_123\"\n}\n"))
  })

  it("gives each field of a several-part key its own variable, under its first name", () => {
    const values = { account_id: Redacted.make("acc 7"), api_key: Redacted.make("k") }
    const exported = Result.getOrThrow(exportCredential(twoFields, values, "env"))
    assert.strictEqual(Redacted.value(exported.output), "ACME_ACCOUNT='acc 7'\nACME_TOKEN=k\n")
    assert.deepStrictEqual(Object.keys(exported.variables), ["ACME_ACCOUNT", "ACME_TOKEN"])
  })

  it("exports nothing that the definition has no variable for, such as a refresh token", () => {
    const values = { api_key: Redacted.make("k"), refresh_token: Redacted.make("CANARY") }
    for (const format of ["env", "shell", "json"] as const) {
      const exported = Result.getOrThrow(exportCredential(acme, values, format))
      assert.notInclude(Redacted.value(exported.output), "CANARY")
      assert.deepStrictEqual(Object.keys(exported.variables), ["ACME_KEY"])
    }
  })

  it("refuses NUL, CR and LF in every form, without repeating the value", () => {
    for (const format of ["env", "shell", "json"] as const) {
      for (const character of ["\u0000", "\r", "\n"]) {
        const refused = outputOf(`CANARY${character}x`, format)
        assert.isTrue(Result.isFailure(refused))
        if (Result.isFailure(refused)) assert.notInclude(refused.failure, "CANARY")
      }
    }
  })

  it("cannot be made to run a command by a key", () => {
    const key = "'; echo CAUGHT; rm -rf / #"
    const text = Result.getOrThrow(outputOf(key, "shell"))
    assert.strictEqual(evaluated(text), key)
  })

  it.prop("gives any value back through a real shell", [awkward], ([parts]) => {
    const value = parts.join("")
    assert.strictEqual(evaluated(Result.getOrThrow(outputOf(value, "shell"))), value)
  }, seeded)

  it.prop("gives any value back through Node's reader of .env files, or refuses it", [awkward], ([parts]) => {
    const value = parts.join("")
    const text = outputOf(value, "env")
    if (Result.isFailure(text)) assert.match(value, /'.*`|`.*'/)
    else assert.strictEqual(util.parseEnv(text.success)["ACME_KEY"], value)
  }, seeded)

  it.prop("gives any value back through a JSON reader", [awkward], ([parts]) => {
    const value = parts.join("")
    assert.deepStrictEqual(JSON.parse(Result.getOrThrow(outputOf(value, "json"))), { ACME_KEY: value })
  }, seeded)

  it("keeps the text out of logs: variables and output are redacted", () => {
    const exported = exportCredential(acme, { api_key: Redacted.make("CANARY") }, "env")
    assert.notInclude(util.inspect(exported, { depth: 9 }) + JSON.stringify(exported), "CANARY")
  })
})
