/** Generates src/cli/tree/OperationExitCodes.ts, so that the command tree does not load the schemas of the interface. */
import { operationGroups } from "../../src/api/Operations.ts"
import { errorRows } from "./errors.ts"

export const operationExitCodes = (): string => {
  const entries = operationGroups.flatMap(({ operations }) =>
    operations.map(({ exitCodes, id }) => `  "${id}": [${exitCodes.map((code) => `"${code}"`).join(", ")}]`)
  )
  const errors = errorRows().map(({ exitCode, name }) => `  ${name}: "${exitCode}"`)
  return `/** The exit codes of the failures of each operation, without 1 and 2. Written by npm run generate. */
export const operationExitCodes = {
${entries.toSorted().join(",\n")}
} as const

export type OperationId = keyof typeof operationExitCodes

/** The exit code of each published error. */
export const errorExitCodes = {
${errors.toSorted().join(",\n")}
} as const

export type PublishedErrorName = keyof typeof errorExitCodes
`
}
