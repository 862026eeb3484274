/** Discovers a provider from the URL of its MCP server: its authorization server, and a definition to register. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { parseAddress } from "../../domain/definition/HostPattern.ts"
import type { ProviderDefinition, ProviderName } from "../../domain/definition/Provider.ts"
import { hostFor } from "../../domain/definition/ProviderHosts.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { readCustomDefinition } from "../../providers/CustomDefinition.ts"
import { derivedName } from "../../providers/DerivedName.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import { OAuthTargets } from "./OAuthTargets.ts"

export interface DiscoveredProvider {
  /** The provider to which the URL belongs, or an unused name. */
  readonly provider: ProviderName
  readonly registered: boolean
  readonly resource: string
  readonly authorizationServer: string
  readonly definition: Schema.JsonObject
}

interface DiscoveryOptions {
  readonly allowInsecureLoopback: boolean
  readonly trustIssuer?: string | undefined
  readonly noResource?: boolean | undefined
}

const documentOf = (name: string, address: URL): Schema.JsonObject => ({
  schema_version: 1,
  name,
  display_name: address.host,
  description: `MCP server at ${address.host}`,
  auth_type: "oauth2",
  flow: "dcr_pkce",
  api_url: `${address.origin}${address.pathname === "/" ? "" : address.pathname}`,
  oauth: { resource: address.href }
})

const withoutSlash = (address: string): string => address.replace(/\/$/, "")

/** Whether the URL is the resource of a definition and at one of its hosts. Otherwise tokens would be sent elsewhere. */
const isFor = (address: URL) => ({ definition }: Provider): boolean =>
  definition.authType === "oauth2" && definition.flows.includes("dcr_pkce") &&
  definition.oauth.resource !== undefined &&
  withoutSlash(definition.oauth.resource) === withoutSlash(address.href) &&
  hostFor(definition, null, {
      host: address.hostname,
      port: Number(address.port || (address.protocol === "https:" ? 443 : 80)),
      path: address.pathname
    }) !== undefined

/** The provider to which the URL belongs, if any. Bundled providers take precedence over custom ones. */
const ownerOf = (providers: ReadonlyArray<Provider>, address: URL): ProviderDefinition | undefined => {
  const claimants = providers.filter(isFor(address))
  return (claimants.find(({ source }) => source === "bundled") ?? claimants[0])?.definition
}

const make = Effect.gen(function*() {
  const registry = yield* ProviderRegistry
  const targets = yield* OAuthTargets

  const refused = (message: string) => InvalidRequestError.at("/url", message)

  /** Discovers the provider of a URL. Stores nothing. */
  const discover = Effect.fn("ProviderDiscovery.discover")(function*(text: string, options: DiscoveryOptions) {
    const parsed = parseAddress(text, options)
    if (Result.isFailure(parsed)) return yield* refused(parsed.failure)
    const address = new URL(text)
    if (address.hash !== "") return yield* refused("must not have a fragment")
    const providers = yield* registry.list
    const own = ownerOf(providers, address)
    const names = new Set<string>(providers.map(({ definition }) => definition.name))
    const document = documentOf(own?.name ?? (yield* derivedName(address, (name) => names.has(name))), address)
    // The definition as it will be once it is registered with the same permission.
    const permitted = address.protocol === "http:" ? { ...document, allow_insecure_loopback: true } : document
    const definition = own ?? (yield* Effect.mapError(
      readCustomDefinition(permitted, options),
      (problems) => refused(problems.map(({ message }) => message).join("; "))
    ))
    if (definition.authType !== "oauth2") return yield* refused("is not the URL of an OAuth provider")
    const { server } = yield* targets.discover({
      definition,
      baseUrl: null,
      scopes: [],
      noResource: options.noResource,
      trustIssuer: options.trustIssuer
    })
    return {
      provider: definition.name,
      registered: own !== undefined,
      resource: address.href,
      authorizationServer: server.issuer,
      // Adds the device login, for machines without a browser. The default flow stays the first in the list.
      definition: own !== undefined || server.deviceAuthorizationEndpoint === undefined
        ? document
        : { ...document, flows: ["dcr_pkce", "device_code"] }
    }
  })

  return { discover }
})

export class ProviderDiscovery
  extends Context.Service<ProviderDiscovery, Effect.Success<typeof make>>()("credsvc/flows/ProviderDiscovery")
{
  static readonly layerNoDeps = Layer.effect(ProviderDiscovery, make)

  static readonly layerRoom = this.layerNoDeps.pipe(Layer.provide(OAuthTargets.layerNoDeps))
}
