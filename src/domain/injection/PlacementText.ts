/** Describes where a credential is placed in a request, in lines of text. */
import type { Placement, ProviderDefinition } from "../definition/Provider.ts"
import { hasFurtherPlace, mainField, placementsOf } from "../definition/ProviderFields.ts"

const linesOf = (placement: Placement, main: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  if (placement.awsSigv4 !== undefined) {
    lines.push("Authorization: AWS4-HMAC-SHA256 (a signature; the secret is not sent)")
  } else if (placement.hmac !== undefined) {
    lines.push(...Object.entries(placement.hmac.headers).map(([name, template]) => `${name}: ${template}`))
  } else if (placement.basic !== undefined) {
    lines.push(`Authorization: Basic ${placement.basic.username}:${placement.basic.password}`)
  } else if (placement.queryParam !== undefined) lines.push(`?${placement.queryParam}={${main}}`)
  else if (placement.headerName !== undefined || !hasFurtherPlace(placement, main)) {
    const prefix = placement.headerPrefix ?? "Bearer"
    lines.push(`${placement.headerName ?? "Authorization"}: ${prefix === "" ? "" : `${prefix} `}{${main}}`)
  }
  for (const [name, template] of Object.entries(placement.headers)) lines.push(`${name}: ${template}`)
  for (const [name, template] of Object.entries(placement.query)) lines.push(`?${name}=${template}`)
  lines.push(...placement.pathTemplates)
  for (const [name, template] of Object.entries(placement.body)) lines.push(`body ${name}: ${template}`)
  for (const [name, template] of Object.entries(placement.messages?.fields ?? {})) {
    lines.push(`WebSocket message ${name}: ${template}`)
  }
  return lines
}

/** One line per header, parameter or path prefix, with the field name in place of its value: `x-api-key: {api_key}`. */
export const placementLines = (definition: ProviderDefinition): ReadonlyArray<string> => {
  const main = mainField(definition)
  const templates = Object.entries(definition.extraHeaders).filter(([, value]) => value.includes("{"))
  return [
    ...new Set([
      ...placementsOf(definition).flatMap(({ placement }) => linesOf(placement, main)),
      ...templates.map(([name, template]) => `${name}: ${template}`)
    ])
  ]
}
