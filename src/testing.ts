/**
 * The library for tests of programs that embed credsvc: services in memory, with a fixed key and a fake provider instead
 * of the network.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { temporaryHome } from "./conformance/CheckHome.ts"
import { FakeProvider, httpLayer } from "./conformance/FakeProvider.ts"
import { ApiHttp, ApiUnreachableError } from "./outbound/ApiHttp.ts"
import * as Services from "./server/Services.ts"
import { Store } from "./store/Store.ts"
import { KeyResolver } from "./vault/keys/KeyResolver.ts"

export { FakeAuthorizationServer } from "./conformance/FakeAuthorizationServer.ts"
export { FakeProvider } from "./conformance/FakeProvider.ts"
export type { ProviderRequest, ProviderResponse } from "./conformance/ProviderMessage.ts"

/** A database in memory, which is closed with the scope. */
export const memoryStore = Store.layerMemory

/** A key that is the same in every process. Protects nothing. */
export const fixedKey = KeyResolver.layerKey(() => new Uint8Array(32).fill(7), "a fixed key for tests")

const noChecks = Layer.succeed(ApiHttp, {
  send: () => Effect.fail(new ApiUnreachableError({ detail: "Tests have no network." }))
})

/**
 * All services, with a temporary home that is deleted when the scope closes. No request leaves the process: the `server`
 * of `FakeProvider` receives requests to authorization servers, and requests that check a credential fail.
 */
export const layer = (options: Omit<Services.Options, "home" | "http"> = {}) =>
  Layer.unwrap(Effect.map(temporaryHome, (home) =>
    Services.layer({
      store: memoryStore,
      keyResolver: fixedKey,
      ...options,
      home,
      http: Layer.merge(Layer.provide(httpLayer, FakeProvider.layer), noChecks)
    }).pipe(Layer.provideMerge(FakeProvider.layer))))
