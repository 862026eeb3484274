import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import { AuditLog } from "../../audit/AuditLog.ts"

export const AuditHandlers = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fnUntraced(function*(handlers) {
    const audit = yield* AuditLog
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.map(audit.list({ ...query, limit: Number(query.limit ?? 50) }), (entries) => ({ entries })),
      verify: () => audit.verify
    })
  })
)
