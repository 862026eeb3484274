import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import * as path from "node:path"
import { testDirectory } from "../../support/TestDirectories.ts"

const source = (file: string) => JSON.stringify(path.resolve("src", file))

/** Reads a file in each place whose settings name it. Prints the outcomes. */
const program = (file: string) => `
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Settings } from ${source("config/Settings.ts")}
import { rootsOf } from ${source("outbound/TrustStore.ts")}
import { openServerCertificate } from ${source("server/http/ServerCertificate.ts")}
import { selectedAddress } from ${source("store/ConfiguredStore.ts")}
import { readOtlpSettings } from ${source("telemetry/OtlpSettings.ts")}

const file = ${JSON.stringify(file)}
const failed = async (effect) => (await Effect.runPromiseExit(effect))._tag
const settings = Settings.layerOf({ home: "/nowhere", databaseUrlFile: Option.some(file) })
const otlp = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example", OTEL_EXPORTER_OTLP_CERTIFICATE: file }
console.log(JSON.stringify([
  rootsOf([file]).unreadable.length,
  await failed(Effect.provide(selectedAddress, settings)),
  await failed(openServerCertificate({ cert: file, key: file }, "x")),
  await failed(readOtlpSettings(otlp))
]))`

describe("a named pipe in place of a file of the settings", () => {
  it.skipIf(process.platform === "win32")("does not block the process, which would wait for a writer", () => {
    const directory = testDirectory()
    const pipe = path.join(directory, "pipe")
    execFileSync("mkfifo", [pipe])
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", program(pipe)], {
      timeout: 60_000,
      encoding: "utf8"
    })
    assert.strictEqual(run.signal, null, run.stderr)
    assert.deepStrictEqual(JSON.parse(run.stdout || "null"), [1, "Failure", "Failure", "Failure"], run.stderr)
  })
})
