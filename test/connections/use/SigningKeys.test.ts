import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import { signingKey } from "../../../src/connections/use/SigningKeys.ts"
import type { ProviderName } from "../../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ResolveRequest } from "../../../src/domain/wire/Resolve.ts"
import { failsWith } from "../../support/Failures.ts"
import { testsIn } from "../../support/Fixture.ts"
import { type Context, inHome } from "../../support/KeyConnections.ts"
import { redacted, type Values } from "../../support/StoredConnections.ts"
import { type Returned, toEffect } from "../../support/TestBody.ts"

const aws = "aws" as ProviderName
const KEYS = { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }

/** The context of the test, for connections of AWS. */
const ofAws = ({ connections, profile, resolve, save }: Context) => ({
  connections,
  profile,
  save: (values: Values, connection = "default") => save(connection, values, { provider: aws }),
  resolve: (request: Partial<ResolveRequest>) => resolve({ provider: aws, ...request })
})

const { effect } = testsIn((body: (context: ReturnType<typeof ofAws>) => Returned<void>) =>
  inHome((context) => toEffect(body(ofAws(context))))
)

describe("signingKey", () => {
  it("derives the key of AWS's documented example", () => {
    const example = redacted({ ...KEYS, secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" })
    const now = DateTime.makeUnsafe("2012-02-15T23:59:59.999Z")
    const { date, key } = signingKey(example, { region: "us-east-1", service: "iam" }, now)
    assert.strictEqual(date, "20120215")
    assert.strictEqual(
      Buffer.from(Redacted.value(key), "base64").toString("hex"),
      "f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d"
    )
  })
})

describe("SigningKeys, for the connections of a provider", () => {
  effect("returns a key for the scope of the request and the host, and never the secret", function*({ resolve, save }) {
    yield* save(KEYS)
    const scope = { region: "eu-west-1", service: "s3" }
    const resolved = yield* resolve({ host: "s3.amazonaws.com", scope })
    assert.deepInclude(resolved.signing, { accessKeyId: KEYS.access_key_id, ...scope })
    assert.isUndefined(resolved.signing?.sessionToken)
    assert.deepStrictEqual(resolved.headers, {})
    assert.notInclude(
      JSON.stringify(resolved, (_, value) => Redacted.isRedacted(value) ? Redacted.value(value) : value),
      KEYS.secret_access_key
    )
    const derived = yield* resolve({ host: "sts.eu-west-1.amazonaws.com" })
    assert.deepInclude(derived.signing, { region: "eu-west-1", service: "sts" })
    assert.notDeepEqual(Redacted.value(derived.signing!.key), Redacted.value(resolved.signing!.key))
  })

  effect("refuses the scope of another service or region, and hosts without a region", function*({ resolve, save }) {
    yield* save(KEYS)
    const cases = [
      ["bucket.s3.eu-west-1.amazonaws.com", { region: "us-east-1", service: "s3" }],
      ["bucket.s3.eu-west-1.amazonaws.com", { region: "eu-west-1", service: "iam" }],
      ["iam.amazonaws.com", { region: "us-east-1", service: "sts" }],
      ["s3.amazonaws.com", undefined],
      ["evil.example", { region: "us-east-1", service: "s3" }]
    ] as const
    for (const [host, scope] of cases) {
      yield* failsWith(resolve({ host, ...(scope === undefined ? {} : { scope }) }), "OperationNotAllowedError")
    }
  })

  effect(
    "has placeholders for the key pair, and for the session token only if one is stored",
    function*({ connections, profile, resolve, save }) {
      yield* save(KEYS)
      const { placeholders, routes } = yield* connections.routes(profile)
      assert.deepStrictEqual(placeholders.map(({ variable }) => variable), [
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY"
      ])
      for (const { value } of placeholders) assert.include(value, "credsvc-proxy-managed")
      assert.isTrue(routes.filter(({ provider }) => provider === aws).every(({ signing }) => signing === "aws_sigv4"))
      yield* save({ ...KEYS, session_token: "FwoGZXIvYXdzEXAMPLEtoken" }, "temporary")
      const { placeholders: both } = yield* connections.routes(profile)
      assert.include(
        both.map(({ connection, variable }) => `${connection ?? ""} ${variable}`),
        "temporary AWS_SESSION_TOKEN"
      )
      const { signing } = yield* resolve({
        host: "sts.us-east-1.amazonaws.com",
        connection: "temporary" as ConnectionName
      })
      assert.strictEqual(Redacted.value(signing!.sessionToken!), "FwoGZXIvYXdzEXAMPLEtoken")
    }
  )
})
