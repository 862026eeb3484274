/** Generates src/cli/tree/OperationExitCodes.ts, so that the command tree does not load the schemas of the interface. */
import { operationGroups } from "../../src/api/Operations.ts"

export const operationExitCodes = (): string => {
  const entries = operationGroups.flatMap(({ operations }) =>
    operations.map(({ exitCodes, id }) => `  "${id}": [${exitCodes.map((code) => `"${code}"`).join(", ")}]`)
  )
  return `/** The exit codes of the failures of each operation, without 1 and 2. Written by npm run generate. */
export const operationExitCodes = {
${entries.toSorted().join(",\n")}
} as const

export type OperationId = keyof typeof operationExitCodes
`
}
