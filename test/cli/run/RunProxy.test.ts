import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { logEvent } from "../../../src/cli/run/RunProxy.ts"
import { refusedEvent } from "../../../src/proxy/ProxyEvent.ts"

const refusal = { status: 403, error: "RuleDeniedError", message: "No rule allows it." }
const refused = refusedEvent("GET", "api.acme.test", refusal)
const relayed = { ...refused, status: 200, refusal: undefined }

const logged = (isVerbose: boolean) => {
  const lines: Array<string> = []
  const debug = (_site: string, message: string) => Effect.sync(() => void lines.push(message))
  const log = logEvent({ debug, file: undefined, isVerbose })
  log({ ...relayed, injected: true })
  log(relayed)
  log({ ...refused, injected: true }, "build")
  return lines
}

const others = [
  "GET api.acme.test: 200",
  "build: GET api.acme.test: refused with 403 RuleDeniedError: No rule allows it."
]

describe("the debug log of a proxy", () => {
  it("has the requests without a credential and the refused ones", () => {
    assert.deepStrictEqual(logged(false), others)
  })

  it("has all requests with --verbose", () => {
    assert.deepStrictEqual(logged(true), ["GET api.acme.test: 200", ...others])
  })
})
