/** Serves documents that stay the same while the daemon runs. Clients that already have the document get status 304. */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { builtins } from "../../platform/builtins.ts"

/** Serves a document with an `ETag`. Its bytes are built once. */
export const etagResponse = (
  text: string,
  { contentType, headers }: { readonly contentType: string; readonly headers?: Readonly<Record<string, string>> }
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> => {
  const bytes = new TextEncoder().encode(text)
  const etag = `"${builtins.crypto.createHash("sha256").update(bytes).digest("base64url")}"`
  const fields = { "cache-control": "private, no-cache", ...headers, etag }
  const whole = HttpServerResponse.uint8Array(bytes, { contentType, headers: fields })
  const unchanged = HttpServerResponse.empty({ status: 304, headers: fields })
  return Effect.map(
    HttpServerRequest.HttpServerRequest,
    (request) => request.headers["if-none-match"]?.includes(etag) === true ? unchanged : whole
  )
}
