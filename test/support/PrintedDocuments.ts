/** The documents that commands print with `--json`, and their schemas. */
import * as Context from "effect/Context"
import * as fs from "node:fs"
import { jsonDocuments } from "../../scripts/lib/JsonDocuments.ts"
import { wholeTree } from "../../src/cli/api/WholeTree.ts"
import { PrintedDocument, PrintedOperation } from "../../src/cli/tree/CommandFacts.ts"
import { responseValidator } from "./DocumentedResponses.ts"

interface Tree {
  readonly name: string
  readonly annotations: Context.Context<never>
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Tree> }>
}

/** The operation of each command that prints a response, by the path of the command. */
export const printed = new Map<string, string>()
/** Commands that print a document of their own. */
export const composed = new Set<string>()
/** Commands that say nothing about what they print. */
export const undeclared: Array<string> = []
const visit = ({ annotations, name, subcommands }: Tree, above: ReadonlyArray<string>): void => {
  const operation = Context.get(annotations, PrintedOperation)
  const here = [...above, name]
  const command = here.slice(1).join(" ")
  if (operation !== undefined) printed.set(command, operation)
  else if (Context.get(annotations, PrintedDocument) !== undefined) composed.add(command)
  else if (subcommands.length === 0 && here[1] !== "api") undeclared.push(command)
  for (const { commands } of subcommands) for (const command of commands) visit(command, here)
}
visit(wholeTree as unknown as Tree, [])

const document = JSON.parse(fs.readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"))
const operations = new Map<string, any>(
  Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item)).map((each) => [each.operationId, each])
)
const validator = responseValidator(document)
// Every reference resolves.
for (const schema of Object.values(jsonDocuments)) validator.problems(schema, null)

const successOf = (command: string) => {
  const { responses } = operations.get(printed.get(command)!)
  return (responses["200"] ?? responses["201"]).content["application/json"].schema
}

/** What is wrong with the output of the command; null if it is as documented. */
export const problemsOf = (command: string, stdout: string): string | null =>
  validator.problems(jsonDocuments[command] ?? successOf(command), JSON.parse(stdout))

/** The command that a line calls, such as `log requests`, if it prints a whole document. */
export const commandOf = (line: string): string | undefined => {
  const words = line.split(" ").slice(1).filter((word) => !word.startsWith("-"))
  return line.includes(" --field ")
    ? undefined
    : words.map((_, at) => words.slice(0, words.length - at).join(" ")).find((each) =>
      printed.has(each) || composed.has(each)
    )
}
