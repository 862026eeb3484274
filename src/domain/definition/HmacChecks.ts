/** Validates the HMAC signature of a placement. Every `{place}` in it must be known, and no request may carry the key. */
import { headerParts, type HmacPlacement, messageParts } from "./Hmac.ts"
import { placesIn } from "./HmacTemplate.ts"
import { checkHeaders, checkTemplate, type Tell } from "./PlacementChecks.ts"
import type { ApiKeyProvider, Placement, ProviderDefinition } from "./Provider.ts"
import { placementsOf, templatesOf } from "./ProviderFields.ts"

export const checkHmac = (definition: ProviderDefinition, tell: Tell): void => {
  if (definition.authType === "oauth2") return
  for (const { place, placement } of placementsOf(definition)) checkPlace(definition, placement, tell.at(...place))
}

const checkPlace = (definition: ApiKeyProvider, { headers, hmac }: Placement, tell: Tell): void => {
  if (hmac === undefined) return
  const here = tell.at("hmac")
  checkKey(definition, hmac, here)
  checkTemplate(hmac.message, new Set(messageParts), here.at("message"))
  const fields = definition.apiKey.fields.map(({ name }) => name).filter((name) => name !== hmac.key)
  checkHeaders(hmac.headers, new Set([...headerParts, ...fields]), here.at("headers"))
  for (const name of Object.keys(headers)) {
    if (Object.keys(hmac.headers).some((other) => other.toLowerCase() === name.toLowerCase())) {
      tell(["headers", name], "is also a header of hmac")
    }
  }
  const sent = new Set(Object.values(hmac.headers).flatMap(placesIn))
  const signed = placesIn(hmac.message)
  if (signed.length === 0) here(["message"], "must contain a part of the request, such as {target}")
  if (!sent.has("signature")) here(["headers"], "must send {signature}")
  if (signed.includes("timestamp") && !sent.has("timestamp")) {
    here(["headers"], "must send {timestamp}, because the signature covers it")
  }
}

const checkKey = ({ apiKey, extraHeaders }: ApiKeyProvider, { key }: HmacPlacement, tell: Tell): void => {
  const field = apiKey.fields.find(({ name }) => name === key)
  if (field === undefined) return tell(["key"], "must name one of api_key.fields")
  if (!field.secret) tell(["key"], "must name a secret field")
  if (field.required === false) tell(["key"], "must not name an optional field")
  if (apiKey.fields.some(({ name }) => (headerParts as ReadonlyArray<string>).includes(name))) {
    tell(["api_key", "fields"], `must not use the names ${headerParts.join(", ")} together with hmac`)
  }
  const templates = [...templatesOf(apiKey), apiKey.basic, apiKey.perHost, extraHeaders]
  if (JSON.stringify(templates).includes(`{${key}}`)) {
    tell(["api_key"], `must not send {${key}}, which is for signing only`)
  }
}
