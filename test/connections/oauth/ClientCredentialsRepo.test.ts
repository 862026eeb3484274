import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ConnectionRepo } from "../../../src/connections/ConnectionRepo.ts"
import { type ClientCredentials, ClientCredentialsRepo } from "../../../src/connections/oauth/ClientCredentialsRepo.ts"
import type { OAuthProvider } from "../../../src/domain/definition/Provider.ts"
import { Profiles } from "../../../src/profiles/Profiles.ts"
import { StoreManifest, type StoreTransaction } from "../../../src/vault/manifest/StoreManifest.ts"
import { oauthDefinition } from "../../support/Acme.ts"
import { contentOf, foundation, query, tamper, withHome } from "../../support/Services.ts"
import { type Returned, toEffect } from "../../support/TestBody.ts"

const layer = (home: string) =>
  ClientCredentialsRepo.layerNoDeps.pipe(
    Layer.provideMerge(ConnectionRepo.layerNoDeps),
    Layer.provideMerge(foundation(home))
  )

const entered: ClientCredentials = {
  clientId: "CANARY-CLIENT-ID",
  clientSecret: Redacted.make("CANARY-SECRET"),
  authentication: "client_secret_post",
  source: "entered",
  redirectUri: null,
  secretExpiresAt: null,
  registration: { uri: "https://login.acme.example/clients/1", accessToken: Redacted.make("CANARY-REGISTRATION") },
  refusedAt: null
}

const issuer = "https://login.acme.example"

/** Runs the body in a new process on the home. */
const started = <A>(
  home: string,
  body: (context: {
    readonly repo: ClientCredentialsRepo["Service"]
    readonly placeOf: (
      definition: OAuthProvider,
      issuer?: string
    ) => Parameters<ClientCredentialsRepo["Service"]["find"]>[0]
  }) => Returned<A, StoreTransaction>
) =>
  Effect.gen(function*() {
    const repo = yield* ClientCredentialsRepo
    const profile = yield* (yield* Profiles).active
    const { transact } = yield* StoreManifest
    return yield* transact(toEffect(body({
      repo,
      placeOf: (definition, at = issuer) => ({ profile, definition, baseUrl: null, issuer: at })
    })))
  }).pipe(Effect.provide(layer(home)))

describe("ClientCredentialsRepo", () => {
  it.effect("stores credentials sealed and returns them in the next process", () =>
    withHome(function*(home) {
      yield* started(home, ({ placeOf, repo }) => repo.save(placeOf(oauthDefinition()), entered))
      assert.notInclude(contentOf(home), "CANARY")
      const found = yield* started(home, ({ placeOf, repo }) => repo.find(placeOf(oauthDefinition())))
      assert.deepStrictEqual(found?.credentials, entered)
    }))

  it.effect("does not return credentials for another issuer or for a definition with another endpoint", () =>
    withHome((home) =>
      started(home, function*({ placeOf, repo }) {
        yield* repo.save(placeOf(oauthDefinition()), entered)
        assert.isUndefined(yield* repo.find(placeOf(oauthDefinition(), "https://other.example")))
        const moved = oauthDefinition({ oauth: { token_url: "https://evil.example/token" } })
        assert.isUndefined(yield* repo.find(placeOf(moved)))
        const grown = oauthDefinition({ hosts: ["api.acme.example", "files.acme.example"] })
        assert.isDefined(yield* repo.find(placeOf(grown)))
      })
    ))

  it.effect("keeps previous clients, and removes only the row that was read", () =>
    withHome((home) =>
      started(home, function*({ placeOf, repo }) {
        const place = placeOf(oauthDefinition())
        yield* repo.save(place, entered)
        const first = (yield* repo.find(place))!
        yield* repo.save(place, { ...entered, clientId: "second" })
        yield* repo.remove(first)
        const listed = yield* repo.list(place.profile, place.definition.name)
        assert.deepStrictEqual(listed.map(({ credentials }) => credentials.clientId), ["second", "CANARY-CLIENT-ID"])
        yield* repo.remove(listed[0]!)
        assert.deepStrictEqual(yield* repo.list(place.profile, place.definition.name), [])
      })
    ))

  it.effect("rejects a row that was moved to another issuer", () =>
    withHome(function*(home) {
      yield* started(home, ({ placeOf, repo }) => repo.save(placeOf(oauthDefinition()), entered))
      tamper(home, "UPDATE client_credentials SET issuer = 'https://evil.example'")
      const error = yield* Effect.flip(
        started(home, ({ placeOf, repo }) => repo.find(placeOf(oauthDefinition(), "https://evil.example")))
      )
      assert.strictEqual(error._tag, "VaultUnavailableError")
      assert.strictEqual(query(home, "SELECT count(*) AS n FROM client_credentials")[0]!["n"], 1)
    }))
})
