/** The port through which the daemon itself makes a request to a provider's API. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HeaderPairs } from "../http/HeaderFields.ts"
import type { Authority } from "./Authority.ts"

/** No response came. The message names the host and the reason, and nothing of the request. */
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
  /** Path and query. */
  readonly path: string
  /** Complete, with `Host` and, for a body, `Content-Length`. */
  readonly headers: HeaderPairs
  readonly body?: string | undefined
}

export class ApiHttp extends Context.Service<ApiHttp, {
  /**
   * Sends a request over https, under the rules for requests that carry a credential, and returns the status of the
   * response. The body is not read, and a redirect is a response like any other. Fails after ten seconds.
   */
  readonly status: (request: ApiRequest) => Effect.Effect<number, ApiUnreachableError>
}>()("credsvc/outbound/ApiHttp") {}
