/** The vendor that is played at the moment, and the daemon's way to it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { OAuthHttp, type OAuthRequest, type OAuthResponse } from "../oauth/OAuthHttp.ts"
import type { VendorAuthorizationServer } from "./VendorAuthorizationServer.ts"
import type { VendorRequest, VendorResponse } from "./VendorMessage.ts"

const received = (request: OAuthRequest): VendorRequest => ({
  method: request.method,
  url: new URL(request.url),
  headers: [
    ...Object.entries(request.headers),
    ...(request.authorization === undefined
      ? []
      : [["authorization", Redacted.value(request.authorization)] as const])
  ],
  body: request.body === undefined ? "" : Redacted.value(request.body)
})

/** A resource without a token answers so (RFC 9728 section 5.1). */
const challenge: VendorResponse = { status: 401, headers: { "www-authenticate": "Bearer" }, body: "" }

const unknown: VendorResponse = { status: 404, headers: {}, body: "" }

const sent = ({ body, headers, status }: VendorResponse): OAuthResponse => ({
  status,
  headers,
  body: Redacted.make(body),
  publicPeer: true
})

export class Stage extends Context.Service<Stage, {
  vendor: VendorAuthorizationServer | undefined
}>()("credsvc/conformance/Stage") {
  static readonly layer: Layer.Layer<Stage> = Layer.sync(Stage, () => ({ vendor: undefined }))
}

/** Instead of a network: every request reaches the vendor on the stage, whatever host it is for. */
export const httpLayer: Layer.Layer<OAuthHttp, never, Stage> = Layer.effect(
  OAuthHttp,
  Effect.map(Stage, (stage) => ({
    request: (_, request) =>
      Effect.sync(() => {
        const answer = stage.vendor?.answer(received(request))
        return sent(answer ?? (request.method === "POST" ? challenge : unknown))
      })
  }))
)
