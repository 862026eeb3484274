import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { parseHeaderFields } from "../../../src/config/daemon/DaemonHeaderFields.ts"
import { Settings, withoutOwnSecrets } from "../../../src/config/Settings.ts"
import { effect } from "../../support/Fixture.ts"

describe("DaemonHeaderFields", () => {
  effect("are lines of names and values, and values keep their spaces and colons", function*() {
    assert.deepStrictEqual(
      parseHeaderFields("Authorization: Basic dXNlcjpwYXNz==\r\n\n  X-Id:a: b \n"),
      Result.succeed({ authorization: "Basic dXNlcjpwYXNz==", "x-id": "a: b" })
    )
  })

  const cases = [
    ["", "no header field"],
    ["secret-value", "line 1 is not of the form"],
    ["A: b\nB secret-value: c", "line 2 is not of the form"],
    ["A:", "line 1 is not of the form"],
    ["A: secret-value\u0000", "line 1 is not of the form"],
    ["A: secret-valü\u00e9", "line 1 is not of the form"],
    ["Host: secret-value", "the field \"Host\""],
    ["Credsvc-Profile: secret-value", "the field \"Credsvc-Profile\""],
    ["Content-Length: secret-value", "the field \"Content-Length\""],
    ["a: secret-value\nA: secret-value", "the field \"A\" twice"]
  ] as const
  for (const [text, problem] of cases) {
    effect(`are invalid as ${JSON.stringify(text)}, with a reason that contains no value`, function*() {
      const failure = Option.getOrThrow(Result.getFailure(parseHeaderFields(text)))
      assert.include(failure, problem)
      assert.notInclude(failure, "secret-val")
    })
  }

  const settings = (env: Record<string, string>) => Effect.provide(Settings, Settings.layerEnv(() => env))

  effect("require an https address, and are redacted in the settings", function*() {
    const read = yield* settings({
      CREDSVC_DAEMON_URL: "https://creds.example",
      CREDSVC_DAEMON_HEADERS: "A: secret-value",
      CREDSVC_DAEMON_HEADERS_COMMAND: "/usr/bin/printer secret-value"
    })
    assert.notInclude(
      JSON.stringify(read) + String(read.daemonHeaders) + String(read.daemonHeadersCommand),
      "secret-value"
    )
    for (
      const [name, value] of [["CREDSVC_DAEMON_HEADERS", "A: b"], [
        "CREDSVC_DAEMON_HEADERS_COMMAND",
        "/bin/true"
      ]] as const
    ) {
      for (const address of [{}, { CREDSVC_DAEMON_URL: "http://127.0.0.1:7998" }]) {
        const error = yield* Effect.flip(settings({ ...address, [name]: value }))
        assert.strictEqual(error.variable, name)
        assert.include(error.message, "CREDSVC_DAEMON_URL is not an https URL")
      }
    }
    const relative = yield* Effect.flip(settings({
      CREDSVC_DAEMON_URL: "https://creds.example",
      CREDSVC_DAEMON_HEADERS_COMMAND: "printer secret-value"
    }))
    assert.include(relative.message, "expected the absolute path of a program")
    assert.notInclude(relative.message, "secret-value")
  })

  effect("are not passed to programs that credsvc starts", function*() {
    const passed = withoutOwnSecrets({ CREDSVC_DAEMON_HEADERS: "A: b", CREDSVC_DAEMON_HEADERS_COMMAND: "/x", A: "b" })
    assert.deepStrictEqual(passed, { A: "b" })
  })
})
