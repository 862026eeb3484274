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

describe("exit codes", () => {
  it("gives every published error the status and exit code of the contract", () => {
    assert.deepStrictEqual(
      errorRows().map((row) => [row.name, String(row.status), String(row.exitCode)]),
      table
    )
  })

  it("names the problem type after the class", () => {
    for (const row of errorRows()) {
      const kebab = row.name.replace(/Error$/, "").replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()
      assert.strictEqual(row.type, `urn:credsvc:error:${kebab}`)
    }
  })

  it("lists every published error in docs/errors.md", () => {
    const text = fs.readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8")
    for (const row of errorRows()) {
      assert.include(text, `| ${row.name} | \`${row.type}\` | ${row.status} | ${row.exitCode} |`)
    }
  })
})
