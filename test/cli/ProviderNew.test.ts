/** Tests `credsvc provider new` with the built program, on a terminal. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { onTerminal } from "../support/Terminal.ts"
import { useWorkplace } from "../support/Transcript.ts"

const workplace = useWorkplace({ daemon: false })

type Dialogue = ReadonlyArray<readonly [question: RegExp, answer: string]>

/** Answers the questions about an API with this method, and returns the definition in the file. */
const create = async (method: string, questions: Dialogue, variable: string) => {
  const terminal = onTerminal(workplace, `credsvc provider new acme-${method}`)
  const dialogue: Dialogue = [
    [/URL of the API: $/, "http://api.acme.test"],
    [/must be an https address[^]*URL of the API: /, "https://api.acme.test/v1"],
    [/Method \[bearer\]: /, method],
    ...questions,
    [/Display name \[acme-\w+\]: /, "Acme"],
    [/Page to create the API key[^\n]*: /, ""],
    [new RegExp(`Environment variable \\[${variable}\\]: `), ""]
  ]
  for (const [question, answer] of dialogue) {
    await terminal.until(question)
    terminal.type(`${answer}\r`)
  }
  const { exitCode, shown } = await terminal.ended
  assert.strictEqual(exitCode, 0, shown)
  return JSON.parse(fs.readFileSync(path.join(workplace.directory, `acme-${method}.json`), "utf8"))
}

const token: Dialogue = [[/Token endpoint: /, "https://acme.test/token"], [/Scopes[^\n]*: /, " read  write"]]

/** The answers for each method, and the section of the definition. */
const sections: ReadonlyArray<readonly [method: string, questions: Dialogue, section: object]> = [
  ["header", [[/Header \[Authorization\]: /, "X-Acme-Key"], [/Prefix before the key[^\n]*: /, ""]], {
    api_key: { header_name: "X-Acme-Key", header_prefix: "" }
  }],
  ["query", [[/Query parameter: /, "key"]], { api_key: { query_param: "key" } }],
  ["path", [[/Beginning of the path[^\n]*: /, "/bot{api_key}"]], { api_key: { path_templates: ["/bot{api_key}"] } }],
  ["oauth", [[/Authorization endpoint: /, "https://acme.test/authorize"], ...token], {
    oauth: {
      authorization_url: "https://acme.test/authorize",
      token_url: "https://acme.test/token",
      scopes: ["read", "write"]
    }
  }],
  ["client", token, {
    oauth: { token_url: "https://acme.test/token", client_credentials: { scopes: ["read", "write"] } }
  }]
]

describe("credsvc provider new", () => {
  for (const [method, questions, section] of sections) {
    it(`repeats a question after an invalid answer, and writes a definition with the method ${method}`, async () => {
      const isKey = "api_key" in section
      const field = isKey ? "api_key" : "access_token"
      const variable = `ACME_${method.toUpperCase()}_${field.toUpperCase()}`
      assert.deepStrictEqual(await create(method, questions, variable), {
        schema_version: 1,
        name: `acme-${method}`,
        display_name: "Acme",
        auth_type: isKey ? "api_key" : "oauth2",
        flow: isKey ? "api_key" : method === "oauth" ? "pkce" : "client_credentials",
        api_url: "https://api.acme.test/v1",
        ...section,
        export: { env: { [field]: variable } }
      })
    })
  }

  it("writes a definition that passes its test", async () => {
    await create("basic", [], "ACME_BASIC_API_KEY")
    const test = await workplace.sh("credsvc provider test acme-basic.json")
    assert.strictEqual(test.exitCode, 0, test.stderr)
  })

  it("writes nothing when it is cancelled", async () => {
    const terminal = onTerminal(workplace, "credsvc provider new beta")
    await terminal.reply(/URL of the API: $/, "\u0003")
    assert.strictEqual((await terminal.ended).exitCode, 2)
    assert.isFalse(fs.existsSync(path.join(workplace.directory, "beta.json")))
  })
})
