/** The data that the dashboard's pages need. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog, type LastUses } from "../../audit/AuditLog.ts"
import { Connections } from "../../connections/Connections.ts"
import type { ProviderName } from "../../domain/definition/Provider.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { type ProfileError, Profiles } from "../../profiles/Profiles.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import type { Provider } from "../../providers/ProviderSnapshot.ts"
import { RunQuestions } from "../../runs/RunQuestions.ts"
import type { Moment } from "./Frame.ts"
import { LiveUpdates } from "./LiveUpdates.ts"
import { makePageNotices } from "./PageNotices.ts"

export interface View {
  readonly moment: Moment
  readonly profile: ProfileHandle
  readonly providers: ReadonlyArray<Provider>
  /** Returns the display name of a provider, even of a removed one. */
  readonly nameOf: (provider: string) => string
}

export interface ConnectionsView extends View {
  /** The connections that the profile may use, of all providers or the requested one, sorted by provider and age. */
  readonly connections: ReadonlyArray<Connection>
  readonly uses: LastUses
}

const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const connections = yield* Connections
  const live = yield* LiveUpdates
  const questions = yield* RunQuestions
  const profiles = yield* Profiles
  const registry = yield* ProviderRegistry

  /** The time and revision, read before the data of the page, so that a change in between is reported later. */
  const moment: Effect.Effect<Moment> = Effect.gen(function*() {
    const revision = yield* live.revision
    return { revision, now: yield* DateTime.now, waiting: (yield* questions.list).length }
  })

  const view: Effect.Effect<View, ProfileError> = Effect.gen(function*() {
    const taken = yield* moment
    const profile = yield* profiles.active
    const providers = yield* registry.list
    const nameOf = (provider: string) => providers.find(({ name }) => name === provider)?.definition.displayName
    return { moment: taken, profile, providers, nameOf: (provider) => nameOf(provider) ?? provider }
  })

  /** The view with connections. Reading them all takes long if there are thousands. */
  const connectionsView = Effect.fnUntraced(function*(provider?: ProviderName) {
    const taken = yield* view
    const uses = yield* audit.lastUses(taken.profile)
    return { ...taken, connections: yield* connections.list(taken.profile, provider), uses }
  })

  return { notices: makePageNotices(), moment, view, connections: connectionsView }
})

export class Dashboard extends Context.Service<Dashboard, Effect.Success<typeof make>>()("credsvc/server/Dashboard") {
  static readonly layerNoDeps = Layer.effect(Dashboard, make)
}
