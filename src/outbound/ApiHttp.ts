/** The interface through which the daemon itself sends requests to a provider. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HeaderPairs } from "../http/HeaderFields.ts"
import type { Authority } from "./Authority.ts"

/** The host sent no response. The message names the host and the reason, and quotes nothing of the request. */
export class ApiUnreachableError extends Schema.TaggedError<ApiUnreachableError>()("ApiUnreachableError", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

export interface ApiRequest {
  readonly authority: Authority
  readonly method: string
  readonly path: string
  /** All header fields, including `Host` and, for a body, `Content-Length`. */
  readonly headers: HeaderPairs
  readonly body?: string | undefined
}

export interface ApiResponse {
  readonly status: number
  /** The body, decoded as UTF-8. Empty unless `readsBody` is set. */
  readonly body: string
}

export class ApiHttp extends Context.Service<ApiHttp, {
  /**
   * Sends a request over https, under the address rules for requests with a credential. Returns the response, with its body of up to
   * 1 MiB only if `readsBody` is set. Does not follow redirects. Fails after ten seconds.
   */
  readonly send: (
    request: ApiRequest,
    options: { readonly readsBody: boolean }
  ) => Effect.Effect<ApiResponse, ApiUnreachableError>
}>()("credsvc/outbound/ApiHttp") {}
