/** The method and the path of each operation. The build replaces this module with the computed value, which every command loads. */
import { operations } from "./Api.ts"
import type { OperationId, OperationTarget } from "./Operations.ts"

export const operationTargets = Object.fromEntries(
  operations.map(({ hasBody, id, method, path }) => [id, { method, path, hasBody }])
) as unknown as Readonly<Record<OperationId, OperationTarget>>
