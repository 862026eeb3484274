import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { testsIn } from "../support/Fixture.ts"
import { paths } from "../support/HostileAuthorizationServer.ts"
import type { Step } from "../support/ScriptedSite.ts"
import { contentOf } from "../support/Services.ts"
import { until } from "../support/Until.ts"
import { attempt, type Setup, withServer } from "./support.ts"

const { live } = testsIn(withServer)

const grant = { flow: "device_code" }
const pending: Step = { status: 400, body: { error: "authorization_pending" } }

const device = ({ server }: Setup, changes: object = {}) => ({
  device_code: "canary-device-code",
  user_code: "WDJB-MJHT",
  verification_uri: `${server.issuer}/activate`,
  expires_in: 600,
  interval: 1,
  ...changes
})

const polls = ({ server }: Setup) => server.at(paths.token).map(({ form }) => form.get("device_code"))

/** Lets another login poll twice, after which a login that still polls would have polled, too. */
const pollTwice = (there: Setup) =>
  Effect.gen(function*() {
    there.server.answer(paths.token, pending)
    there.server.answer(paths.device, { body: device(there, { device_code: "of-another-login" }) })
    yield* there.harness.start({ provider: "hostile", connection: "another", ...grant })
    yield* Effect.promise(() => until(() => polls(there).filter((code) => code === "of-another-login").length >= 2))
  })

describe("A login with a device code", () => {
  live("ends with access_denied, expired_token or invalid_grant, and stops polling", function*(there) {
    const errors: Readonly<Record<string, string>> = {
      "canary-1": "access_denied",
      "canary-2": "expired_token",
      "canary-3": "invalid_grant"
    }
    there.server.answer(
      paths.token,
      ({ form }) => ({ status: 400, body: { error: errors[form.get("device_code") ?? ""] } })
    )
    for (const [device_code, error] of Object.entries(errors)) {
      there.server.answer(paths.device, { body: device(there, { device_code }) })
      const session = yield* there.harness.start({ provider: "hostile", connection: device_code, ...grant })
      const { status } = yield* there.harness.ended(session.session_id)
      assert.include(["failed", "expired"], status, error)
    }
    yield* pollTwice(there)
    assert.deepStrictEqual(polls(there).filter((code) => code !== "of-another-login"), Object.keys(errors))
  })

  live("continues after a server error, and stops when cancelled", function*(there) {
    there.server.answer(paths.device, { body: device(there) })
    there.server.answer(paths.token, { status: 503 }, { act: "drop" }, pending)
    const session = yield* there.harness.start({ provider: "hostile", ...grant })
    yield* Effect.promise(() => there.server.arrival(paths.token, 3))
    const cancelled = yield* there.harness.daemon.request(`/auth/sessions/${session.session_id}`, {
      method: "DELETE"
    })
    assert.strictEqual(cancelled.json.status, "cancelled")
    const before = polls(there).length
    yield* pollTwice(there)
    assert.isAtMost(polls(there).filter((code) => code !== "of-another-login").length, before + 1)
  })

  live("exposes the device code in no response, page or file", function*(there) {
    there.server.answer(paths.device, { body: device(there) })
    there.server.answer(paths.token, pending)
    const session = yield* there.harness.start({ provider: "hostile", ...grant })
    yield* Effect.promise(() => there.server.arrival(paths.token))
    const page = yield* there.harness.daemon.request(`/auth/sessions/${session.session_id}/device`)
    assert.include(page.body, "WDJB-MJHT")
    assert.include(page.body, new URL(there.server.issuer).host)
    const everything = page.body + JSON.stringify(session) + contentOf(there.harness.home)
    assert.notInclude(everything, "canary-device-code")
  })

  live("escapes the server's texts", function*(there) {
    const payloads = ["<img src=x onerror=alert(1)>", "\"><script>alert(1)</script>", "'-alert(1)-'"]
    for (const [index, user_code] of payloads.entries()) {
      there.server.answer(paths.device, { body: device(there, { user_code }) })
      const response = yield* attempt(there, { ...grant, connection: `row-${index}` })
      const page = response.status === 201
        ? yield* there.harness.daemon.request(`/auth/sessions/${response.json.session_id}/device`)
        : response
      assert.notInclude(page.body, "<img src=x")
      assert.notInclude(page.body, "<script>alert")
    }
  })

  live("accepts only an https verification URI", function*(there) {
    const addresses = [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "smb://evil.test/x",
      "http://as.hostile.test/activate",
      "data:text/html,x",
      "https://user:pass@as.hostile.test/",
      "--help"
    ]
    for (const [index, address] of addresses.entries()) {
      for (const member of ["verification_uri", "verification_uri_complete"]) {
        there.server.answer(paths.device, { body: device(there, { [member]: address }) })
        const response = yield* attempt(there, { ...grant, connection: `row-${index}`, force: true })
        const page = response.status === 201
          ? yield* there.harness.daemon.request(`/auth/sessions/${response.json.session_id}/device`)
          : response
        assert.notInclude(`${response.body}${page.body}`, address, member)
      }
    }
  })
})
