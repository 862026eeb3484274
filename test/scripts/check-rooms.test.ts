import { assert, describe, it } from "@effect/vitest"
import { check, checkAll, cycles, roomNames, rooms } from "../../scripts/check-rooms.ts"

const sees = (file: string, ...lines: ReadonlyArray<string>) => check(file, lines.join("\n"))

describe("check-rooms", () => {
  it("allows the imports in the table", () => {
    assert.deepStrictEqual(
      sees(
        "src/vault/Vault.ts",
        "import * as Effect from \"effect/Effect\"",
        "import * as SqlClient from \"effect/sql/SqlClient\"",
        "import { VaultUnavailableError } from \"../domain/Errors.ts\"",
        "import * as SealedBox from \"./SealedBox.ts\""
      ),
      []
    )
  })

  it("rejects an import of a room that the table does not list", () => {
    assert.deepStrictEqual(sees("src/domain/Errors.ts", "import { Vault } from \"../vault/Vault.ts\""), [
      "src/domain/Errors.ts: domain may not import from vault"
    ])
  })

  it("keeps decryption keys out of the proxy and the store out of the CLI", () => {
    for (const room of ["vault", "store", "connections", "flows"]) {
      for (const file of ["src/proxy/ForwardProxy.ts", "src/cli/main.ts"]) {
        assert.strictEqual(sees(file, `import { X } from "../${room}/X.ts"`).length, 1, `${file} → ${room}`)
      }
    }
  })

  it("detects imports that are multi-line, re-exported, type-only or dynamic", () => {
    const forms = [
      "import {\n  Vault\n} from \"../vault/Vault.ts\"",
      "export { Vault } from \"../vault/Vault.ts\"",
      "export * from \"../vault/Vault.ts\"",
      "import type { Vault } from \"../vault/Vault.ts\"",
      "import \"../vault/Vault.ts\"",
      "const vault = await import(\"../vault/Vault.ts\")"
    ]
    for (const form of forms) {
      assert.deepStrictEqual(sees("src/api/Api.ts", form), ["src/api/Api.ts: api may not import from vault"], form)
    }
  })

  it("ignores imports in comments and strings", () => {
    assert.deepStrictEqual(
      sees(
        "src/domain/injection/Route.ts",
        "/*",
        "import { Vault } from \"../vault/Vault.ts\"",
        "*/",
        "// import { Vault } from \"../vault/Vault.ts\"",
        "export const anything = \"*/*\"",
        "export const text = \"import { Vault } from '../vault/Vault.ts'\""
      ),
      []
    )
  })

  it("allows cli/main.ts to load the daemon lazily, and only lazily", () => {
    assert.deepStrictEqual(sees("src/cli/main.ts", "const daemon = () => import(\"../server/Daemon.ts\")"), [])
    assert.deepStrictEqual(sees("src/cli/main.ts", "import * as Daemon from \"../server/Daemon.ts\""), [
      "src/cli/main.ts: cli may not import from server"
    ])
  })

  it("rejects node modules in rooms that get them through platform services", () => {
    assert.deepStrictEqual(sees("src/providers/X.ts", "import * as Fs from \"node:fs\""), [
      "src/providers/X.ts: providers may not import \"node:fs\""
    ])
    assert.deepStrictEqual(sees("src/store/X.ts", "import * as Fs from \"node:fs\""), [])
  })

  it("rejects builtins that slow down startup, but allows their types", () => {
    assert.deepStrictEqual(sees("src/proxy/X.ts", "import * as Http from \"node:http\""), [
      "src/proxy/X.ts: may not import \"node:http\" as a module, which slows every start; " +
      "import it from src/platform/builtins.ts"
    ])
    assert.deepStrictEqual(sees("src/proxy/X.ts", "import type * as Http from \"node:http\""), [])
    assert.strictEqual(sees("src/proxy/X.ts", "const http = process.getBuiltinModule(\"node:http\")").length, 1)
    assert.deepStrictEqual(
      sees("src/platform/builtins.ts", "const http = () => process.getBuiltinModule(\"node:http\")"),
      []
    )
  })

  it("keeps the calls of node:http2 that throw in one file", () => {
    for (const call of ["stream.respond({})", "stream.additionalHeaders({})", "stream.sendTrailers({})"]) {
      assert.lengthOf(sees("src/proxy/X.ts", call), 1)
      assert.deepStrictEqual(sees("src/http/http2/Sending.ts", call), [])
      assert.deepStrictEqual(sees("src/server/X.ts", call), [])
    }
  })

  it("rejects barrels of effect and of platform-node, also in tests and scripts", () => {
    for (const barrel of ["effect", "effect/http", "effect/cli", "@effect/platform-node"]) {
      for (const file of ["src/server/X.ts", "test/server/X.test.ts", "scripts/x.ts"]) {
        const breaches = sees(file, `import { X } from "${barrel}"`)
        assert.isTrue(breaches.some((breach) => breach.includes(`the barrel "${barrel}"`)), `${file} ${barrel}`)
      }
    }
  })

  it("rejects Redacted.value outside the listed files, and aliases that hide it", () => {
    assert.strictEqual(sees("src/domain/Credential.ts", "const key = Redacted.value(secret)").length, 1)
    assert.deepStrictEqual(sees("src/vault/Vault.ts", "const key = Redacted.value(secret)"), [])
    assert.strictEqual(sees("src/vault/Vault.ts", "import { value } from \"effect/Redacted\"").length, 1)
  })

  it("rejects packages and effect modules that the room does not need", () => {
    assert.strictEqual(sees("src/domain/X.ts", "import * as Client from \"effect/http/HttpClient\"").length, 1)
    assert.strictEqual(sees("src/proxy/X.ts", "import { Entry } from \"@napi-rs/keyring\"").length, 1)
    assert.strictEqual(sees("src/server/X.ts", "import express from \"express\"").length, 1)
  })

  it("rejects files outside the rooms, imports without extension and imports of index.ts", () => {
    assert.strictEqual(sees("src/helpers/X.ts", "export {}").length, 1)
    assert.strictEqual(sees("src/api/Api.ts", "import { X } from \"./X\"").length, 1)
    assert.strictEqual(sees("src/api/Api.ts", "import { X } from \"./index.ts\"").length, 1)
  })

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

  it("finds import cycles, including type imports", () => {
    const file = (name: string, ...imported: ReadonlyArray<string>) =>
      [
        `src/domain/${name}.ts`,
        imported.map((other) => `import type { ${other} } from "./${other}.ts"\n`).join("")
      ] as const
    assert.deepStrictEqual(cycles(new Map([file("A", "B"), file("B", "C"), file("C")])), [])
    assert.deepStrictEqual(cycles(new Map([file("A", "B"), file("B", "C"), file("C", "B"), file("D", "D")])), [
      ["src/domain/B.ts", "src/domain/C.ts"],
      ["src/domain/D.ts"]
    ])
  })

  it("reports unused permissions and missing files", () => {
    const breaches = checkAll(new Map([["src/api/Api.ts", "import { X } from \"../domain/X.ts\""]]))
    assert.isFalse(breaches.some((breach) => breach.includes("lets api import domain")))
    for (
      const unneeded of [
        "rooms lets config import domain",
        "lazyImports lets src/cli/main.ts load server",
        "nodeRooms lets platform use node: modules",
        "packages lets providers import ^tldts$",
        "secretOpeners lets src/vault/Vault.ts open secrets",
        "names src/bin.ts, which does not exist"
      ]
    ) assert.isTrue(breaches.some((breach) => breach.includes(unneeded)), unneeded)
  })
})
