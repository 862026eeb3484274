import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Connection } from "../../../src/domain/wire/Connection.ts"
import { acme, main, work } from "../../support/Acme.ts"
import { definition, inHome } from "../../support/KeyConnections.ts"
import { revealed } from "../../support/StoredConnections.ts"

const twoFields = definition({
  api_key: {
    fields: [{ name: "account_id", label: "Account", secret: false }, { name: "api_key", label: "Key" }],
    basic: { username: "{account_id}", password: "{api_key}" }
  },
  export: {
    env: { account_id: "ACME_ACCOUNT", api_key: "ACME_TOKEN" },
    base_urls: { ACME_BASE_URL: "https://api.acme.example/v1" },
    cloud_identity: { google: true, azure: ["https://acme.example", "acme"] }
  }
})

const secretOf = (connection: Connection) => connection.apiKey && Redacted.value(connection.apiKey)

describe("RunVariables", () => {
  it.effect("returns the placeholder for the prefix of the stored key, and a separate placeholder for each other connection", () =>
    inHome(
      function*({ connections, profile, save }) {
        const placeholders = () => Effect.map(connections.routes(profile), ({ placeholders }) => placeholders)
        const general = { provider: acme, variable: "ACME_KEY", value: "ak-credsvc-proxy-managed" }
        const live = { provider: acme, variable: "ACME_KEY", value: "ak-live-credsvc-proxy-managed" }
        yield* save("default", { api_key: "ak-live-s3cret" })
        assert.deepStrictEqual(yield* placeholders(), [live])
        yield* save("work", { api_key: "ak-test-s3cret" })
        const own = {
          ...general,
          connection: work,
          own: true,
          variable: "WORK_ACME_KEY",
          value: "ak-credsvc-proxy-managed--work"
        }
        assert.deepStrictEqual(yield* placeholders(), [live, { ...general, connection: work }, own])
        yield* save("default", { api_key: "ak-test-other" }, { force: true })
        assert.deepStrictEqual(yield* placeholders(), [general, own])
      },
      definition({
        placeholder: "ak-credsvc-proxy-managed",
        placeholder_by_prefix: { "ak-live-": "ak-live-credsvc-proxy-managed" }
      })
    ))

  it.effect("has variables for the default connection and the ten oldest others", () =>
    inHome(function*({ connections, profile, save }) {
      for (let at = 0; at < 14; at++) yield* save(at === 0 ? "default" : `c${at}`, { api_key: `key${at}` })
      const { placeholders } = yield* connections.routes(profile)
      assert.deepStrictEqual(
        placeholders.map(({ variable }) => variable),
        ["ACME_KEY", ...Array.from({ length: 10 }, (_, at) => `C${at + 1}_ACME_KEY`)]
      )
    }, definition({ placeholder: "ak-credsvc-proxy-managed" })))

  it.effect("reveals and exports a key of several fields", () =>
    inHome(function*({ connections, profile, resolve, save }) {
      yield* save("default", { account_id: "A7", api_key: "s3cret" })
      const shown = yield* connections.get(profile, acme, main, { reveal: true })
      assert.deepStrictEqual(JSON.parse(secretOf(shown)!), { account_id: "A7", api_key: "s3cret" })
      const exported = yield* connections.exportCredential(profile, { provider: acme })
      assert.strictEqual(Redacted.value(exported.output), "ACME_ACCOUNT=A7\nACME_TOKEN=s3cret\n")
      assert.deepStrictEqual(revealed((yield* resolve()).headers), {
        Authorization: `Basic ${Buffer.from("A7:s3cret").toString("base64")}`
      })
      // The account is not secret, so the child process gets the real value.
      const { baseUrls, cloudIdentities, placeholders } = yield* connections.routes(profile)
      assert.deepStrictEqual(baseUrls, [
        { provider: acme, variable: "ACME_BASE_URL", value: "https://api.acme.example/v1" }
      ])
      const identities = [
        { provider: acme, variable: "GCE_METADATA_HOST", value: "" },
        { provider: acme, variable: "IDENTITY_ENDPOINT", value: "https://acme.example" },
        { provider: acme, variable: "IDENTITY_ENDPOINT", value: "acme" }
      ]
      assert.deepStrictEqual(cloudIdentities, identities)
      assert.deepStrictEqual(placeholders, [
        { provider: acme, variable: "ACME_ACCOUNT", value: "A7" },
        { provider: acme, variable: "ACME_TOKEN", value: "credsvc-proxy-managed" }
      ])
      // The account of another connection applies to runs that select it.
      yield* save("work", { account_id: "B8", api_key: "s3cret" })
      const { cloudIdentities: ofBoth, placeholders: both } = yield* connections.routes(profile)
      assert.deepStrictEqual(ofBoth, [...identities, {
        provider: acme,
        connection: work,
        variable: "GCE_METADATA_HOST",
        value: ""
      }])
      assert.deepStrictEqual(both, [
        ...placeholders,
        { provider: acme, connection: work, variable: "ACME_ACCOUNT", value: "B8" },
        {
          provider: acme,
          connection: work,
          own: true,
          variable: "WORK_ACME_TOKEN",
          value: "credsvc-proxy-managed--work"
        }
      ])
    }, twoFields))
})
