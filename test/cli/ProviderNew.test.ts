/** Tests `credsvc provider new` with the built program, on a terminal. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { onTerminal } from "../support/Terminal.ts"
import { useWorkplace } from "../support/Transcript.ts"

const workplace = useWorkplace({ daemon: false })

describe("credsvc provider new", () => {
  it("repeats a question after an invalid answer, and writes a definition that passes its test", async () => {
    const terminal = onTerminal(workplace, "credsvc provider new acme")
    const answers: ReadonlyArray<readonly [question: RegExp, answer: string]> = [
      [/URL of the API: $/, "http://api.acme.test"],
      [/must be an https address[^]*URL of the API: /, "https://api.acme.test/v1"],
      [/Method \[bearer\]: /, "header"],
      [/Header \[Authorization\]: /, "X-Acme-Key"],
      [/Prefix before the key[^\n]*: /, ""],
      [/Display name \[acme\]: /, "Acme"],
      [/Page to create the API key[^\n]*: /, ""],
      [/Environment variable \[ACME_API_KEY\]: /, ""]
    ]
    for (const [question, answer] of answers) {
      await terminal.until(question)
      terminal.type(`${answer}\r`)
    }
    const { exitCode, shown } = await terminal.ended
    assert.strictEqual(exitCode, 0, shown)
    const file = path.join(workplace.directory, "acme.json")
    assert.deepStrictEqual(JSON.parse(fs.readFileSync(file, "utf8")), {
      schema_version: 1,
      name: "acme",
      display_name: "Acme",
      auth_type: "api_key",
      flow: "api_key",
      api_url: "https://api.acme.test/v1",
      api_key: { header_name: "X-Acme-Key", header_prefix: "" },
      export: { env: { api_key: "ACME_API_KEY" } }
    })
    const test = await workplace.sh("credsvc provider test acme.json")
    assert.strictEqual(test.exitCode, 0, test.stderr)
  })

  it("writes nothing when it is cancelled", async () => {
    const terminal = onTerminal(workplace, "credsvc provider new beta")
    await terminal.reply(/URL of the API: $/, "\u0003")
    assert.strictEqual((await terminal.ended).exitCode, 2)
    assert.isFalse(fs.existsSync(path.join(workplace.directory, "beta.json")))
  })
})
