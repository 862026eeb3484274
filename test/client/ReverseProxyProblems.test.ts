import { assert, describe, it } from "@effect/vitest"
import { reverseProxyProblem } from "../../src/client/ReverseProxyProblems.ts"

const from = { url: new URL("https://creds.example"), loopback: false, explicit: true, startable: false }

describe("reverseProxyProblem", () => {
  it.each(
    [
      [401, {}, true, "refused the request (status 401). Set CREDSVC_DAEMON_HEADERS"],
      [302, { location: "https://login.example/" }, false, "redirects to https://login.example, probably to log in"],
      [302, { location: "/elsewhere" }, false, "Check the path in CREDSVC_DAEMON_URL"],
      [404, {}, false, "has no daemon at this address"],
      [502, {}, false, "cannot reach the daemon (status 502)"]
    ] as const
  )("explains the status %s with the fields %o", (status, headers, isRefusal, expected) => {
    assert.include(reverseProxyProblem({ from, status, headers, body: "" }, isRefusal), expected)
  })

  it("does not explain a response that the daemon may have sent", () => {
    assert.isUndefined(reverseProxyProblem({ from, status: 200, headers: {}, body: "" }, false))
  })
})
