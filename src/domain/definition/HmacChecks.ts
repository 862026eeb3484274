/** Validates the HMAC signature of a placement: every place is known, and no request carries the key. */
import { headerParts, type HmacPlacement, messageParts } from "./Hmac.ts"
import { placesIn } from "./HmacTemplate.ts"
import { checkHeaders, checkTemplate, type Tell } from "./PlacementChecks.ts"
import type { ApiKeyProvider, Placement, ProviderDefinition } from "./Provider.ts"

export const checkHmac = (definition: ProviderDefinition, tell: Tell): void => {
  if (definition.authType === "oauth2") return
  const { apiKey } = definition
  checkPlace(["api_key"], definition, apiKey, tell)
  for (const [entry, placement] of Object.entries(apiKey.perHost)) {
    checkPlace(["api_key", "per_host", entry], definition, placement, tell)
  }
}

const checkPlace = (
  path: ReadonlyArray<string>,
  definition: ApiKeyProvider,
  { headers, hmac }: Placement,
  tell: Tell
): void => {
  if (hmac === undefined) return
  const place = [...path, "hmac"]
  checkKey(place, definition, hmac, tell)
  checkTemplate([...place, "message"], hmac.message, new Set(messageParts), tell)
  const fields = definition.apiKey.fields.map(({ name }) => name).filter((name) => name !== hmac.key)
  checkHeaders([...place, "headers"], hmac.headers, new Set([...headerParts, ...fields]), tell)
  for (const name of Object.keys(headers)) {
    if (Object.keys(hmac.headers).some((other) => other.toLowerCase() === name.toLowerCase())) {
      tell([...path, "headers", name], "is also a header of hmac")
    }
  }
  const sent = new Set(Object.values(hmac.headers).flatMap(placesIn))
  const signed = placesIn(hmac.message)
  if (signed.length === 0) tell([...place, "message"], "must contain a part of the request, such as {target}")
  if (!sent.has("signature")) tell([...place, "headers"], "must send {signature}")
  if (signed.includes("timestamp") && !sent.has("timestamp")) {
    tell([...place, "headers"], "must send {timestamp}, which is signed")
  }
}

const checkKey = (
  path: ReadonlyArray<string>,
  { apiKey, extraHeaders }: ApiKeyProvider,
  { key }: HmacPlacement,
  tell: Tell
): void => {
  const field = apiKey.fields.find(({ name }) => name === key)
  if (field === undefined) return tell([...path, "key"], "must name one of api_key.fields")
  if (!field.secret) tell([...path, "key"], "must name a secret field")
  if (field.required === false) tell([...path, "key"], "must not name an optional field")
  if (apiKey.fields.some(({ name }) => (headerParts as ReadonlyArray<string>).includes(name))) {
    tell(["api_key", "fields"], `must not use the names ${headerParts.join(", ")} together with hmac`)
  }
  const templates = [apiKey.headers, apiKey.query, apiKey.pathTemplates, apiKey.basic, apiKey.perHost, extraHeaders]
  if (JSON.stringify(templates).includes(`{${key}}`)) tell(["api_key"], `must not send {${key}}, which only signs`)
}
