import { assert, describe, it } from "@effect/vitest"
import { ConnectionsGroup } from "../../src/api/ConnectionsGroup.ts"
import { ProvidersGroup } from "../../src/api/ProvidersGroup.ts"
import { RunsGroup } from "../../src/api/RunsGroup.ts"
import { readPaths } from "../../src/client/ReadPaths.ts"

describe("ReadPaths", () => {
  it("match the paths of the interface", () => {
    const { get, list } = ConnectionsGroup.endpoints
    assert.deepStrictEqual([get.method, list.method, ProvidersGroup.endpoints.list.method], ["GET", "GET", "GET"])
    assert.strictEqual(readPaths.providers, ProvidersGroup.endpoints.list.path)
    assert.strictEqual(readPaths.connections, list.path)
    assert.strictEqual(readPaths.questions, RunsGroup.endpoints.questions.path)
    const one = get.path.replace(":provider", "a.b").replace(":connection", "me%40work")
    assert.strictEqual(readPaths.connection("a.b", "me@work", { reveal: false }), one)
    assert.strictEqual(readPaths.connection("a.b", "me@work", { reveal: true }), `${one}?reveal=true`)
  })
})
