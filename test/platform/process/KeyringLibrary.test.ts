import { assert, describe, it } from "@effect/vitest"
import * as path from "node:path"
import { keyringDirectories, keyringLibrary } from "../../../src/platform/process/KeyringLibrary.ts"
import { repository } from "../../support/Sandbox.ts"

describe("keyringDirectories", () => {
  it("names the directory of the library, and those that are searched before it", () => {
    const scope = path.dirname(path.dirname(keyringLibrary()))
    assert.strictEqual(path.basename(scope), "@napi-rs")
    assert.deepStrictEqual(keyringDirectories(), [
      path.join(repository, "src", "platform", "process", "node_modules"),
      path.join(repository, "src", "platform", "node_modules"),
      path.join(repository, "src", "node_modules"),
      scope
    ])
  })
})
