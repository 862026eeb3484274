/** The proxy's requests to the daemon: the route list, and the credential for one request. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChannelResponse } from "../../client/DaemonChannel.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { DaemonRequest } from "../../client/DaemonConnection.ts"
import type { RunNotices } from "../../client/RunRegistration.ts"
import type { DaemonUnavailableError } from "../../domain/Errors.ts"
import { frozenRunOrSandbox, stoppedRun } from "../../domain/text/EndedRun.ts"
import type { ProgramLoginReply, ProgramLoginRequest } from "../../domain/wire/ProgramLogin.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import type { ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import { readRoutes } from "../../domain/wire/ReadRoutes.ts"
import type { Resolved, ResolveRequest } from "../../domain/wire/Resolve.ts"
import { resolvePath, routesPath } from "../../domain/wire/ResolveMessages.ts"
import { setNewest } from "../../platform/BoundedMap.ts"
import { traceparentOf } from "../../telemetry/Spans.ts"
import { readResolved } from "./ReadResolved.ts"

/** A request for the credential of one provider. */
export type CredentialRequest = ResolveRequest & { readonly provider: ProviderName }

/** A query about the login of a program, in its wire form. */
export type LoginQuery = typeof ProgramLoginRequest.Encoded

/** The daemon's reply to such a query, in its wire form. */
export type LoginDecision = typeof ProgramLoginReply.Encoded

/** The daemon returned no credential. Shown to clients, so it contains no secret. `error`: the daemon's error class. */
export class CredentialRefusedError extends Data.TaggedError("CredentialRefusedError")<{
  readonly error: string
  readonly detail: string
  readonly status: number
}> {
  override get message(): string {
    return this.detail
  }
}

export class CredentialSource extends Context.Service<CredentialSource, {
  /** Reads the routes; `undefined` if they have not changed since `version`. */
  readonly routes: (version: string | undefined) => Effect.Effect<ProxyRoutes | undefined, CredentialRefusedError>

  /**
   * Resolves the current credential. Only `known` may repeat a result, so that a logout takes effect with the next request.
   * Equal results can be the same object.
   */
  readonly resolve: (request: CredentialRequest) => Effect.Effect<Resolved, CredentialRefusedError>

  /** An earlier result of `resolve`, or undefined if only a new query could show that it is unchanged. */
  readonly known?: ((request: CredentialRequest) => Resolved | undefined) | undefined

  /** Asks the daemon what to do with a program's login, refresh or logout request, or with the response to it. */
  readonly login: (query: LoginQuery) => Effect.Effect<LoginDecision, CredentialRefusedError>

  /**
   * Calls the listener when credentials that were resolved before may no longer be valid. Returns a function that
   * removes the listener.
   */
  readonly onChange: (listener: () => void) => () => void

  /** Sends a report about requests. Returns false if it should be sent again later, and `rejected` if it is invalid. */
  readonly report: (text: string) => Effect.Effect<boolean | "rejected">
}>()("credsvc/proxy/CredentialSource") {
  /**
   * Asks the daemon. `runId` identifies the run. `profile` is the profile with which the run began: switching profiles does not
   * affect programs that are already running. `renewed` waits until a lost registration of the run is renewed, and returns
   * false if that failed or it was not lost. `notices` are the daemon's notices to the run. `used` is called for each request
   * that gets a credential.
   */
  static readonly layerDaemon = (options: {
    readonly runId: string
    readonly profile?: string | undefined
    readonly renewed?: Effect.Effect<boolean> | undefined
    readonly notices?: Pick<RunNotices, "ended" | "listen"> | undefined
    readonly used?: (() => void) | undefined
  }): Layer.Layer<CredentialSource, never, DaemonClient> =>
    Layer.effect(CredentialSource, Effect.map(DaemonClient, (client) => makeDaemonSource(client, options)))
}

type DaemonSourceOptions = Parameters<typeof CredentialSource.layerDaemon>[0]

const queryOf = (request: CredentialRequest): string => JSON.stringify({ ...request, scheme: "https" })

const endedError = (how: "stopped" | "frozen") =>
  how === "stopped"
    ? new CredentialRefusedError({ error: "OperationNotAllowedError", detail: stoppedRun, status: 403 })
    : new CredentialRefusedError({ error: "RunFrozenError", detail: frozenRunOrSandbox, status: 403 })

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Converts a failure of the services to a refusal. */
export const refusedError = (error: { readonly _tag: string; readonly detail?: unknown; readonly status?: unknown }) =>
  new CredentialRefusedError({
    error: error._tag,
    detail: typeof error.detail === "string" ? error.detail : error._tag,
    status: typeof error.status === "number" ? error.status : 500
  })

const problemError = (status: number, body: string): CredentialRefusedError => {
  // Without a problem document, the status describes the error.
  const document: { readonly error?: unknown; readonly detail?: unknown } = Object(parsedJson(body))
  return new CredentialRefusedError({
    error: typeof document.error === "string" ? document.error : "Unexpected",
    detail: typeof document.detail === "string" ? document.detail : `The daemon responded with status ${status}.`,
    status
  })
}

/** The maximum number of different responses that are kept. */
const maxAnswers = 64

interface LastAnswer {
  readonly received: ChannelResponse
  readonly resolved: Resolved
  isRenewed: boolean
}

/** The last response to each query. A response with the same text is not decoded again. */
class LastAnswers {
  readonly #answers = new Map<string, LastAnswer>()
  readonly #renew: (query: string) => void

  constructor(renew: (query: string) => void) {
    this.#renew = renew
  }

  /** The credential in a response; undefined for any other response, which also ends the reuse of the last one. */
  credentialIn(query: string, received: ChannelResponse): Resolved | undefined {
    const { body, status } = received
    const last = this.#answers.get(query)
    const read = () => last?.received.body === body ? last.resolved : readResolved(body)
    const resolved = status === 200 ? read() : undefined
    if (resolved === undefined) this.#answers.delete(query)
    else setNewest(this.#answers, query, { received, resolved, isRenewed: false }, maxAnswers)
    return resolved
  }

  /** The last credential, if the daemon would return the same one now. Renews a response before it expires, so that no request waits. */
  unchanged(query: string): Resolved | undefined {
    const last = this.#answers.get(query)
    const validity = last?.received.validity?.() ?? "over"
    if (last === undefined || validity === "over") return undefined
    if (validity === "expiring" && !last.isRenewed) {
      last.isRenewed = true
      this.#renew(query)
    }
    return last.resolved
  }
}

/** The fields that name the run and its profile to the daemon. */
const callerFields = ({ profile, runId }: DaemonSourceOptions): Record<string, string> => ({
  ...(profile === undefined ? {} : { "credsvc-profile": profile }),
  "credsvc-run": runId
})

const exchangeWith = (client: DaemonClient["Service"]) => (request: DaemonRequest) =>
  Effect.mapError(
    Effect.callback<ChannelResponse, DaemonUnavailableError>((resume) => client.exchange(request, resume)),
    refusedError
  )

const reported: Readonly<Record<number, boolean | "rejected">> = { 200: true, 400: "rejected", 413: "rejected" }

const makeDaemonSource = (client: DaemonClient["Service"], options: DaemonSourceOptions) => {
  const { notices, renewed = Effect.succeed(false), used } = options
  const caller = callerFields(options)
  const json = { ...caller, "content-type": "application/json" }
  const exchange = exchangeWith(client)
  const queried = (body: string) => ({ method: "POST", path: resolvePath, headers: json, body })
  const answers = new LastAnswers((query) =>
    client.exchange(queried(query), (exit) => {
      if (exit._tag === "Success") answers.credentialIn(query, exit.value)
    })
  )
  const noteUse = ({ confirm, rejected }: CredentialRequest): void => {
    if (rejected === undefined && confirm === undefined) used?.()
  }

  return CredentialSource.of({
    routes: Effect.fnUntraced(function*(version: string | undefined) {
      const headers = { ...caller, ...(version === undefined ? {} : { "if-none-match": `"${version}"` }) }
      const { body, status } = yield* exchange({ method: "GET", path: routesPath, headers, body: undefined })
      if (status === 304) return undefined
      if (status !== 200) return yield* Effect.fail(problemError(status, body))
      return readRoutes(parsedJson(body)) ?? (yield* Effect.fail(problemError(status, "")))
    }),

    resolve: Effect.fnUntraced(function*(request: CredentialRequest) {
      // After a restart, the daemon no longer knows why the run ended.
      if (notices?.ended !== undefined) return yield* endedError(notices.ended)
      const body = queryOf(request)
      const ask = Effect.withFiber((fiber) => exchange({ ...queried(body), traceparent: traceparentOf(fiber.context) }))
      let received = yield* ask
      // A restarted daemon may not know the run yet.
      if (received.status === 403 && (yield* renewed)) received = yield* ask
      const resolved = answers.credentialIn(body, received)
      if (resolved === undefined) return yield* problemError(received.status, received.body)
      // The daemon may have waited for a provider.
      if (notices?.ended !== undefined) return yield* endedError(notices.ended)
      noteUse(request)
      return resolved
    }),

    known: (request) => {
      const resolved = answers.unchanged(queryOf(request))
      if (resolved === undefined || notices?.ended !== undefined) return undefined
      noteUse(request)
      return resolved
    },

    login: Effect.fnUntraced(function*(query: LoginQuery) {
      if (notices?.ended !== undefined) return yield* endedError(notices.ended)
      const request = { path: "/proxy/login", headers: json, body: JSON.stringify(query) }
      const { body, status } = yield* exchange({ method: "POST", ...request })
      // Like `readResolved`, trusts the daemon, which has encoded the reply.
      const reply = status === 200 ? parsedJson(body) as LoginDecision | undefined : undefined
      return reply ?? (yield* problemError(status, body))
    }),

    onChange: (listener) => notices?.listen(listener) ?? (() => {}),

    report: (body) =>
      client.sendIfRunning({ method: "POST", path: "/runs/requests", headers: json, body }).pipe(
        Effect.flatMap(({ status }) =>
          status === 403 ? Effect.as(renewed, false) : Effect.succeed(reported[status] ?? false)
        ),
        Effect.orElseSucceed(() => false)
      )
  })
}
