/** Handlers of the operations on the keys of the vault, and of backups. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { Api } from "../../api/Api.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
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

    return handlers.handleAll({
      keys: () => rotation.status,
      rotate: ({ payload: { newKey } }) =>
        children.outside(
          "rotation",
          { event: "vault-rotate" },
          (identity) =>
            rotation.rotate({
              newKey: Option.fromUndefinedOr(newKey?.base64),
              record: audit.append({ event: "vault-rotate", identity, status: "ok" })
            })
        ),
      backup: ({ payload: { file } }) =>
        children.outside(
          "backup",
          { event: "store-backup" },
          (identity) => backUp(file, audit.append({ event: "store-backup", identity, status: "ok" }))
        )
    })
  })
)
