/** Calls operations of the daemon by their IDs, with parameters and responses as JSON. */
import * as Effect from "effect/Effect"
import type { Operation, OperationId, ParameterOf, ResponseOf } from "../../api/Operations.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { readResponse } from "../../client/Responses.ts"
import type { PublishedError } from "../../domain/Errors.ts"
import { operations } from "../tree/CommandParts.ts"
import { requestOf, type Values } from "./OperationRequest.ts"

/** Calls an operation. `body` replaces the body that the values would give. */
export const perform = (operation: Operation, values: Values, body?: unknown) =>
  Effect.flatMap(
    DaemonClient,
    ({ send }) => Effect.flatMap(send(requestOf(operation, values, body)), readResponse)
  )

export const call = <Id extends OperationId>(
  id: Id,
  values: { readonly [Name in ParameterOf<Id>]?: unknown } = {},
  body?: unknown
) => perform(operations.get(id)!, values as Values, body) as Effect.Effect<ResponseOf<Id>, PublishedError, DaemonClient>
