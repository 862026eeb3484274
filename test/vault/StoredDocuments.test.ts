import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as fs from "node:fs"
import * as path from "node:path"
import { activeProfile, type DocumentId, Documents, takeovers } from "../../src/config/Documents.ts"
import { SharedAccess } from "../../src/store/Store.ts"
import { KeyResolver } from "../../src/vault/keys/KeyResolver.ts"
import { KeyRotation } from "../../src/vault/keys/KeyRotation.ts"
import { StoreManifest } from "../../src/vault/manifest/StoreManifest.ts"
import * as StoredDocuments from "../../src/vault/StoredDocuments.ts"
import { Vault } from "../../src/vault/Vault.ts"
import { failsWith } from "../support/Failures.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { executeOn, queryOn, storeOfHome } from "../support/TestStore.ts"
import { environmentOf, vaultOf } from "./support.ts"

const layerOf = (home: string) =>
  KeyRotation.layerNoDeps.pipe(Layer.provideMerge(StoredDocuments.layerNoDeps), Layer.provideMerge(vaultOf(home)))

const provider = (name: string): DocumentId => ({ kind: "provider", name })
const identity = (name: string): DocumentId => ({ kind: "identity", name })

const textOf = (documents: Documents["Service"], id: DocumentId) =>
  Effect.map(documents.read(id), Option.map((bytes) => new TextDecoder().decode(bytes)))

const filled = Effect.gen(function*() {
  const documents = yield* Documents
  yield* documents.write(provider("one"), "{\"name\":\"one\"}")
  yield* documents.write(provider("two"), "{\"name\":\"two\"}")
  yield* documents.write(identity("calm-otter-0042"), "private key 1")
  yield* documents.write(identity("quiet-heron-4821"), "private key 2")
  yield* documents.write(activeProfile, "calm-otter-0042")
  yield* documents.write(takeovers, "{}")
})

/** A home with documents, and its running services. */
const inDaemon = testsWith(
  Effect.tap(temporaryDirectory, (home) => Effect.provide(filled, layerOf(home))),
  layerOf
)

/** Two daemons with homes of their own that use the same database. */
const inReplicas = testsWith(Effect.gen(function*() {
  const [home, copy] = [yield* temporaryDirectory, yield* temporaryDirectory]
  yield* Effect.provide(Effect.flatMap(StoreManifest, ({ verified }) => verified("rows")), layerOf(home))
  fs.cpSync(home, copy, { recursive: true })
  const started = (own: string) =>
    StoredDocuments.layerNoDeps.pipe(
      Layer.provide(Vault.layerResolver),
      Layer.provide(KeyResolver.layerNoDeps),
      Layer.provide(storeOfHome(home)),
      Layer.provide(environmentOf(own, {})),
      Layer.fresh,
      Layer.build,
      Effect.map(Context.get(Documents)),
      Effect.provideService(SharedAccess, true)
    )
  return [yield* started(home), yield* started(copy)] as const
}))

/** What somebody with full rights to the database can do, but without the master key. */
const changes: ReadonlyArray<readonly [what: string, ...statements: ReadonlyArray<string>]> = [
  ["the change of a document", "UPDATE documents SET sealed = x'00' WHERE name = 'one'"],
  ["the deletion of a provider", "DELETE FROM documents WHERE name = 'two'"],
  [
    "the copy of a document",
    "INSERT INTO documents SELECT kind, 'three', updated_at, sealed FROM documents WHERE name = 'one'"
  ],
  ["the deletion of every document", "DELETE FROM documents"]
]

describe("Documents in PostgreSQL", () => {
  for (const [what, ...statements] of changes) {
    inDaemon.effect(`are all refused after ${what}`, function*(home) {
      const documents = yield* Documents
      const before = yield* documents.list("provider")
      assert.strictEqual(before.documents.size, 2)
      executeOn(home, ...statements)
      // What this daemon has read and verified before.
      assert.strictEqual(yield* documents.list("provider"), before)
      const uses = [
        Effect.asVoid(documents.read(identity("calm-otter-0042"))),
        Effect.asVoid(documents.list("provider")),
        Effect.asVoid(documents.read(activeProfile)),
        documents.write(provider("three"), "{}")
      ]
      for (const use of uses) {
        assert.include((yield* failsWith(use, "VaultUnavailableError")).detail, "changed outside of credsvc")
      }
    })
  }

  inDaemon.effect("do not open under another name, even if the manifest fits", function*() {
    const documents = yield* Documents
    const { transact } = yield* StoreManifest
    const sql = yield* SqlClient.SqlClient
    yield* transact(sql`UPDATE documents AS a SET sealed = b.sealed FROM documents AS b
      WHERE a.kind = 'identity' AND a.kind = b.kind AND a.name <> b.name`)
    const error = yield* failsWith(documents.read(identity("calm-otter-0042")), "VaultUnavailableError")
    assert.include(error.detail, "cannot be opened")
  })

  inDaemon.effect("have no content in plain text", function*(home) {
    const rows = queryOn(home, "SELECT kind, name, encode(sealed, 'escape') AS text FROM documents")
    assert.lengthOf(rows, 6)
    for (const { text } of rows) assert.notMatch(String(text), /private key|calm-otter|name/)
    assert.isFalse(fs.existsSync(path.join(home, "providers")))
    assert.isFalse(fs.existsSync(path.join(home, "identities")))
  })

  inDaemon.effect("are sealed again by a rotation of the keys", function*(home) {
    const keys = () => queryOn(home, "SELECT DISTINCT substr(encode(sealed, 'hex'), 3, 32) AS key FROM documents")
    const before = keys()
    const { rotate } = yield* KeyRotation
    const { rows } = yield* rotate({ newKey: Option.none(), record: Effect.void })
    assert.strictEqual(rows, 6)
    assert.lengthOf(keys(), 1)
    assert.notDeepEqual(keys(), before)
    const documents = yield* Documents
    assert.deepStrictEqual(yield* textOf(documents, identity("quiet-heron-4821")), Option.some("private key 2"))
    assert.deepStrictEqual(yield* textOf(documents, activeProfile), Option.some("calm-otter-0042"))
  })

  inDaemon.effect("are unchanged after a change that failed", function*() {
    const documents = yield* Documents
    yield* Effect.flip(documents.change(Effect.gen(function*() {
      yield* documents.write(provider("three"), "{}")
      yield* documents.remove(provider("one"))
      assert.sameMembers([...(yield* documents.list("provider")).documents.keys()], ["three", "two"])
      return yield* Effect.fail("changed my mind")
    })))
    assert.sameMembers([...(yield* documents.list("provider")).documents.keys()], ["one", "two"])
  })

  inDaemon.effect("cause a warning about files in the home that have no effect", function*(home) {
    const documents = yield* Documents
    assert.deepStrictEqual(yield* documents.ignored, [])
    fs.mkdirSync(path.join(home, "providers"), { mode: 0o700 })
    const file = path.join(home, "providers", "acme.json")
    fs.writeFileSync(file, "{}")
    const [sentence, ...others] = yield* documents.ignored
    assert.include(sentence, `credsvc register ${file}`)
    assert.lengthOf(others, 0)
  })

  inReplicas.live("that one daemon writes are read by the other", function*([one, other]) {
    yield* one.write(provider("acme"), "1")
    assert.deepStrictEqual(yield* textOf(other, provider("acme")), Option.some("1"))
    const folder = yield* other.list("provider")
    assert.strictEqual(yield* other.list("provider"), folder)
    yield* one.write(identity("calm-otter-0042"), "key")
    assert.strictEqual(yield* other.list("provider"), folder)
    yield* one.write(provider("acme"), "2")
    assert.notStrictEqual(yield* other.list("provider"), folder)
    assert.deepStrictEqual(yield* textOf(other, provider("acme")), Option.some("2"))
    yield* other.remove(provider("acme"))
    assert.deepStrictEqual(yield* textOf(one, provider("acme")), Option.none())
  })

  inReplicas.live("are created by only one of two daemons that create them at the same time", function*([one, other]) {
    const made = yield* Effect.all(
      [one.create(activeProfile, "a"), other.create(activeProfile, "b")],
      { concurrency: "unbounded" }
    )
    const text = made.map(({ content }) => new TextDecoder().decode(content))
    assert.strictEqual(text[0], text[1])
    assert.lengthOf(made.filter(({ created }) => created), 1)
  })
})
