/** The proxy's requests to the daemon: the route list, and the credential for one request. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ChannelAnswer } from "../../client/DaemonChannel.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { DaemonUnavailableError } from "../../domain/Errors.ts"
import type { ProviderName } from "../../domain/ProviderName.ts"
import { ProxyRoutes } from "../../domain/ProxyRoutes.ts"
import { resolvePath, routesPath } from "../../domain/ResolveChannel.ts"
import type { PlacedCredential } from "../../outbound/HeaderInjection.ts"

export interface ResolveRequest {
  readonly host: string
  readonly port: number
  /** The path without query, given only if the routes of the host differ by path. */
  readonly path?: string | undefined
  readonly provider: ProviderName
  readonly connection?: string | undefined
  /** `issuedAt` of a credential that the upstream rejected. The daemon refreshes the credential if it is still the stored one. */
  readonly rejected?: string | undefined
}

export interface ResolvedCredential extends PlacedCredential {
  readonly provider: string
  readonly connection: string
}

/** The daemon returned no credential. Shown to clients, so it contains no secret. `error`: the daemon's error class. */
export class CredentialRefusedError extends Schema.TaggedError<CredentialRefusedError>()("CredentialRefusedError", {
  error: Schema.String,
  detail: Schema.String,
  status: Schema.Number
}) {
  override get message(): string {
    return this.detail
  }
}

export class CredentialSource extends Context.Service<CredentialSource, {
  /** Reads the routes; `undefined` if they have not changed since `version`. */
  readonly routes: (version: string | undefined) => Effect.Effect<ProxyRoutes | undefined, CredentialRefusedError>

  /** Resolves the current credential. Results must not be cached, so that a logout takes effect with the next request. */
  readonly resolve: (request: ResolveRequest) => Effect.Effect<ResolvedCredential, CredentialRefusedError>

  /** `resolve` without a fiber. The proxy prefers it if present. */
  readonly ask?: (
    request: ResolveRequest,
    done: (exit: Exit.Exit<ResolvedCredential, CredentialRefusedError>) => void
  ) => void
}>()("credsvc/proxy/CredentialSource") {
  /**
   * Asks the daemon. `runId` identifies the run in the audit log. `profile` is the profile with which the run began: switching
   * profiles does not affect programs that are already running.
   */
  static readonly layerDaemon = (options: {
    readonly runId: string
    readonly profile?: string | undefined
  }): Layer.Layer<CredentialSource, never, DaemonClient> =>
    Layer.effect(
      CredentialSource,
      Effect.gen(function*() {
        const client = yield* DaemonClient
        const decodeRoutes = Schema.decodeUnknownEffect(Schema.fromJsonString(ProxyRoutes))

        const asker: Record<string, string> = {
          ...(options.profile === undefined ? {} : { "credsvc-profile": options.profile }),
          "credsvc-run": options.runId
        }

        const routes = Effect.fnUntraced(function*(version: string | undefined) {
          const headers = { ...asker, ...(version === undefined ? {} : { "if-none-match": `"${version}"` }) }
          const response = yield* Effect.callback<ChannelAnswer, DaemonUnavailableError>((resume) =>
            client.exchange({ method: "GET", path: routesPath, headers, body: undefined }, resume)
          ).pipe(Effect.mapError(refused))
          if (response.status === 304) return undefined
          if (response.status !== 200) return yield* Effect.fail(problem(response.status, response.body))
          return yield* Effect.mapError(decodeRoutes(response.body), () => problem(response.status, ""))
        })

        // Runs for every request, so the response is read by hand: decoding it by its schema costs more than the call.
        const headers = { ...asker, "content-type": "application/json" }
        const ask: CredentialSource["Service"]["ask"] = (request, done) => {
          const body = JSON.stringify({ ...request, scheme: "https" })
          client.exchange({ method: "POST", path: resolvePath, headers, body }, (exit) => {
            if (Exit.isFailure(exit)) return done(Exit.failCause(Cause.map(exit.cause, refused)))
            const { body, status } = exit.value
            const credential = status === 200 ? readResolved(body) : undefined
            done(credential === undefined ? Exit.fail(problem(status, body)) : Exit.succeed(credential))
          })
        }
        const resolve = (request: ResolveRequest) =>
          Effect.callback<ResolvedCredential, CredentialRefusedError>((resume) => ask(request, resume))

        return CredentialSource.of({ routes, resolve, ask })
      })
    )
}

const refused = (error: { readonly _tag: string; readonly detail?: unknown; readonly status?: unknown }) =>
  new CredentialRefusedError({
    error: error._tag,
    detail: typeof error.detail === "string" ? error.detail : error._tag,
    status: typeof error.status === "number" ? error.status : 500
  })

const secrets = (value: unknown): Readonly<Record<string, Redacted.Redacted<string>>> | undefined => {
  if (!Predicate.isObject(value)) return undefined
  const out: Record<string, Redacted.Redacted<string>> = {}
  for (const name in value) {
    const text = value[name]
    if (typeof text !== "string") return undefined
    out[name] = Redacted.make(text)
  }
  return out
}

const texts = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.every((text) => typeof text === "string") ? value : undefined

export const readResolved = (body: string): ResolvedCredential | undefined => {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (!Predicate.isObject(value) || !Predicate.isObject(value["strip"])) return undefined
  const { connection, issued_at: issuedAt, provider } = value
  const headers = secrets(value["headers"])
  const query = secrets(value["query"])
  const path = secrets(value["path"] ?? {})
  const defaults = secrets(value["defaults"])
  const stripHeaders = texts(value["strip"]["headers"])
  const stripQuery = texts(value["strip"]["query"])
  if (
    typeof provider !== "string" || typeof connection !== "string" || headers === undefined || query === undefined ||
    path === undefined || defaults === undefined || stripHeaders === undefined || stripQuery === undefined
  ) return undefined
  return {
    provider,
    connection,
    headers,
    query,
    path,
    defaults,
    strip: { headers: stripHeaders, query: stripQuery },
    issuedAt: typeof issuedAt === "string" ? issuedAt : undefined,
    refreshable: value["refreshable"] === true
  }
}

const problem = (status: number, body: string): CredentialRefusedError => {
  let document: { readonly error?: unknown; readonly detail?: unknown } = {}
  try {
    document = Object(JSON.parse(body))
  } catch {
    // Without a problem document the error is described by the status.
  }
  return new CredentialRefusedError({
    error: typeof document.error === "string" ? document.error : "Unexpected",
    detail: typeof document.detail === "string" ? document.detail : `The daemon responded with status ${status}.`,
    status
  })
}
