/** The fake provider that is used in a check, and the network that leads to it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { OAuthHttp, type OAuthRequest, type OAuthResponse } from "../oauth/OAuthHttp.ts"
import type { ProviderRequest, ProviderResponse } from "./ProviderMessage.ts"

const received = (request: OAuthRequest): ProviderRequest => ({
  method: request.method,
  url: new URL(request.url),
  headers: [
    ["host", new URL(request.url).host],
    ...Object.entries(request.headers),
    ...(request.authorization === undefined
      ? []
      : [["authorization", Redacted.value(request.authorization)] as const])
  ],
  body: request.body === undefined ? "" : Redacted.value(request.body)
})

/** The API's challenge. It has no `resource_metadata`, so clients read the well-known URL (RFC 9728 section 3). */
const challenge: ProviderResponse = { status: 401, headers: { "www-authenticate": "Bearer" }, body: "" }

const unknown: ProviderResponse = { status: 404, headers: {}, body: "" }

const sent = ({ body, headers, status }: ProviderResponse): OAuthResponse => ({
  status,
  headers,
  body: Redacted.make(body),
  publicPeer: true
})

/** The server that receives all requests. */
interface FakeServer {
  readonly answer: (request: ProviderRequest) => ProviderResponse | undefined
}

export class FakeProvider extends Context.Service<FakeProvider, {
  server: FakeServer | undefined
}>()("credsvc/conformance/FakeProvider") {
  static readonly layer: Layer.Layer<FakeProvider> = Layer.sync(FakeProvider, () => ({ server: undefined }))
}

/** Replaces the network: every request reaches the fake provider, whatever its host. */
export const httpLayer: Layer.Layer<OAuthHttp, never, FakeProvider> = Layer.effect(
  OAuthHttp,
  Effect.map(FakeProvider, (fakeProvider) => ({
    request: (_, request) =>
      Effect.sync(() => {
        const response = fakeProvider.server?.answer(received(request))
        return sent(response ?? (request.method === "POST" ? challenge : unknown))
      })
  }))
)
