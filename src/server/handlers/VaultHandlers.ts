import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { Api } from "../../api/Api.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import { CurrentProfile } from "../../domain/wire/Profile.ts"
import { KeyRotation } from "../../vault/keys/KeyRotation.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { makeBackups } from "../StoreBackup.ts"

export const VaultHandlers = HttpApiBuilder.group(
  Api,
  "vault",
  Effect.fnUntraced(function*(handlers) {
    const audit = yield* AuditLog
    const children = yield* ChildRefusal
    const rotation = yield* KeyRotation
    const backUp = yield* makeBackups
    const attempt = { event: "vault-rotate", provider: null, connection: null } as const

    return handlers.handleAll({
      keys: () => rotation.status,
      rotate: ({ payload: { newKey } }) =>
        Effect.gen(function*() {
          yield* children.refuse("rotation", attempt)
          const identity = yield* CurrentProfile
          const record = audit.append({ ...attempt, identity, status: "ok" })
          return yield* rotation.rotate({ newKey: Option.fromUndefinedOr(newKey?.base64), record })
        }),
      backup: ({ payload: { file } }) =>
        Effect.gen(function*() {
          const attempt = { event: "store-backup", provider: null, connection: null } as const
          yield* children.refuse("backup", attempt)
          const identity = yield* CurrentProfile
          return yield* backUp(file, audit.append({ ...attempt, identity, status: "ok" }))
        })
    })
  })
)
