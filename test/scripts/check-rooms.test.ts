import { assert, describe, it } from "@effect/vitest"
import { check, checkAll, roomNames, rooms } from "../../scripts/check-rooms.ts"

const serving = "src/cli/commands/DaemonServe.ts"
const vaultInApi = ["src/api/Api.ts: api may not import from vault"]

const cases: ReadonlyArray<
  readonly [what: string, file: string, code: string, breaches: ReadonlyArray<string> | number]
> = [
  ["an import that the table allows", "src/vault/Vault.ts", "import { E } from \"../domain/Errors.ts\"", []],
  ["a module of Effect", "src/vault/Vault.ts", "import * as Effect from \"effect/Effect\"", []],
  ["a listed package", "src/vault/Vault.ts", "import * as SqlClient from \"effect/sql/SqlClient\"", []],
  ["a file of the room", "src/vault/Vault.ts", "import * as SealedBox from \"./SealedBox.ts\"", []],
  ["another room", "src/domain/Errors.ts", "import { Vault } from \"../vault/Vault.ts\"", [
    "src/domain/Errors.ts: domain may not import from vault"
  ]],
  ...["vault", "store", "connections", "flows"].flatMap((room) =>
    ["src/proxy/ForwardProxy.ts", "src/cli/main.ts"].map((file) =>
      [`${room} in ${file}`, file, `import { X } from "../${room}/X.ts"`, 1] as const
    )
  ),
  ["an import on several lines", "src/api/Api.ts", "import {\n  Vault\n} from \"../vault/Vault.ts\"", vaultInApi],
  ["a name exported again", "src/api/Api.ts", "export { Vault } from \"../vault/Vault.ts\"", vaultInApi],
  ["everything exported again", "src/api/Api.ts", "export * from \"../vault/Vault.ts\"", vaultInApi],
  ["an import of a type", "src/api/Api.ts", "import type { Vault } from \"../vault/Vault.ts\"", vaultInApi],
  ["an import without names", "src/api/Api.ts", "import \"../vault/Vault.ts\"", vaultInApi],
  ["a dynamic import", "src/api/Api.ts", "const vault = await import(\"../vault/Vault.ts\")", vaultInApi],
  ["a comment", "src/domain/X.ts", "/*\nimport { V } from \"../vault/V.ts\"\n*/ // import \"../vault/V.ts\"", []],
  ["a string", "src/domain/X.ts", "const a = \"*/*\", b = \"import { V } from '../vault/V.ts'\"", []],
  ["the daemon lazily", serving, "const daemon = () => import(\"../../server/Daemon.ts\")", []],
  ["the daemon at once", serving, "import * as Daemon from \"../../server/Daemon.ts\"", [
    `${serving}: cli may not import from server`
  ]],
  ["a module of Node in a room without it", "src/providers/X.ts", "import * as Fs from \"node:fs\"", [
    "src/providers/X.ts: providers may not import \"node:fs\""
  ]],
  ["a module of Node in a room with it", "src/store/X.ts", "import * as Fs from \"node:fs\"", []],
  ["loading a slow builtin", "src/proxy/X.ts", "const http = process.getBuiltinModule(\"node:http\")", 1],
  ["builtins.ts", "src/platform/builtins.ts", "const http = () => process.getBuiltinModule(\"node:http\")", []],
  ...["stream.respond({})", "stream.additionalHeaders({})", "stream.sendTrailers({})"].flatMap((call) => [
    [call, "src/proxy/X.ts", call, 1] as const,
    [`${call} in its only place`, "src/http/http2/SendHeaders.ts", call, []] as const
  ]),
  ["a secret", "src/domain/Credential.ts", "const key = Redacted.value(secret)", 1],
  ["a secret in a listed file", "src/vault/Vault.ts", "const key = Redacted.value(secret)", []],
  ["an alias of Redacted.value", "src/vault/Vault.ts", "import { value } from \"effect/Redacted\"", 1],
  ["HTTP in the domain", "src/domain/X.ts", "import * as Client from \"effect/http/HttpClient\"", 1],
  ["the keyring in the proxy", "src/proxy/X.ts", "import { Entry } from \"@napi-rs/keyring\"", 1],
  ["an unknown package", "src/server/X.ts", "import express from \"express\"", 1],
  ["a file outside of the rooms", "src/helpers/X.ts", "export {}", 1],
  ["a name without extension", "src/api/Api.ts", "import { X } from \"./X\"", 1]
]

describe("check-rooms", () => {
  for (const [what, file, code, breaches] of cases) {
    it(`${breaches === 1 || Array.isArray(breaches) && breaches.length > 0 ? "rejects" : "allows"} ${what}`, () => {
      const found = check(file, code)
      if (typeof breaches === "number") assert.lengthOf(found, breaches)
      else assert.deepStrictEqual(found, breaches)
    })
  }

  it("has a table without cycles between rooms", () => {
    const reaches = (from: (typeof roomNames)[number], seen = new Set<string>()): Set<string> => {
      for (const next of rooms[from]) {
        if (!seen.has(next)) {
          seen.add(next)
          reaches(next, seen)
        }
      }
      return seen
    }
    for (const room of roomNames) assert.isFalse(reaches(room).has(room), room)
  })

  it("reports unused permissions and missing files", () => {
    const breaches = checkAll(new Map([["src/api/Api.ts", "import { X } from \"../domain/X.ts\""]]))
    assert.isFalse(breaches.some((breach) => breach.includes("lets api import domain")))
    const unneededs = [
      "rooms lets config import domain",
      "lazyImports lets src/cli/commands/DaemonServe.ts load server",
      "nodeRooms lets platform use node: modules",
      "packages lets providers import ^tldts$",
      "secretOpeners lets src/vault/Vault.ts open secrets",
      "names src/bin.ts, which does not exist"
    ]
    for (const unneeded of unneededs) assert.isTrue(breaches.some((breach) => breach.includes(unneeded)), unneeded)
  })
})
