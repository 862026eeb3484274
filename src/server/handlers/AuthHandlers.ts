/** Handlers of the operations on auth sessions, the logins in progress. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../../api/Api.ts"
import { OperationNotAllowedError, type RequestRefusedError } from "../../domain/Errors.ts"
import type { SessionId } from "../../domain/wire/AuthSession.ts"
import { CurrentProfile } from "../../domain/wire/Profile.ts"
import { FlowRunner } from "../../flows/FlowRunner.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { currentIdentity } from "../http/CurrentCaller.ts"
import { refusalResponse } from "../http/ProblemResponses.ts"

const tooMany = (error: RequestRefusedError) =>
  Effect.succeed(refusalResponse({ status: 429, detail: error.detail ?? error.title }))

const remoteCommand = () =>
  OperationNotAllowedError.of(
    "Only the administrator can register a credential command, because the daemon runs it on its own machine."
  )

export const AuthHandlers = HttpApiBuilder.group(
  Api,
  "auth",
  Effect.fnUntraced(function*(handlers) {
    const children = yield* ChildRefusal
    const flows = yield* FlowRunner

    /** Fails if a remote caller names a session of another profile. */
    const ofCaller = (id: SessionId) =>
      Effect.flatMap(
        currentIdentity,
        (identity) => identity === undefined ? Effect.void : flows.belongsTo(id, identity.profile)
      )

    return handlers.handleAll({
      start: Effect.fnUntraced(function*({ payload }) {
        const profile = yield* CurrentProfile
        const { command, connection = null, containedOnly, noResource, provider, trustIssuer } = payload
        const attempt = { event: "login", provider, connection } as const
        // The daemon would run the program, outside of any run.
        if (command !== undefined && (yield* currentIdentity) !== undefined) return yield* remoteCommand()
        if (command !== undefined) yield* children.refuse("credentialCommand", attempt)
        // Some logins need only a redirect by the provider, which a command inside a run could trigger.
        if (containedOnly === false) yield* children.refuse("removalOfContainedOnly", attempt)
        if (trustIssuer !== undefined || noResource === true) yield* children.refuse("trustedIssuer", attempt)
        return yield* flows.start(profile, payload)
      }, Effect.catchTag("RequestRefusedError", tooMany)),
      get: ({ params, query }) =>
        flows.get(params.session_id, { waitSeconds: Number(query.wait ?? 0) }).pipe(
          Effect.catchTag("RequestRefusedError", tooMany)
        ),
      resume: ({ params, payload }) =>
        Effect.andThen(ofCaller(params.session_id), flows.resume(params.session_id, payload.data)),
      cancel: ({ params }) => Effect.andThen(ofCaller(params.session_id), flows.cancel(params.session_id))
    })
  })
)
