import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import { AuditLog } from "../../audit/AuditLog.ts"
import { RequestLog } from "../../audit/RequestLog.ts"
import { verifyLogs } from "../../audit/Verification.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"

export const AuditHandlers = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fnUntraced(function*(handlers) {
    const audit = yield* AuditLog
    const requests = yield* RequestLog
    const children = yield* ChildRefusal
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.andThen(
          children.refuseLogs(),
          Effect.map(audit.list({ ...query, limit: Number(query.limit ?? 50) }), (entries) => ({ entries }))
        ),
      requests: ({ query: { after, failed, limit, status, ...query } }) =>
        Effect.gen(function*() {
          yield* children.refuseLogs(query.run)
          // Read first, so that a batch that is recorded meanwhile is not skipped by the next request.
          const newest = yield* requests.newest
          const entries = yield* requests.list({
            ...query,
            limit: Number(limit ?? 50),
            failed: failed === "true",
            ...(status === undefined ? {} : { status: Number(status) }),
            ...(after === undefined ? {} : { after: Number(after) }),
            upTo: newest
          })
          return { newest, entries }
        }),
      verify: () => verifyLogs(audit, requests)
    })
  })
)
