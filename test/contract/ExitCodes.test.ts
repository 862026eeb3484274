import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { errorRows } from "../../scripts/generate/errors.ts"

/** The published table: name, HTTP status, exit code. Changing it breaks scripts of users. */
const table = `
  InvalidRequestError            400 2
  AuthenticationFailedError      401 2
  InputCancelledError            409 2
  ConnectionNotFoundError        404 3
  ProviderNotFoundError          404 4
  OperationNotAllowedError       403 4
  CredentialMissingError         404 5
  TokenExpiredError              401 5
  RefreshFailedError             502 5
  ConnectionAlreadyExistsError   409 6
  ProviderAlreadyRegisteredError 409 7
  EndpointUnreachableError       504 8
  DaemonUnavailableError         503 9
  AmbiguousProviderError         409 4
  SessionNotFoundError           404 2
  SessionExpiredError            410 2
  VaultUnavailableError          503 1
  UnexpectedError                500 1
  RequestRefusedError            403 1
`.trim().split("\n").map((line) => line.trim().split(/\s+/))

const source = (file: string) => fs.readFileSync(new URL(`../../src/cli/${file}`, import.meta.url), "utf8")

/** The operations that a module calls. */
const calledIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bcall(?:Decoded)?\(\s*"([\w.]+)"/g)].map(([, operation = ""]) => operation)

/** Operations whose failures a command reports without ending. */
const reported: Readonly<Record<string, ReadonlyArray<string>>> = {
  Login: ["connections.check", "connections.get"]
}

describe("exit codes", () => {
  it("gives a command the codes of every operation that its module calls", () => {
    const trees = fs.readdirSync(new URL("../../src/cli/tree/", import.meta.url))
      .filter((file) => file.endsWith("Commands.ts")).map((file) => source(`tree/${file}`))
    const declared = new Map<string, Set<string>>()
    for (const tree of trees) {
      const shared = /const load = \(\) => import\("\.\.\/commands\/([\w/]+)\.ts"\)/.exec(tree)?.[1] ?? ""
      for (const options of tree.split(/\b(?:command|operationCommand)\(/)) {
        const handler = /handler: \w+\(\(\) => (?:import\("\.\.\/commands\/([\w/]+)\.ts"\)|load\(\))/.exec(options)
        if (handler === null) continue
        const [, module = shared] = handler
        const known = declared.get(module) ?? new Set()
        const [, operations = ""] = /\bcalls: \[([^\]]*)\]/.exec(options) ?? []
        for (const [, operation = ""] of operations.matchAll(/"([^"]+)"/g)) known.add(operation)
        declared.set(module, known)
      }
    }
    assert.isAbove(declared.size, 12)
    // Its module registers the run with that of run.
    const run = declared.get("Run") ?? new Set()
    assert.deepStrictEqual([...run].filter((operation) => declared.get("sandbox/Ssh")?.has(operation) !== true), [])
    for (const [module, operations] of declared) {
      const missing = calledIn(source(`commands/${module}.ts`)).filter((operation) =>
        !operations.has(operation) && reported[module]?.includes(operation) !== true
      )
      assert.deepStrictEqual(missing, [], module)
    }
  })

  it("lists no exit code of a command twice", () => {
    const text = fs.readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8")
    for (const part of text.split(/^## /m)) {
      const codes = [...part.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)
      assert.lengthOf(new Set(codes), codes.length, part.slice(0, 40))
    }
  })

  it("gives every published error the status and exit code of the contract", () => {
    assert.deepStrictEqual(
      errorRows().map((row) => [row.name, String(row.status), String(row.exitCode)]),
      table
    )
  })
})

describe("published errors", () => {
  it("have a problem type that is derived from the class name", () => {
    for (const row of errorRows()) {
      const kebab = row.name.replace(/Error$/, "").replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()
      assert.strictEqual(row.type, `urn:credsvc:error:${kebab}`)
    }
  })
})
