/** A session by ssh, with a program in place of ssh that executes the commands on this machine. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { sshSession } from "../../src/run/SshSession.ts"
import { effect } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

const proxy = {
  port: 1,
  proxyUrl: "http://credsvc:CANARY-CREDENTIAL@127.0.0.1:1",
  caPem: "",
  placeholders: [],
  routed: () => ({ patterns: [], ports: [443] }),
  extraCaCerts: () => []
} as unknown as Parameters<typeof sshSession>[0]["proxy"]

describe.skipIf(process.platform === "win32")("sshSession", () => {
  effect("gives ssh neither the master key nor the credential of the proxy, as an argument or a variable", function*() {
    const directory = yield* temporaryDirectory
    const seen = path.join(directory, "seen")
    fs.writeFileSync(
      path.join(directory, "ssh"),
      `#!/bin/sh\n{ env; echo "$*"; } >>${seen}\ncase "$*" in *ControlMaster=yes*) exec sh ;; esac\n`,
      { mode: 0o700 }
    )
    const cases = [
      ["PATH", `${directory}:${process.env["PATH"]}`],
      ["CREDSVC_MASTER_KEY", "CANARY-MASTER-KEY"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "x=CANARY-HEADER"],
      ["SSH_AUTH_SOCK", "/kept"]
    ] as const
    for (const [name, value] of cases) {
      const before = process.env[name]
      process.env[name] = value
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env[name]
          else process.env[name] = before
        })
      )
    }
    const ended = yield* Effect.scoped(
      sshSession({ host: "devbox", command: "true", options: [], terminal: false, runDirectory: directory, proxy })
    )
    assert.deepStrictEqual(ended, { exitCode: 0 })
    const text = fs.readFileSync(seen, "utf8")
    assert.lengthOf(text.match(/^SSH_AUTH_SOCK=\/kept$/gm) ?? [], 2)
    assert.notInclude(text, "CANARY")
  })
})
