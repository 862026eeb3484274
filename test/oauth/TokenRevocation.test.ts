import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { type RevocationRequest, revoke } from "../../src/oauth/TokenRevocation.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { effect } from "../support/Fixture.ts"
import { confidentialClient, publicClient, secret, server } from "./Fixtures.ts"

const revocation: RevocationRequest = {
  server,
  client: publicClient,
  token: Redacted.make("CANARY-refresh"),
  hint: "refresh_token",
  style: { format: "form" }
}

const revoked = (reply: FakeOAuthHttp.Reply) =>
  revoke({ ...revocation, client: confidentialClient }).pipe(Effect.provide(FakeOAuthHttp.always(reply).layer))

describe("revoke (RFC 7009)", () => {
  effect("sends the token with its hint, and authenticates the client as at the token endpoint", function*() {
    const http = FakeOAuthHttp.always({})
    yield* revoke(revocation).pipe(Effect.provide(http.layer))
    yield* revoke({ ...revocation, client: confidentialClient, style: { format: "json" } }).pipe(
      Effect.provide(http.layer)
    )
    assert.strictEqual(http.sent[0]!.url, "https://as.example/revoke")
    assert.deepStrictEqual(http.sent[0]!.fields, {
      token: "CANARY-refresh",
      token_type_hint: "refresh_token",
      client_id: "client-1"
    })
    assert.deepStrictEqual(JSON.parse(http.sent[1]!.body), {
      token: "CANARY-refresh",
      token_type_hint: "refresh_token",
      client_id: "client-1",
      client_secret: secret
    })
  })

  effect("succeeds with 200, whatever the body is, and with a token that the server does not know", function*() {
    yield* revoked({ status: 200, body: "OK", headers: { "content-type": "text/html" } })
    yield* revoked({ status: 204 })
    yield* revoked({ status: 400, body: { error: "invalid_token" } })
  })

  const rows: ReadonlyArray<readonly [FakeOAuthHttp.Reply, string]> = [
    [{ status: 400, body: { error: "unsupported_token_type" } }, "unsupported_token_type"],
    [{ status: 401, headers: { "www-authenticate": "Basic" } }, "invalid_client"],
    [{ status: 400, body: "no" }, "malformed"],
    [{ status: 503, headers: { "retry-after": "9" } }, "server_error"],
    [{ status: 429 }, "rate_limited"],
    [{ status: 307, headers: { location: "https://evil.example/" } }, "OAuthUnsafe"]
  ]
  for (const [reply, expected] of rows) {
    effect(`is ${expected} with ${reply.status}`, function*() {
      const error = yield* Effect.flip(revoked(reply))
      const what = error._tag === "OAuthRejected"
        ? error.error
        : error._tag === "OAuthUnsafe"
        ? error._tag
        : error.reason
      assert.strictEqual(what, expected)
      assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "CANARY")
    })
  }
})
