/** Reads the daemon's response with a credential. */
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import type { HmacSigning, Resolved, SigningKey } from "../../domain/wire/Resolve.ts"

const redactedValues = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

const signingKeyOf = (
  { access_key_id: accessKeyId, date, key, region, service, session_token: sessionToken }: typeof SigningKey.Encoded
): SigningKey => ({
  accessKeyId,
  ...(sessionToken === undefined ? {} : { sessionToken: Redacted.make(sessionToken) }),
  key: Redacted.make(key),
  date,
  region,
  service
})

const hmacSigningOf = (
  { encoding, headers, key, message, timestamp }: typeof HmacSigning.Encoded
): HmacSigning => ({ key: Redacted.make(key), message, timestamp, encoding, headers: redactedValues(headers) })

/**
 * Decodes `Resolved`; undefined for any other text. The daemon has proved to be the daemon of this home, so a text that
 * it has encoded is not checked again. The proxy needs this for every request, and the schema takes three times as long
 * (docs/decisions/0016-resolve-once.md). A run does not load schemas (docs/decisions/0022-start-of-a-run.md).
 */
export const readResolved = (text: string): Resolved | undefined => {
  try {
    const resolved = JSON.parse(text) as typeof Resolved.Encoded
    const { accepted, body, captures, expires_at, hmac, messages, path, signing } = resolved
    return {
      provider: resolved.provider as ProviderName,
      connection: resolved.connection as ConnectionName,
      headers: redactedValues(resolved.headers),
      query: redactedValues(resolved.query),
      ...(path === undefined ? {} : { path: redactedValues(path) }),
      ...(body === undefined ? {} : { body: redactedValues(body) }),
      ...(messages === undefined
        ? {}
        : { messages: { first: messages.first, fields: redactedValues(messages.fields) } }),
      defaults: redactedValues(resolved.defaults),
      secrets: resolved.secrets.map((secret) => Redacted.make(secret)),
      strip: resolved.strip,
      ...(signing === undefined ? {} : { signing: signingKeyOf(signing) }),
      ...(hmac === undefined ? {} : { hmac: hmacSigningOf(hmac) }),
      ...(captures === undefined ? {} : { captures }),
      ...(accepted === undefined ? {} : { accepted }),
      expiresAt: expires_at === null ? null : DateTime.makeUnsafe(expires_at),
      issuedAt: DateTime.makeUnsafe(resolved.issued_at),
      refreshable: resolved.refreshable
    }
  } catch {
    return undefined
  }
}
