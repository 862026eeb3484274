import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as os from "node:os"
import * as path from "node:path"
import { Paths } from "../../src/config/Paths.ts"
import { Settings, withoutOwnSecrets } from "../../src/config/Settings.ts"
import { ExitCode } from "../../src/domain/ExitCode.ts"
import { effect } from "../support/Fixture.ts"

const settings = (env: Record<string, string>) =>
  Effect.provide(
    Effect.map(Settings, (read) => read),
    Settings.layerEnv(() => env)
  )

const token = "0123456789abcdef0123456789abcdef"

describe("Settings", () => {
  effect("has a default for every setting", function*() {
    const read = yield* settings({})
    assert.strictEqual(read.home, path.join(os.homedir(), ".credsvc"))
    const { allowAnyPeer, home: _, ...rest } = read
    assert.isFalse(allowAnyPeer)
    for (const value of Object.values(rest)) assert.strictEqual(value._tag, "None")
  })

  effect("uses the home directory of the account if HOME is empty", function*() {
    const home = process.env["HOME"]
    process.env["HOME"] = ""
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (home === undefined) delete process.env["HOME"]
        else process.env["HOME"] = home
      })
    )
    assert.strictEqual((yield* settings({})).home, path.join(os.userInfo().homedir, ".credsvc"))
  })

  effect("reads every variable, and makes the home absolute", function*() {
    const read = yield* settings({
      CREDSVC_HOME: "some/home",
      CREDSVC_DAEMON_URL: "https://creds.example",
      CREDSVC_SERVER_BASE_URL: "https://creds.example",
      CREDSVC_MASTER_KEY: "s3cret",
      CREDSVC_MASTER_KEY_FILE: "secrets/key",
      CREDSVC_MASTER_KEY_MODE: "keyring",
      CREDSVC_PROFILE: "quiet-heron-4821",
      CREDSVC_METRICS_TOKEN: `${token}\n`,
      CREDSVC_LOG_FORMAT: "json"
    })
    assert.strictEqual(read.home, path.resolve("some/home"))
    assert.strictEqual(Option.getOrThrow(read.daemonUrl).href, "https://creds.example/")
    assert.strictEqual(Option.getOrThrow(read.serverBaseUrl).href, "https://creds.example/")
    assert.strictEqual(Redacted.value(Option.getOrThrow(read.masterKey)), "s3cret")
    assert.notInclude(String(Option.getOrThrow(read.masterKey)), "s3cret")
    assert.deepStrictEqual(read.masterKeyFile, Option.some(path.resolve("secrets/key")))
    assert.deepStrictEqual(read.masterKeyMode, Option.some("keyring"))
    assert.deepStrictEqual(read.profile, Option.some("quiet-heron-4821"))
    assert.strictEqual(Redacted.value(Option.getOrThrow(read.metricsToken)), token)
    assert.notInclude(JSON.stringify(read), token)
    assert.deepStrictEqual(read.logFormat, Option.some("json"))
  })

  effect("treats empty variables as unset, except those of the master key and of its file", function*() {
    const read = yield* settings({
      CREDSVC_HOME: "",
      CREDSVC_DAEMON_URL: " ",
      CREDSVC_MASTER_KEY: "",
      CREDSVC_MASTER_KEY_FILE: " "
    })
    assert.deepStrictEqual(read.masterKeyFile, Option.some(""))
    assert.strictEqual(read.home, path.join(os.homedir(), ".credsvc"))
    assert.isTrue(Option.isNone(read.daemonUrl))
    assert.strictEqual(Redacted.value(Option.getOrThrow(read.masterKey)), "")
  })

  effect("keeps the path of a URL, without a slash at its end", function*() {
    const read = yield* settings({
      CREDSVC_DAEMON_URL: "https://creds.example/team/a/",
      CREDSVC_SERVER_BASE_URL: "https://creds.example/team"
    })
    assert.strictEqual(Option.getOrThrow(read.daemonUrl).href, "https://creds.example/team/a")
    assert.strictEqual(Option.getOrThrow(read.serverBaseUrl).href, "https://creds.example/team")
  })

  const cases = [
    ["CREDSVC_DAEMON_URL", "localhost:7998"],
    ["CREDSVC_DAEMON_URL", "ftp://creds.example"],
    ["CREDSVC_DAEMON_URL", "foo"],
    ["CREDSVC_DAEMON_URL", "https://creds.example/base?query"],
    ["CREDSVC_SERVER_BASE_URL", "https://creds.example/base//double"],
    ["CREDSVC_SERVER_BASE_URL", "https://creds.example/%2fbase"],
    ["CREDSVC_SERVER_BASE_URL", "https://user:pass@creds.example"],
    ["CREDSVC_MASTER_KEY_MODE", "env"],
    ["CREDSVC_METRICS_TOKEN", token.slice(1)],
    ["CREDSVC_METRICS_TOKEN", `${token} ${token}`],
    ["CREDSVC_LOG_FORMAT", "logfmt"]
  ] as const
  for (const [name, value] of cases) {
    effect(`rejects ${name}=${value} with an error that names the variable`, function*() {
      const error = yield* Effect.flip(settings({ [name]: value }))
      assert.strictEqual(error.variable, name)
      assert.include(error.message, `invalid value for ${name}: expected `)
      assert.notInclude(error.message, value)
      assert.strictEqual(Runtime.getErrorExitCode(error), ExitCode.usage)
    })
  }

  it("does not pass the token of scrapers to the programs that credsvc starts", () => {
    assert.deepStrictEqual(withoutOwnSecrets({ CREDSVC_METRICS_TOKEN: token, PATH: "/bin" }), { PATH: "/bin" })
  })

  effect("keeps OpenTelemetry's variables as a secret, if one of them names a receiver", function*() {
    const variables = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://x", OTEL_EXPORTER_OTLP_HEADERS: "a=b" }
    const { telemetry } = yield* settings({ ...variables, OTHER: "x" })
    assert.deepStrictEqual(Redacted.value(Option.getOrThrow(telemetry)), variables)
    assert.notInclude(JSON.stringify(telemetry), "a=b")
    assert.isTrue(Option.isNone((yield* settings({ OTEL_EXPORTER_OTLP_HEADERS: "a=b" })).telemetry))
    assert.isTrue(Option.isNone((yield* settings({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).telemetry))
  })

  it.effect("derives all paths from the home", () =>
    Effect.gen(function*() {
      const paths = yield* Paths
      assert.strictEqual(paths.database, path.join("/h", "server", "credsvc.db"))
    }).pipe(Effect.provide(Paths.layerNoDeps.pipe(Layer.provide(Settings.layerOf({ home: "/h" }))))))
})
