import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as path from "node:path"
import { masterKeyDescriptorVariable, withPipedMasterKey } from "../../../src/config/daemon/PipedMasterKey.ts"
import type { SettingsShape } from "../../../src/config/Settings.ts"
import { testDirectory } from "../../support/TestDirectories.ts"

const settings = { masterKey: Option.none() } as SettingsShape

describe("withPipedMasterKey", () => {
  it("reads the key once, closes the descriptor and removes its variable", () => {
    const file = path.join(testDirectory(), "key")
    fs.writeFileSync(file, "canary-key")
    const descriptor = fs.openSync(file, "r")
    const environment = { PATH: "/bin", [masterKeyDescriptorVariable]: String(descriptor) }
    const { masterKey } = withPipedMasterKey(settings, environment)
    assert.strictEqual(Redacted.value(Option.getOrThrow(masterKey)), "canary-key")
    assert.deepStrictEqual<object>(environment, { PATH: "/bin" })
    assert.throws(() => fs.fstatSync(descriptor), /EBADF/)
    assert.strictEqual(withPipedMasterKey(settings, environment), settings)
  })
})
