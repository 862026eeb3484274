/** Checks which hosts get the credential: builds a client's requests, and sends them to the fake API as the proxy does. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Connections } from "../connections/Connections.ts"
import { withCredential } from "../connections/use/CredentialedRequest.ts"
import { allowedScopes, type CredentialScope } from "../domain/definition/AwsSigV4.ts"
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { hostFor, hostsOf, type ProviderHost } from "../domain/definition/ProviderHosts.ts"
import { placementAt } from "../domain/injection/Placement.ts"
import { defaultConnectionName } from "../domain/wire/Names.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import type { Resolved } from "../domain/wire/Resolve.ts"
import { type ApiCredential, type ChildCarrier, childCarriers, objections } from "./FakeProviderApi.ts"
import type { ProviderRequest } from "./ProviderMessage.ts"
import { failCheck } from "./ProviderReport.ts"

/** Returns an example of a host that the entry matches, with names in place of wildcard labels. */
const sampleHost = (entry: string, host: string): string => {
  const samples = entry.split(".").map((label) => label === "{region}" ? "us-west-2" : "check")
  return host.split(".").map((label, index) => label === "*" ? samples[index] ?? "check" : label).join(".")
}

/** Builds a client's request, with the placeholder where an SDK puts the key, and with the path of the test request if possible. */
const childRequest = (
  definition: ProviderDefinition,
  baseUrl: string | null,
  { entry, host, pathPrefix }: ProviderHost,
  carrier: ChildCarrier
): ProviderRequest => {
  const { query } = carrier
  const own = definition.testRequest?.path.replaceAll(/\{\w+\}/g, "x").split("?")[0]
  const [name = host, port = "443"] = sampleHost(entry, host).split(":")
  // Another entry may have a longer path on the same host, and its own placement.
  const fits = own !== undefined &&
    hostFor(definition, baseUrl, { host: name, port: Number(port), path: own })?.entry === entry
  const path = carrier.path ?? (fits ? own : `${pathPrefix ?? ""}/check`)
  const { header } = carrier
  const [type, body = ""] = carrier.content ?? []
  const described = type === undefined ? [] : [["content-type", type], ["content-length", `${body.length}`]] as const
  return {
    method: type === undefined ? "GET" : "POST",
    url: new URL(`https://${sampleHost(entry, host)}${path}${query === undefined ? "" : `?${query}`}`),
    headers: [["user-agent", "check"], ...(header === undefined ? [] : [header]), ...described],
    body
  }
}

const injected = (request: ProviderRequest, credential: Resolved): ProviderRequest => {
  const { headers: fields, method, url: { host, origin, pathname, search } } = request
  const { body = "", headers, path } = withCredential(
    { method, path: `${pathname}${search}`, host, headers: fields.flat(), body: request.body },
    credential
  )
  return {
    method,
    url: new URL(path, origin),
    headers: headers.flatMap((name, index) => index % 2 === 0 ? [[name, headers[index + 1]!] as const] : []),
    body
  }
}

const scopeFor = (definition: ProviderDefinition, entry: string, host: string): CredentialScope | undefined => {
  const { awsSigv4 } = placementAt(definition, entry)
  const [scope] = awsSigv4 === undefined ? [] : allowedScopes(awsSigv4, entry, host)
  return scope?.region === "*" ? { ...scope, region: "us-west-2" } : scope
}

/** Builds the request for a credential that the proxy sends to the daemon. */
const resolveRequestFor = (definition: ProviderDefinition, { url }: ProviderRequest) => ({
  provider: definition.name,
  connection: defaultConnectionName,
  host: url.hostname,
  port: url.port === "" ? 443 : Number(url.port),
  path: url.pathname
})

const anyRequest = (definition: ProviderDefinition, baseUrl: string | null) => {
  const [first] = hostsOf(definition, baseUrl)
  return resolveRequestFor(
    definition,
    childRequest(definition, baseUrl, first!, childCarriers(definition, first!.entry)[0]!)
  )
}

const withoutRun = { run: Option.none<string>() }

/** Checks that the API accepts a request to every host of the provider, and that other hosts get no credential. */
export const checkEveryHost = Effect.fnUntraced(function*(
  profile: ProfileHandle,
  definition: ProviderDefinition,
  baseUrl: string | null,
  credential: () => ApiCredential
) {
  const connections = yield* Connections
  const places = hostsOf(definition, baseUrl)
  if (places.length === 0) return yield* failCheck("the definition has no host that may receive the credential")
  for (const place of places) {
    for (const carrier of childCarriers(definition, place.entry)) {
      const request = childRequest(definition, baseUrl, place, carrier)
      const scope = scopeFor(definition, place.entry, request.url.hostname)
      const resolved = yield* connections.resolve(
        profile,
        { ...resolveRequestFor(definition, request), ...(scope === undefined ? {} : { scope }) },
        withoutRun
      )
      const [objection] = objections(definition, place.entry, credential(), injected(request, resolved))
      if (objection !== undefined) return yield* failCheck(`${place.host}${place.pathPrefix ?? ""}: ${objection}`)
    }
  }
  const stranger = { ...anyRequest(definition, baseUrl), host: "stranger.example.net" }
  const leaked = yield* Effect.option(connections.resolve(profile, stranger, withoutRun))
  if (Option.isSome(leaked)) return yield* failCheck("a host that is not in the definition got the credential")
})

/** Checks that no host gets the revoked credential. */
export const checkNoHost = Effect.fnUntraced(
  function*(profile: ProfileHandle, definition: ProviderDefinition, baseUrl: string | null) {
    const connections = yield* Connections
    const request = anyRequest(definition, baseUrl)
    const left = yield* Effect.option(connections.resolve(profile, request, withoutRun))
    const { headers, hmac, path, query, signing } = Option.getOrElse(
      left,
      () => ({ headers: {}, query: {} }) as Partial<Resolved>
    )
    const isInjected = Object.keys({ ...headers, ...path, ...query }).length > 0 || (hmac ?? signing) !== undefined
    if (isInjected) return yield* failCheck("the credential is still injected after it was revoked")
  }
)
