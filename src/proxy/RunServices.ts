/** Connects a run to the daemon, which returns routes and credentials, and to the configuration. */
import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { CertificateAuthority } from "../certificates/CertificateAuthority.ts"
import type { Upstream } from "../config/file/ConfigDocument.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import type { ProxyRoutes } from "../domain/wire/ProxyRoutes.ts"
import type { Resolved } from "../domain/wire/Resolve.ts"
import { injectionOf, UnusableCredentialError } from "../outbound/HeaderInjection.ts"
import { hmacCredential } from "../outbound/HmacSignature.ts"
import { signingCredential } from "../outbound/sigv4/RequestSigner.ts"
import { tracerOf } from "../telemetry/Spans.ts"
import { credentialRefusal } from "./ErrorResponse.ts"
import type { RunServices } from "./exchange/RunContext.ts"
import { ProxyTelemetry } from "./ProxyTelemetry.ts"
import { RequestReports } from "./RequestReports.ts"
import { compileCapture } from "./routing/CapturedRequests.ts"
import { CredentialGate } from "./routing/CredentialGate.ts"
import { CredentialRefusedError, type CredentialRequest, CredentialSource } from "./routing/CredentialSource.ts"
import type { Resolution } from "./routing/Resolution.ts"
import { ResolveBatch } from "./routing/ResolveBatch.ts"
import * as RouteTable from "./routing/RouteTable.ts"
import { RouteWatch } from "./routing/RouteWatch.ts"

/** Asks the daemon for credentials, and prepares them for requests. */
const makeResolver = (
  source: CredentialSource["Service"],
  gate: CredentialGate,
  telemetry: ProxyTelemetry,
  context: Context.Context<never>
) => {
  const run = Effect.runCallbackWith(context)
  const isTraced = tracerOf(context) !== undefined
  let changes = 0
  /** The last resolution, reused while the source returns the same object, as it does for equal responses. */
  let last: { readonly resolved: Resolved; readonly resolution: Resolution } | undefined
  const resolutionOf = (resolved: Resolved): Resolution => {
    if (last?.resolved !== resolved) last = { resolved, resolution: preparedCredential(resolved) }
    return last.resolution
  }
  const outcomeOf = (exit: Exit.Exit<Resolved, CredentialRefusedError>): Resolution => {
    if (Exit.isSuccess(exit)) return resolutionOf(exit.value)
    last = undefined
    return { _tag: "refused", refusal: credentialRefusal(failureIn(exit.cause)) }
  }
  /** Asks the daemon, and again if a change was reported meanwhile, because the response may be older than the change. */
  const resolve = (request: CredentialRequest, done: (outcome: Resolution) => void): void => {
    if (gate.refusal !== undefined) return done({ _tag: "refused", refusal: gate.refusal })
    const before = changes
    const ended = telemetry.beganResolving()
    run(telemetry.resolving(request, source.resolve(request)), {
      onExit: (exit) => {
        ended(Exit.isSuccess(exit))
        if (before === changes) done(outcomeOf(exit))
        else resolve(request, done)
      }
    })
  }
  return {
    resolve,
    /** The outcome that is known without a query to the daemon. Undefined with traces, which would lack the span of the query. */
    knownOutcome: (request: CredentialRequest): Resolution | undefined => {
      const resolved = isTraced || gate.refusal !== undefined ? undefined : source.known?.(request)
      return resolved === undefined ? undefined : resolutionOf(resolved)
    },
    onChange: (listener: () => void) =>
      source.onChange(() => {
        changes++
        listener()
      })
  }
}

/** Creates the services of a run. `routes`: the routes, if already read. Fails if the daemon returns no routes. */
export const runServices = Effect.fnUntraced(function*(
  filter: RouteTable.RouteFilter,
  authorityFor: (table: RouteTable.RouteTable) => CertificateAuthority,
  routes?: ProxyRoutes
) {
  const source = yield* CredentialSource
  const config = yield* ConfigFile
  const context = yield* Effect.context<never>()
  const run = Effect.runCallbackWith(context)
  const first = routes ?? (yield* source.routes(undefined))
  if (first === undefined) {
    return yield* new CredentialRefusedError({
      error: "DaemonUnavailableError",
      detail: "The daemon returned no routes.",
      status: 503
    })
  }
  let upstream: Upstream = (yield* config.read).upstream
  const table = RouteTable.make(first.version, first.routes, filter)
  const gate = new CredentialGate()
  const telemetry = new ProxyTelemetry(context)
  const { knownOutcome, onChange, resolve } = makeResolver(source, gate, telemetry, context)
  const reports = new RequestReports(source.report, run)
  yield* Effect.addFinalizer(() => reports.close)
  const services: RunServices = {
    telemetry,
    reports,
    listed: first.placeholders,
    gate,
    authority: authorityFor(table),
    credentials: new ResolveBatch<CredentialRequest, Resolution>(resolve, knownOutcome),
    login: (query, done) => {
      run(source.login(query), {
        onExit: (exit) => done(Exit.isSuccess(exit) ? exit.value : credentialRefusal(failureIn(exit.cause)))
      })
    },
    onChange,
    watch: new RouteWatch(table, filter, (version, done) => {
      run(source.routes(version), {
        onExit: (exit) => done(Exit.isSuccess(exit) ? exit.value : undefined)
      })
    }),
    readUpstream: () =>
      Effect.runPromiseWith(context)(Effect.match(config.read, {
        // An invalid file leaves the settings unchanged; `credsvc doctor` reports it.
        onFailure: () => upstream,
        onSuccess: (document) => upstream = document.upstream
      }))
  }
  return { first, services, upstream: () => upstream }
})

/** The credential in the form that is applied to requests, or why it cannot be used. */
const preparedCredential = (resolved: Resolved): Resolution => {
  try {
    const { accepted, captures, hmac, issuedAt, refreshable, signing } = resolved
    return {
      _tag: "resolved",
      connection: resolved.connection,
      injection: injectionOf(resolved),
      ...(signing === undefined ? {} : { signing: signingCredential(signing) }),
      ...(hmac === undefined ? {} : { hmac: hmacCredential(hmac) }),
      ...(captures === undefined ? {} : { captured: captures.map(compileCapture) }),
      accepted,
      issuedAt,
      refreshable
    }
  } catch (error) {
    const message = error instanceof UnusableCredentialError ? error.message : "the stored credential cannot be used"
    return { _tag: "refused", refusal: { status: 403, error: "CredentialMissingError", message } }
  }
}

const failureIn = (cause: Cause.Cause<CredentialRefusedError>) => {
  const failure = cause.reasons.find((reason) => reason._tag === "Fail")
  return failure?._tag === "Fail" && failure.error instanceof CredentialRefusedError
    ? failure.error
    : { error: "Unexpected", detail: "the request to the daemon for the credential failed" }
}
