/** The kinds of login that this version can do. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import type { FlowKind, ProviderDefinition } from "../domain/Provider.ts"
import { ApiKeyFlow } from "./ApiKeyFlow.ts"
import type { Flow } from "./Flow.ts"

const names: Readonly<Record<FlowKind, string>> = {
  api_key: "an API key",
  pkce: "OAuth in the browser",
  device_code: "a device code",
  dcr_pkce: "OAuth with dynamic registration"
}

export class Flows extends Context.Service<Flows, {
  /** The flow of that kind, if the provider can do it. */
  readonly of: (definition: ProviderDefinition, kind: FlowKind) => Effect.Effect<Flow, OperationNotAllowedError>
}>()("credsvc/flows/Flows") {
  /** Flows of the caller's choosing, at most one of a kind. */
  static readonly layerOf = (flows: ReadonlyArray<Flow>): Layer.Layer<Flows> =>
    Layer.succeed(Flows, {
      of: (definition, kind) => {
        const supported: ReadonlyArray<FlowKind> = definition.flows
        const flow = flows.find((flow) => flow.kind === kind)
        if (supported.includes(kind) && flow !== undefined) return Effect.succeed(flow)
        return Effect.fail(OperationNotAllowedError.of(
          supported.includes(kind)
            ? `A login with ${names[kind]} (${kind}) is not available yet in this version of credsvc.`
            : `${definition.displayName} does not support a login with ${names[kind]} (${kind}). ` +
              `It supports: ${supported.join(", ")}.`
        ))
      }
    })

  static readonly layerNoDeps = this.layerOf([ApiKeyFlow])
}
