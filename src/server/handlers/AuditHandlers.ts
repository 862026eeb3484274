/** Handlers of the operations that read and verify the audit log and the request log. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import { RequestLog, verifyLogs } from "../../audit/RequestLog.ts"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { Store } from "../../store/Store.ts"
import { asOneOperation } from "../../vault/manifest/StoreManifest.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { currentIdentity } from "../http/CurrentCaller.ts"

export const AuditHandlers = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fnUntraced(function*(handlers) {
    const audit = yield* AuditLog
    const requests = yield* RequestLog
    const children = yield* ChildRefusal
    const store = yield* Store
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        yield* children.refuseLogs()
        const identity = (yield* currentIdentity)?.profile
        return { entries: yield* audit.list({ ...query, identity, limit: Number(query.limit ?? 50) }) }
      }),
      requests: ({ query: { after, failed, limit, status, until_batch: untilBatch, ...query } }) =>
        asOneOperation(Effect.gen(function*() {
          yield* children.refuseLogs(query.run)
          const profile = (yield* currentIdentity)?.profile
          // Read before the entries, so that the next request does not skip a batch that is added in between.
          const newest = yield* requests.newest
          const { entries, older = null } = yield* requests.list({
            ...query,
            profile,
            limit: Number(limit ?? 50),
            failed: failed === "true",
            ...(status === undefined ? {} : { status: Number(status) }),
            ...(after === undefined ? {} : { after: Number(after) }),
            upTo: Math.min(newest, Number(untilBatch ?? newest))
          })
          // A remote caller does not get the number of the newest batch, which would reveal the activity of others.
          const read = entries.reduce((last, { batch }) => Math.max(last, batch), Number(after ?? 0))
          return { newest: profile === undefined ? newest : read, older, entries }
        })),
      verify: Effect.fnUntraced(function*() {
        yield* children.refuseLogs()
        yield* Effect.mapError(store.check, ({ message }) => VaultUnavailableError.of(message))
        return yield* verifyLogs(audit, requests)
      })
    })
  })
)
