import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { CredentialStep } from "../../../src/proxy/exchange/CredentialStep.ts"
import { ResponseRelay } from "../../../src/proxy/exchange/ResponseRelay.ts"
import { UpstreamAttempt } from "../../../src/proxy/exchange/UpstreamAttempt.ts"
import { proxied } from "../../support/ProxiedHost.ts"

/** Makes a step of the next exchange throw, as a defect of the proxy would. */
const breaks = (step: object, name: string) => {
  const broken = vi.spyOn(step as Record<string, () => void>, name)
  return broken.mockImplementationOnce(() => {
    throw new TypeError("a defect")
  })
}

describe("a defect of the proxy", () => {
  it.live.each([
    { step: "the credential of a request", of: CredentialStep.prototype, name: "begin" },
    { step: "the answer about a credential", of: CredentialStep.prototype, name: "apply" },
    { step: "a request for the upstream", of: UpstreamAttempt.prototype, name: "begin" },
    { step: "the head of a response", of: ResponseRelay.prototype, name: "start" },
    { step: "the content of a response", of: ResponseRelay.prototype, name: "pass" },
    { step: "the end of a response", of: ResponseRelay.prototype, name: "finish" }
  ])("in $step ends only the current exchange", ({ name, of }) =>
    Effect.gen(function*() {
      const { exchange, open } = yield* proxied((request, response) => {
        request.resume()
        response.end("hello")
      })
      const broken = breaks(of, name)
      const failed = yield* Effect.exit(exchange("GET /"))
      assert.strictEqual(broken.mock.calls.length, 1)
      if (failed._tag === "Success") assert.notStrictEqual(failed.value.body, "hello")
      broken.mockRestore()
      const other = yield* open()
      assert.strictEqual((yield* other.exchange("GET /")).body, "hello")
    }))
})
