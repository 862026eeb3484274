/** Handlers of the operations on profiles. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { Api } from "../../api/Api.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import type { Profile } from "../../domain/wire/Profile.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import { currentIdentity } from "../http/CurrentCaller.ts"

export const ProfilesHandlers = HttpApiBuilder.group(
  Api,
  "profiles",
  Effect.fnUntraced(function*(handlers) {
    const profiles = yield* Profiles
    const audit = yield* AuditLog
    const record = (event: "profile-create" | "profile-use") => ({ handle }: Profile) =>
      audit.append({ event, identity: handle, status: "ok" })
    return handlers.handleAll({
      list: Effect.fnUntraced(function*() {
        const identity = yield* currentIdentity
        const all = yield* profiles.list
        if (identity === undefined) return { active: yield* profiles.active, profiles: all }
        const { profile } = identity
        const own = all.find(({ handle }) => handle === profile)
        return { active: profile, profiles: own === undefined ? [] : [{ ...own, active: true }] }
      }),
      create: ({ payload }) =>
        Effect.tap(profiles.create(Option.fromUndefinedOr(payload.handle)), record("profile-create")),
      use: ({ params }) => Effect.tap(profiles.use(params.handle), record("profile-use"))
    })
  })
)
