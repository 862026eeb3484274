import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { Api } from "../../api/Api.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import type { AuditEvent } from "../../domain/AuditEntry.ts"
import type { ProfileHandle } from "../../domain/Profile.ts"
import { Profiles } from "../../profiles/Profiles.ts"

export const ProfilesHandlers = HttpApiBuilder.group(
  Api,
  "profiles",
  Effect.fnUntraced(function*(handlers) {
    const profiles = yield* Profiles
    const audit = yield* AuditLog
    const record = (event: AuditEvent, identity: ProfileHandle) =>
      audit.append({ event, provider: null, connection: null, identity, status: "ok" })
    return handlers.handleAll({
      list: () => Effect.zipWith(profiles.active, profiles.list, (active, list) => ({ active, profiles: list })),
      create: ({ payload }) =>
        Effect.tap(
          profiles.create(Option.fromUndefinedOr(payload.handle)),
          ({ handle }) => record("profile-create", handle)
        ),
      use: ({ params }) => Effect.tap(profiles.use(params.handle), ({ handle }) => record("profile-use", handle))
    })
  })
)
