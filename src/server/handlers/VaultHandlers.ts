import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { Api } from "../../api/Api.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import { CurrentProfile } from "../../domain/Profile.ts"
import { KeyRotation } from "../../vault/KeyRotation.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"

/** How long a response waits for the end of a rotation. */
const patience = "2 seconds"

export const VaultHandlers = HttpApiBuilder.group(
  Api,
  "vault",
  Effect.fnUntraced(function*(handlers) {
    const audit = yield* AuditLog
    const children = yield* ChildRefusal
    const rotation = yield* KeyRotation
    const attempt = { event: "vault-rotate", provider: null, connection: null } as const

    return handlers.handleAll({
      keys: () => rotation.status,
      rotate: ({ payload: { newKey } }) =>
        Effect.gen(function*() {
          yield* children.refuse("rotation", attempt)
          const identity = yield* CurrentProfile
          const record = audit.append({ ...attempt, identity, status: "ok" })
          const ended = yield* Effect.timeoutOption(
            rotation.rotate({ newKey: Option.fromUndefinedOr(newKey?.base64), record }),
            patience
          )
          return Option.isSome(ended)
            ? ended.value
            : { status: "running" as const, keys: yield* rotation.status, resumed: false, rows: 0, dataKeys: 0 }
        })
    })
  })
)
