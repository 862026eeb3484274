import { assert, describe, it } from "@effect/vitest"
import { refusalProblem, reverseProxyProblem } from "../../src/client/ReverseProxyProblems.ts"

const from = { url: new URL("https://creds.example"), loopback: false, explicit: true, startable: false }

describe("reverseProxyProblem", () => {
  it.each(
    [
      [302, { location: "https://login.example/" }, "redirects to https://login.example, probably to log in"],
      [302, { location: "/elsewhere" }, "Check the path in CREDSVC_DAEMON_URL"],
      [404, {}, "has no daemon at this address"],
      [502, {}, "cannot reach the daemon (status 502)"]
    ] as const
  )("explains the status %s with the fields %o", (status, headers, expected) => {
    assert.include(reverseProxyProblem({ from, status, headers, body: "" }), expected)
  })

  it("explains a refusal, and no response that the daemon may have sent", () => {
    const refusal = refusalProblem({ from, status: 401, headers: {}, body: "" })
    assert.include(refusal, "refused the request (status 401). Set CREDSVC_DAEMON_HEADERS")
    assert.isUndefined(reverseProxyProblem({ from, status: 200, headers: {}, body: "" }))
  })
})
