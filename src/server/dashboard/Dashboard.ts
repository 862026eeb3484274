/** What the dashboard's pages are made from, and what their forms need. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog } from "../../audit/AuditLog.ts"
import { Connections } from "../../connections/Connections.ts"
import type { Connection } from "../../domain/Connection.ts"
import type { ProviderNotFoundError, VaultUnavailableError } from "../../domain/Errors.ts"
import type { ProfileHandle } from "../../domain/Profile.ts"
import type { ProviderName } from "../../domain/Provider.ts"
import { type ProfileError, Profiles } from "../../profiles/Profiles.ts"
import { type Provider, ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { type FormTokens, makeFormTokens } from "../pages/FormTokens.ts"
import { type LastUses, useKey } from "./ConnectionRow.ts"
import type { Moment } from "./Frame.ts"
import { LiveUpdates } from "./LiveUpdates.ts"
import { makeNotices, type Notices } from "./Notices.ts"

/** One reading of the store, for one page. */
export interface View {
  readonly moment: Moment
  readonly profile: ProfileHandle
  /** Of the profile: all, or those of the provider that was asked for. By provider and age. */
  readonly connections: ReadonlyArray<Connection>
  readonly providers: ReadonlyArray<Provider>
  /** What people call a provider, also one that is gone. */
  readonly nameOf: (provider: string) => string
}

/** With what the audit log says of the connections, for pages that list them. */
export interface ViewWithUses extends View {
  readonly uses: LastUses
}

/** A list of all names is made when the first is asked for: most pages ask for none or for many. */
const namesOf = (providers: ReadonlyArray<Provider>): View["nameOf"] => {
  let names: ReadonlyMap<string, string> | undefined
  return (name) => {
    names ??= new Map(providers.map(({ definition }) => [definition.name, definition.displayName]))
    return names.get(name) ?? name
  }
}

export class Dashboard extends Context.Service<Dashboard, {
  readonly tokens: FormTokens
  readonly notices: Notices
  /** Taken before what is shown is read, so that a change in between is told later and not lost. */
  readonly moment: Effect.Effect<Moment>
  readonly view: (
    provider?: ProviderName
  ) => Effect.Effect<View, ProfileError | ProviderNotFoundError>
  readonly withUses: (view: View) => Effect.Effect<ViewWithUses, VaultUnavailableError>
}>()("credsvc/server/Dashboard") {
  static readonly layerNoDeps: Layer.Layer<
    Dashboard,
    never,
    AuditLog | Connections | LiveUpdates | Profiles | ProviderRegistry
  > = Layer.effect(
    Dashboard,
    Effect.gen(function*() {
      const audit = yield* AuditLog
      const connections = yield* Connections
      const live = yield* LiveUpdates
      const profiles = yield* Profiles
      const registry = yield* ProviderRegistry

      const moment = Effect.zipWith(live.revision, DateTime.now, (revision, now) => ({ revision, now }))

      const view = Effect.fnUntraced(function*(provider?: ProviderName) {
        const taken = yield* moment
        const profile = yield* profiles.active
        const providers = yield* registry.list
        return {
          moment: taken,
          profile,
          connections: yield* connections.list(profile, provider),
          providers,
          nameOf: namesOf(providers)
        }
      })

      const withUses = (view: View): Effect.Effect<ViewWithUses, VaultUnavailableError> =>
        Effect.map(audit.lastUses(view.profile), (uses) => ({
          ...view,
          uses: new Map(uses.map((use) => [useKey(use.provider, use.connection), use.timestamp]))
        }))

      return Dashboard.of({ tokens: makeFormTokens(), notices: makeNotices(), moment, view, withUses })
    })
  )
}
