/**
 * Builds requests with `oauth4webapi`, whose `fetch` only records them, so that `OAuthHttp` sends them interruptibly.
 *
 * A module of its own, because the declarations of the package must not name `oauth4webapi`, which is bundled.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"
import type { OAuthRequest } from "./OAuthHttp.ts"

export type Recording = {
  readonly [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, unknown>) => Promise<Response>
  readonly [oauth.allowInsecureRequests]: true
}

/** Records the request that `write` sends. Validate the endpoint with `endpoint` first. */
export const record = (write: (recording: Recording) => Promise<Response>): Effect.Effect<OAuthRequest> =>
  Effect.promise(async () => {
    let recorded: OAuthRequest | undefined
    await write({
      // `safeUrl` has already decided whether http is allowed.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, { body, headers, method }) => {
        const { authorization, "user-agent": _, ...rest } = headers
        recorded = {
          method: method as OAuthRequest["method"],
          url,
          headers: rest,
          ...(authorization === undefined ? {} : { authorization: Redacted.make(authorization) }),
          ...(body === undefined || body === null ? {} : { body: Redacted.make(String(body)) })
        }
        return new Response()
      }
    })
    return recorded!
  })
