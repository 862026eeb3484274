import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as childProcess from "node:child_process"
import * as util from "node:util"
import { exportCredential } from "../../../src/connections/use/CredentialExport.ts"
import { readDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import type { ExportFormat } from "../../../src/domain/wire/ConnectionResults.ts"
import { seeded } from "../../support/Seed.ts"

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

/** Prints the variable in a real shell after evaluating the text. */
const evaluated = (text: string): string =>
  childProcess.execFileSync("sh", ["-c", "eval \"$1\"; printf %s \"$ACME_KEY\"", "sh", text], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] }
  })

// Text without NUL and line breaks, with many characters that are special in shells and .env files.
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
  it("writes one line for a single key in each format", () => {
    assert.deepStrictEqual(outputOf("sk-abc_123", "env"), Result.succeed("ACME_KEY=sk-abc_123\n"))
    assert.deepStrictEqual(outputOf("sk-abc_123", "shell"), Result.succeed("export ACME_KEY='sk-abc_123'\n"))
    assert.deepStrictEqual(outputOf("sk-abc_123", "json"), Result.succeed("{\n  \"ACME_KEY\": \"sk-abc_123\"\n}\n"))
  })

  it("exports each field of a multi-field key under its first variable name", () => {
    const values = { account_id: Redacted.make("acc 7"), api_key: Redacted.make("k") }
    const exported = Result.getOrThrow(exportCredential(twoFields, values, "env"))
    assert.strictEqual(Redacted.value(exported.output), "ACME_ACCOUNT='acc 7'\nACME_TOKEN=k\n")
    assert.deepStrictEqual(Object.keys(exported.variables), ["ACME_ACCOUNT", "ACME_TOKEN"])
  })

  it("exports no value that has no variable in the definition, such as a refresh token", () => {
    const values = { api_key: Redacted.make("k"), refresh_token: Redacted.make("CANARY") }
    for (const format of ["env", "shell", "json"] as const) {
      const exported = Result.getOrThrow(exportCredential(acme, values, format))
      assert.notInclude(Redacted.value(exported.output), "CANARY")
      assert.deepStrictEqual(Object.keys(exported.variables), ["ACME_KEY"])
    }
  })

  it("rejects NUL, CR and LF in every format without repeating the value", () => {
    for (const format of ["env", "shell", "json"] as const) {
      for (const character of ["\u0000", "\r", "\n"]) {
        const refused = outputOf(`CANARY${character}x`, format)
        assert.isTrue(Result.isFailure(refused))
        if (Result.isFailure(refused)) assert.notInclude(refused.failure, "CANARY")
      }
    }
  })

  it("quotes a key so that a shell runs no command in it", () => {
    const key = "'; echo CAUGHT; rm -rf / #"
    const text = Result.getOrThrow(outputOf(key, "shell"))
    assert.strictEqual(evaluated(text), key)
    assert.deepStrictEqual(outputOf("C:\\a\\.env", "shell"), Result.succeed("export ACME_KEY='C:\\a\\.env'\n"))
    // Within quotes, fish reads a backslash and a quote as a quote.
    assert.deepStrictEqual(outputOf("\\'", "shell"), Result.succeed(String.raw`export ACME_KEY=''\\''\'''` + "\n"))
  })

  it.prop("preserves any value through a real shell", [awkward], ([parts]) => {
    const value = parts.join("")
    assert.strictEqual(evaluated(Result.getOrThrow(outputOf(value, "shell"))), value)
  }, seeded)

  it.prop("preserves any value through Node's .env parser, or rejects it", [awkward], ([parts]) => {
    const value = parts.join("")
    const text = outputOf(value, "env")
    if (Result.isFailure(text)) assert.match(value, /'.*`|`.*'/)
    else assert.strictEqual(util.parseEnv(text.success)["ACME_KEY"], value)
  }, seeded)

  it.prop("preserves any value through a JSON parser", [awkward], ([parts]) => {
    const value = parts.join("")
    assert.deepStrictEqual(JSON.parse(Result.getOrThrow(outputOf(value, "json"))), { ACME_KEY: value })
  }, seeded)

  it("redacts variables and output, so that logs do not contain them", () => {
    const exported = exportCredential(acme, { api_key: Redacted.make("CANARY") }, "env")
    assert.notInclude(util.inspect(exported, { depth: 9 }) + JSON.stringify(exported), "CANARY")
  })
})
