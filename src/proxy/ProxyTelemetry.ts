/** Measures the requests of a proxy, and records them as spans if a tracer is set. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import {
  AreRead,
  injections,
  methodLabel,
  proxyRequestDuration,
  proxyRequests,
  proxyRequestsInProgress,
  refusals,
  resolveDuration,
  resolvesInProgress,
  statusLabel
} from "../telemetry/Metrics.ts"
import { recordSpan, traced, tracerOf } from "../telemetry/Spans.ts"
import type { ProxyEvent } from "./ProxyEvent.ts"
import type { CredentialRequest } from "./routing/CredentialSource.ts"

const resolveName = "CredentialSource.resolve"

const countNothing = (): void => {}

export class ProxyTelemetry {
  readonly #context: Context.Context<never>
  readonly #isRead: boolean

  constructor(context: Context.Context<never>) {
    this.#context = context
    this.#isRead = Context.get(context, AreRead)
  }

  began(): void {
    if (this.#isRead) proxyRequestsInProgress.record(this.#context, [], 1)
  }

  ended(event: ProxyEvent): void {
    if (!this.#isRead) return
    const context = this.#context
    const { injected, provider = "none", refusal, startedAt } = event
    const method = methodLabel(event.method)
    const status = statusLabel(event.status)
    proxyRequests.record(context, [provider, method, status], 1)
    if (injected) injections.record(context, [provider], 1)
    if (refusal !== undefined) refusals.record(context, [refusal.error], 1)
    if (startedAt === undefined) return
    proxyRequestsInProgress.record(context, [], -1)
    proxyRequestDuration.record(context, [provider], (performance.now() - startedAt) / 1000)
    // Spans name only hosts of providers. Other hosts are private to the command of the run.
    if (tracerOf(context) === undefined || event.provider === undefined) return
    const attributes = {
      "http.request.method": method,
      "server.address": event.host,
      "credsvc.provider": provider,
      "credsvc.injected": String(injected),
      ...(event.status === 0 ? {} : { "http.response.status_code": event.status }),
      ...(refusal === undefined ? {} : { "error.type": refusal.error })
    }
    recordSpan(
      context,
      { name: `${method} ${provider}`, kind: "client", attributes },
      startedAt,
      refusal === undefined ? Exit.void : Exit.fail(refusal.error)
    )
  }

  /** Measures a request to the daemon for a credential. */
  resolving<A, E>({ provider }: CredentialRequest, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return traced(
      this.#context,
      { name: resolveName, kind: "client", attributes: { "credsvc.provider": provider } },
      effect,
      () => ({})
    )
  }

  /** Counts a request for a credential as in progress until the returned function is called with the result. */
  beganResolving(): (succeeded: boolean) => void {
    if (!this.#isRead) return countNothing
    const context = this.#context
    const began = performance.now()
    resolvesInProgress.record(context, [], 1)
    return (succeeded) => {
      resolvesInProgress.record(context, [], -1)
      resolveDuration.record(context, [succeeded ? "resolved" : "refused"], (performance.now() - began) / 1000)
    }
  }
}
