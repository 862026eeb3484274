/** Sends requests to the fake provider's API as a client of `run` does, and as the proxy forwards them. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Connections } from "../connections/Connections.ts"
import { defaultConnectionName } from "../domain/Connection.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import type { ProviderDefinition } from "../domain/Provider.ts"
import type { Resolved } from "../domain/Resolve.ts"
import { hostFor, hostsOf, type ProviderHost } from "../domain/Route.ts"
import { prepare, requestHeaders, requestTarget } from "../outbound/HeaderInjection.ts"
import { type ApiCredential, type ChildCarrier, childCarriers, objections } from "./FakeProviderApi.ts"
import type { ProviderRequest } from "./ProviderMessage.ts"
import { object } from "./ProviderReport.ts"

/** A client's request, with the placeholder where an SDK puts the key, and the path of the test request if possible. */
const childRequest = (
  definition: ProviderDefinition,
  baseUrl: string | null,
  { entry, host, pathPrefix }: ProviderHost,
  carrier: ChildCarrier
): ProviderRequest => {
  const { header, query } = carrier
  const own = definition.testRequest?.path.replaceAll(/\{\w+\}/g, "x").split("?")[0]
  const [name = host, port = "443"] = host.replace("*", "check").split(":")
  // Another entry may have a longer path on the same host, and its own placement.
  const fits = own !== undefined &&
    hostFor(definition, baseUrl, { host: name, port: Number(port), path: own })?.entry === entry
  const path = carrier.path ?? (fits ? own : `${pathPrefix ?? ""}/check`)
  return {
    method: "GET",
    url: new URL(`https://${host.replace("*", "check")}${path}${query === undefined ? "" : `?${query}`}`),
    headers: [["user-agent", "check"], ...(header === undefined ? [] : [header])],
    body: ""
  }
}

const injected = (request: ProviderRequest, credential: Resolved): ProviderRequest => {
  const injection = prepare(credential)
  const flat = requestHeaders(request.headers.flat(), request.url.host, injection)
  const headers = flat.flatMap((name, index) => index % 2 === 0 ? [[name, flat[index + 1]!] as const] : [])
  const target = requestTarget(`${request.url.pathname}${request.url.search}`, injection)
  return { ...request, url: new URL(target, request.url.origin), headers }
}

const placed = (definition: ProviderDefinition, { url }: ProviderRequest) => ({
  provider: definition.name,
  connection: defaultConnectionName,
  host: url.hostname,
  port: url.port === "" ? 443 : Number(url.port),
  path: url.pathname
})

const anyRequest = (definition: ProviderDefinition, baseUrl: string | null) => {
  const [first] = hostsOf(definition, baseUrl)
  return placed(definition, childRequest(definition, baseUrl, first!, childCarriers(definition, first!.entry)[0]!))
}

const outside = { run: Option.none<string>() }

/** Checks that the API accepts a request to every host of the provider, and that a foreign host gets no credential. */
export const reachesEveryHost = Effect.fnUntraced(function*(
  profile: ProfileHandle,
  definition: ProviderDefinition,
  baseUrl: string | null,
  credential: () => ApiCredential
) {
  const connections = yield* Connections
  const places = hostsOf(definition, baseUrl)
  if (places.length === 0) return yield* object("the definition has no host that may receive the credential")
  for (const place of places) {
    for (const carrier of childCarriers(definition, place.entry)) {
      const request = childRequest(definition, baseUrl, place, carrier)
      const resolved = yield* connections.resolve(profile, placed(definition, request), outside)
      const [objection] = objections(definition, place.entry, credential(), injected(request, resolved))
      if (objection !== undefined) return yield* object(`${place.host}${place.pathPrefix ?? ""}: ${objection}`)
    }
  }
  const stranger = { ...anyRequest(definition, baseUrl), host: "stranger.example.net" }
  const leaked = yield* Effect.option(connections.resolve(profile, stranger, outside))
  if (Option.isSome(leaked)) return yield* object("a host of another party got the credential")
})

export const reachesNoHost = Effect.fnUntraced(
  function*(profile: ProfileHandle, definition: ProviderDefinition, baseUrl: string | null) {
    const connections = yield* Connections
    const request = anyRequest(definition, baseUrl)
    const left = yield* Effect.option(connections.resolve(profile, request, outside))
    if (Option.isSome(left)) return yield* object("the credential is still injected after it was revoked")
  }
)
