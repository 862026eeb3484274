/**
 * Validates the use of AWS Signature Version 4 by a definition. Because requests carry no secret, its hosts may have more
 * wildcard labels; every host must have a known credential scope.
 */
import * as Result from "effect/Result"
import { placementAt } from "../injection/Placement.ts"
import { allowsScope, hasPlace, keyPairFields, scopeTemplates } from "./AwsSigV4.ts"
import { parseHostPattern } from "./HostPattern.ts"
import type { Tell } from "./PlacementChecks.ts"
import type { ApiKeyProvider, Placement, ProviderDefinition } from "./Provider.ts"
import { placementsOf, templatesOf } from "./ProviderFields.ts"
import { hostFor } from "./ProviderHosts.ts"

const name = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Whether a valid entry of `hosts` has wildcard labels other than one `*` at the beginning. */
const isWide = (entry: string): boolean => {
  const pattern = parseHostPattern(entry)
  return Result.isSuccess(pattern) && (pattern.success.labels.length > 1 || entry.startsWith("{"))
}

export const checkSigning = (definition: ProviderDefinition, tell: Tell): void => {
  for (const [index, entry] of definition.hosts.entries()) {
    if (isWide(entry) && placementAt(definition, entry).awsSigv4 === undefined) {
      tell(
        ["hosts", index],
        "may contain * only as the first label, as in *.example.com, because the secret is sent to these hosts"
      )
    }
    for (const place of ["{region}", "{service}"]) {
      if (entry.split(place).length > 2) tell(["hosts", index], `contains ${place} twice`)
    }
  }
  if (definition.apiUrl !== undefined && isWide(definition.apiUrl)) {
    tell(["api_url"], "must be one URL without wildcards")
  }
  if (definition.authType === "oauth2") return
  const all = placementsOf(definition)
  if (all.every(({ placement }) => placement.awsSigv4 === undefined)) return
  checkKeyPair(definition, tell)
  checkSecret(definition, tell)
  for (const { place, placement } of all) checkScopes(definition, placement, tell.at(...place))
  checkAssumeRole(definition, tell)
  for (const [index, entry] of definition.hosts.entries()) checkEntry(definition, entry, tell.at("hosts", index))
}

const checkKeyPair = ({ apiKey: { fields } }: ApiKeyProvider, tell: Tell): void => {
  const { accessKeyId, secretAccessKey, sessionToken } = keyPairFields
  const here = tell.at("api_key", "fields")
  for (const field of [accessKeyId, secretAccessKey]) {
    const declared = fields.find((each) => each.name === field)
    if (declared === undefined) here([], `must contain ${field} for aws_sigv4`)
    else if (declared.required === false) here([], `must not make ${field} optional`)
  }
  for (const field of [secretAccessKey, sessionToken]) {
    if (fields.some((each) => each.name === field && !each.secret)) here([], `must declare ${field} as secret`)
  }
}

/** Checks that no request carries the secret: only then are hosts with wildcard labels safe. */
const checkSecret = ({ apiKey, extraHeaders }: ApiKeyProvider, tell: Tell): void => {
  const place = `{${keyPairFields.secretAccessKey}}`
  if (JSON.stringify([...templatesOf(apiKey), apiKey.perHost, extraHeaders]).includes(place)) {
    tell(["api_key"], `must not send ${place}, which is for signing only`)
  }
}

/**
 * Checks that the definition allows signatures for the hosts of `assume_role`, which get requests that are signed with the stored
 * keys.
 */
const checkAssumeRole = (definition: ApiKeyProvider, tell: Tell): void => {
  const { awsSigv4 } = definition.apiKey
  for (const [partition, host] of Object.entries(awsSigv4?.assumeRole ?? {})) {
    const here = tell.at("api_key", "aws_sigv4", "assume_role", partition)
    if (!/^aws[a-z-]*$/.test(partition)) here([], "is not an AWS partition")
    if (host.split("{region}").length !== 2) {
      here([], "must contain {region} once")
      continue
    }
    const region = "xx-check-1"
    const name = host.replace("{region}", region)
    const entry = hostFor(definition, null, { host: name, port: 443 })?.entry
    const signs = entry !== undefined && placementAt(definition, entry).awsSigv4 !== undefined &&
      allowsScope(awsSigv4!, entry, name, { region, service: "sts" })
    if (!signs) here([], "must be one of the hosts whose requests are signed for the service sts")
  }
}

const checkScopes = ({ hosts }: ApiKeyProvider, { awsSigv4 }: Placement, tell: Tell): void => {
  if (awsSigv4 === undefined) return
  for (const entry of Object.keys(awsSigv4.scopes)) {
    if (!hosts.includes(entry)) tell(["aws_sigv4", "scopes", entry], "must be an entry of \"hosts\"")
  }
  for (const [label, names] of Object.entries(awsSigv4.signingNames)) {
    const valid = [label, ...(typeof names === "string" ? [names] : names)].every((text) => name.test(text))
    if (!valid) tell(["aws_sigv4", "signing_names", label], "must name services")
  }
}

const checkEntry = (definition: ApiKeyProvider, entry: string, tell: Tell): void => {
  const { awsSigv4 } = placementAt(definition, entry)
  if (awsSigv4 === undefined) return
  for (const template of scopeTemplates(awsSigv4, entry)) {
    const [region = "", service = "", ...rest] = template.split("/")
    if (rest.length > 0) tell([], `has the scope ${template}, which is not of the form region/service`)
    if (region === "{region}" ? !hasPlace(entry, "region") : region !== "*" && !name.test(region)) {
      tell([], "needs a region: a label {region}, or an entry in aws_sigv4.scopes")
    }
    if (service === "{service}" ? !hasPlace(entry, "service") : !name.test(service)) {
      tell([], "needs a service: a label {service}, or an entry in aws_sigv4.scopes")
    }
  }
}
