import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { type DeviceRequest, poll, request } from "../../src/oauth/DeviceAuthorization.ts"
import { standardStyle } from "../../src/oauth/TokenEndpoint.ts"
import { failsWith } from "../support/Failures.ts"
import * as FakeOAuthHttp from "../support/FakeOAuthHttp.ts"
import { effect } from "../support/Fixture.ts"
import { confidentialClient, publicClient, secret, server } from "./Fixtures.ts"

const device: DeviceRequest = { server, client: publicClient, scopes: ["a", "b"], style: standardStyle }

const good = {
  device_code: "CANARY-device",
  user_code: "ABCD-EFGH",
  verification_uri: "https://as.example/device",
  expires_in: 900
}

const requested = (body: object, changes: Partial<DeviceRequest> = {}) =>
  request({ ...device, ...changes }).pipe(Effect.provide(FakeOAuthHttp.always({ body }).layer))

const polled = (reply: FakeOAuthHttp.Reply, changes: Partial<DeviceRequest> = {}) =>
  poll({ ...device, ...changes, deviceCode: Redacted.make("CANARY-device"), intervalSeconds: 5 }).pipe(
    Effect.provide(FakeOAuthHttp.always(reply).layer)
  )

describe("DeviceAuthorization › the device authorization request", () => {
  effect("sends client and scopes, and the secret of a confidential client", function*() {
    const http = FakeOAuthHttp.always({ body: good })
    yield* request({ ...device, resource: "https://mcp.example/" }).pipe(Effect.provide(http.layer))
    yield* request({ ...device, client: confidentialClient, scopes: [] }).pipe(Effect.provide(http.layer))
    yield* request({ ...device, style: { ...standardStyle, format: "json", names: { scope: "scopes" } } }).pipe(
      Effect.provide(http.layer)
    )
    const [first, second, third] = http.sent
    assert.strictEqual(first!.url, "https://as.example/device")
    assert.deepStrictEqual(first!.fields, {
      client_id: "client-1",
      scope: "a b",
      resource: "https://mcp.example/"
    })
    assert.deepStrictEqual(second!.fields, {
      client_id: "client-1",
      client_secret: secret
    })
    assert.deepStrictEqual(JSON.parse(third!.body), { client_id: "client-1", scopes: "a b" })
  })

  effect("returns the codes, with an interval of five seconds if the server sends none", function*() {
    const given = yield* requested({ ...good, verification_uri_complete: "https://as.example/device?c=ABCD" })
    assert.strictEqual(Redacted.value(given.deviceCode), "CANARY-device")
    assert.deepStrictEqual({ ...given, deviceCode: 0 }, {
      deviceCode: 0,
      userCode: "ABCD-EFGH",
      verificationUri: "https://as.example/device",
      verificationUriComplete: "https://as.example/device?c=ABCD",
      expiresInSeconds: 900,
      intervalSeconds: 5
    } as never)
  })

  effect("does not expose the device code", function*() {
    const given = yield* requested(good)
    assert.notInclude(inspect(given, { depth: 9, showHidden: true }) + JSON.stringify(given), "CANARY")
  })

  const intervals: ReadonlyArray<readonly [unknown, number]> = [
    [10, 10],
    ["7", 7],
    [0, 5],
    [-1, 5],
    [0.01, 1],
    [1e9, 300],
    ["x", 5],
    [null, 5]
  ]
  for (const [interval, expected] of intervals) {
    it.effect(`waits ${expected} seconds between polls for the interval ${JSON.stringify(interval)}`, () =>
      Effect.map(requested({ ...good, interval }), (result) => assert.strictEqual(result.intervalSeconds, expected)))
  }

  effect("limits the lifetime to half an hour", function*() {
    for (const [expires_in, expected] of [[1e9, 1800], ["60", 60], [599.5, 599.5]]) {
      assert.strictEqual((yield* requested({ ...good, expires_in })).expiresInSeconds, expected)
    }
  })

  for (const empty of [undefined, null, "", 0, -1, "soon"]) {
    it.effect(`reads optional members that are ${JSON.stringify(empty)} as absent`, () =>
      Effect.map(
        requested({ ...good, expires_in: empty, interval: empty, verification_uri_complete: empty }),
        (device) =>
          assert.deepInclude(device, { expiresInSeconds: 900, intervalSeconds: 5, verificationUriComplete: null })
      ))
  }

  effect("accepts Google's older name of the verification URI", function*() {
    const { verification_uri, ...rest } = good
    assert.strictEqual(
      (yield* requested({ ...rest, verification_url: verification_uri })).verificationUri,
      verification_uri
    )
  })

  effect("ignores a complete URI on another host, which the user would open without seeing its name", function*() {
    for (const other of ["https://github.example/device?c=ABCD", "https://as.example:8443/device?c=ABCD"]) {
      assert.isNull((yield* requested({ ...good, verification_uri_complete: other })).verificationUriComplete, other)
    }
  })

  for (
    const verification_uri of ["javascript:alert(1)", "http://as.example/", "file:///x", "https://u@as.example/", "x"]
  ) {
    effect(`rejects the verification URI ${verification_uri}`, function*() {
      yield* failsWith(requested({ ...good, verification_uri }), "OAuthUnsafe")
      const complete = yield* requested({ ...good, verification_uri_complete: verification_uri })
      assert.isNull(complete.verificationUriComplete)
    })
  }

  const malformed = [
    { ...good, user_code: undefined },
    { ...good, user_code: "A\u001b[2J" },
    { ...good, user_code: "A".repeat(65) },
    { ...good, device_code: "CANARY\n" },
    { ...good, device_code: {} }
  ]
  for (const [index, body] of malformed.entries()) {
    effect(`rejects a malformed response (${index + 1})`, function*() {
      const error = yield* failsWith(requested(body), "OAuthUnavailable")
      assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "CANARY")
    })
  }
})

describe("DeviceAuthorization › a poll (RFC 8628 section 3.5)", () => {
  const outcome = (reply: FakeOAuthHttp.Reply) =>
    polled(reply).pipe(
      Effect.map((result): string =>
        result._tag === "Pending" ? `Pending, with an interval of ${result.intervalSeconds} s,` : result._tag
      ),
      Effect.catch((error) => Effect.succeed(error._tag === "OAuthRejected" ? error.error : error._tag))
    )
  const refusal = (error: string, status = 400): FakeOAuthHttp.Reply => ({ status, body: { error } })

  const rows: ReadonlyArray<readonly [string, FakeOAuthHttp.Reply, string]> = [
    ["tokens", { body: { access_token: "t", token_type: "bearer" } }, "Granted"],
    ["authorization_pending", refusal("authorization_pending"), "Pending, with an interval of 5 s,"],
    [
      "authorization_pending with status 428, as from Google",
      refusal("authorization_pending", 428),
      "Pending, with an interval of 5 s,"
    ],
    [
      "authorization_pending with status 200, as from GitHub",
      refusal("authorization_pending", 200),
      "Pending, with an interval of 5 s,"
    ],
    ["slow_down", refusal("slow_down"), "Pending, with an interval of 10 s,"],
    ["429", { status: 429 }, "Pending, with an interval of 10 s,"],
    ["access_denied", refusal("access_denied"), "access_denied"],
    ["expired_token", refusal("expired_token"), "expired_token"],
    ["invalid_grant", refusal("invalid_grant"), "invalid_grant"],
    ["500", { status: 500, body: { error: "authorization_pending" } }, "OAuthUnavailable"],
    ["a page", { status: 200, body: "<html>", headers: { "content-type": "text/html" } }, "OAuthUnavailable"],
    ["a redirect", { status: 302 }, "OAuthUnsafe"],
    ["400 alone, as from Trakt", { status: 400 }, "Pending, with an interval of 5 s,"],
    ["404 alone", { status: 404 }, "invalid_grant"],
    ["409 alone", { status: 409 }, "invalid_grant"],
    ["410 alone", { status: 410 }, "expired_token"],
    ["418 alone", { status: 418 }, "access_denied"]
  ]
  for (const [what, reply, expected] of rows) {
    it.effect(`is ${expected} after ${what}`, () =>
      Effect.map(outcome(reply), (result) => assert.strictEqual(result, expected)))
  }

  effect("uses the polling endpoint of the server, if it has one", function*() {
    const http = FakeOAuthHttp.always({ status: 400 })
    const options = { ...device, deviceCode: Redacted.make("d"), intervalSeconds: 5 }
    yield* poll(options).pipe(Effect.provide(http.layer))
    yield* poll({ ...options, server: { ...server, deviceTokenEndpoint: "https://as.example/poll" } }).pipe(
      Effect.provide(http.layer)
    )
    assert.deepStrictEqual(http.sent.map(({ url }) => url), ["https://as.example/token", "https://as.example/poll"])
    assert.deepStrictEqual(http.sent[0]!.fields, {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: "d",
      client_id: "client-1"
    })
  })

  effect("never repeats the device code in a failure", function*() {
    const body = { error: "invalid_grant", error_description: "device code CANARY-device is unknown" }
    const error = yield* Effect.flip(polled({ status: 400, body }))
    assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "CANARY")
  })
})
