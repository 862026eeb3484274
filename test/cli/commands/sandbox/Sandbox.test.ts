import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import { writeSandbox } from "../../../../src/cli/commands/sandbox/SandboxEnv.ts"
import { DaemonClient } from "../../../../src/client/DaemonClient.ts"
import { Paths } from "../../../../src/config/Paths.ts"
import { Settings } from "../../../../src/config/Settings.ts"
import type { SandboxName } from "../../../../src/domain/wire/Sandbox.ts"
import { testsWith } from "../../../support/Fixture.ts"
import { temporaryDirectory } from "../../../support/TemporaryDirectory.ts"

const absent = (): never => {
  throw new Error("not called")
}

const daemon = Layer.mock(DaemonClient, {
  send: () =>
    Effect.succeed({
      status: 200,
      headers: {},
      body: JSON.stringify({ version: "1", routes: [], placeholders: [] }),
      from: { loopback: true } as never
    }),
  of: absent,
  exchange: absent
})

const layer = (home: string) => Layer.merge(daemon, Layer.provideMerge(Paths.layerNoDeps, Settings.layerOf({ home })))

testsWith(temporaryDirectory, layer).live(
  "writes the files of a sandbox under the given name, whatever name the daemon returns, and accepts only a token without line breaks",
  function*(home) {
    const sandbox = { name: "../../x", providers: [], connections: {}, expires_at: "no time" }
    const accessWith = (token: string) =>
      ({ certificate: "certificate", sandbox, token: Redacted.make(token) }) as unknown as Parameters<
        typeof writeSandbox
      >[1]
    const forged = yield* Effect.flip(writeSandbox("dev" as SandboxName, accessWith("x@h\nNODE_OPTIONS=--evil")))
    assert.strictEqual(forged._tag, "DaemonUnavailableError")
    assert.deepStrictEqual(fs.readdirSync(home), [])
    const access = accessWith("token-1")
    const { directory } = yield* writeSandbox("dev" as SandboxName, access)
    assert.strictEqual(directory.local, `${home}/sandboxes/dev/local`)
    assert.deepStrictEqual(fs.readdirSync(home), ["sandboxes"])
    assert.deepStrictEqual(fs.readdirSync(`${home}/sandboxes`), ["dev"])
    assert.sameMembers(fs.readdirSync(`${home}/sandboxes/dev`), ["expires", "local", "mount"])
  }
)
