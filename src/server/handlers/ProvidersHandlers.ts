/** Handlers of the operations on provider definitions. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { Api } from "../../api/Api.ts"
import {
  type ProviderDetail,
  ProviderList,
  type ProviderOverlap,
  type ProviderSummary
} from "../../api/ProvidersGroup.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import type { AuditRecord } from "../../audit/AuditRecord.ts"
import { Connections } from "../../connections/Connections.ts"
import { exportNames } from "../../domain/definition/ProviderFields.ts"
import { hostsOf } from "../../domain/definition/ProviderHosts.ts"
import type { OperationNotAllowedError } from "../../domain/Errors.ts"
import { hostAndPrefix } from "../../domain/injection/Route.ts"
import { CurrentProfile } from "../../domain/wire/Profile.ts"
import { ProviderName } from "../../domain/wire/ProviderName.ts"
import { ProviderDiscovery } from "../../flows/oauth/ProviderDiscovery.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import type { Overlap, RoutedConnection } from "../../providers/RoutingTable.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { forProfile } from "../http/ProfileSelection.ts"

const summaryOf = ({ definition, overridesBundled, source }: Provider): ProviderSummary => ({
  name: definition.name,
  displayName: definition.displayName,
  authType: definition.authType,
  flow: definition.flow,
  flows: definition.flows,
  source,
  overridesBundled,
  checked: definition.checked ?? null,
  hosts: hostsOf(definition).map(hostAndPrefix),
  variables: exportNames(definition).map(({ variable }) => variable)
})

const encodeList = Schema.encodeSync(Schema.fromJsonString(ProviderList))

const detailOf = ({ definition, overridesBundled, source }: Provider): ProviderDetail => ({
  ...definition,
  overridesBundled,
  source
})

const overlapOf = ({ confirmed, otherPlace, otherProvider, otherSource, place }: Overlap): ProviderOverlap => ({
  host: place,
  otherProvider,
  otherHost: otherPlace,
  otherSource,
  takenOver: confirmed && otherSource === "bundled"
})

const maxDiscoveries = 4

export const ProvidersHandlers = HttpApiBuilder.group(
  Api,
  "providers",
  Effect.fnUntraced(function*(handlers) {
    const registry = yield* ProviderRegistry
    const connections = yield* Connections
    const audit = yield* AuditLog
    const children = yield* ChildRefusal
    const discovery = yield* ProviderDiscovery
    // Each discovery contacts several servers, some of them slow.
    const discovering = yield* Semaphore.make(maxDiscoveries)
    // With hundreds of providers, encoding costs more than the rest of the response.
    const lists = new WeakMap<object, string>()
    const list = Effect.gen(function*() {
      const revision = yield* registry.revision
      let body = lists.get(revision)
      if (body === undefined) {
        body = encodeList({ providers: (yield* registry.list).map(summaryOf) })
        lists.set(revision, body)
      }
      return HttpServerResponse.text(body, { contentType: "application/json" })
    })
    /** Makes a change that only callers outside of runs may make if connections would no longer be for contained runs only. */
    const changed = <A, E, R>(
      attempt: Pick<AuditRecord, "event" | "provider">,
      change: (keepContained: boolean) => Effect.Effect<A, E | OperationNotAllowedError, R>
    ) =>
      Effect.catchTag(
        change(true),
        "OperationNotAllowedError",
        () => Effect.andThen(children.refuse("removalOfContainedOnly", { ...attempt, connection: null }), change(false))
      )
    /** Lists the connections with their base URLs, or none if the vault is unusable: conflicts are also handled at routing. */
    const routed = forProfile(connections.routed).pipe(Effect.orElseSucceed((): ReadonlyArray<RoutedConnection> => []))
    const optionsOf = (query: {
      readonly allow_insecure_loopback?: string
      readonly take_over?: ReadonlyArray<string>
    }) =>
      Effect.map(routed, (connections) => ({
        allowInsecureLoopback: query.allow_insecure_loopback === "true",
        takeOver: query.take_over ?? [],
        connections
      }))
    return handlers.handleAll({
      list: () => list,
      get: ({ params }) => Effect.map(registry.get(params.provider), detailOf),
      register: Effect.fnUntraced(function*({ payload, query }) {
        const profile = yield* CurrentProfile
        const options = { ...yield* optionsOf(query), force: query.force === "true" }
        const provider = yield* changed(
          // Only a valid definition, which has a name, fails because of a limit.
          {
            event: "register",
            provider: Option.getOrNull(Schema.decodeUnknownOption(ProviderName)(Reflect.get(Object(payload), "name")))
          },
          (keepContained) => registry.register(payload, { ...options, keepContained })
        )
        yield* audit.append({ event: "register", provider: provider.definition.name, identity: profile, status: "ok" })
        // Reading the revision notifies runs that use connections whose definition has changed.
        yield* connections.revision
        return detailOf(provider)
      }),
      check: Effect.fnUntraced(function*({ payload, query }) {
        const claims = yield* registry.check(payload, yield* optionsOf(query))
        return { ...claims, overlaps: claims.overlaps.map(overlapOf) }
      }),
      discover: ({ payload: { allowInsecureLoopback = false, noResource, trustIssuer, url } }) =>
        discovering.withPermits(1)(discovery.discover(url, { allowInsecureLoopback, noResource, trustIssuer })),
      remove: ({ params: { provider } }) =>
        forProfile((profile) =>
          changed(
            { event: "remove", provider },
            (keepContained) => connections.removeProvider(profile, provider, { keepContained })
          )
        )
    })
  })
)
