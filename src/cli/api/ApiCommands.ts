/** The commands below `credsvc api`: one for each operation of the HTTP interface. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { type Operation, type OperationGroup, operationGroups, type Parameter } from "../../api/Operations.ts"
import { apiCommand } from "../tree/ApiCommand.ts"
import { command, group, lazy } from "../tree/CommandParts.ts"
import * as Param from "../tree/Param.ts"

const numberFlag = (name: string) =>
  Param.parsed(name, (text) => /^-?\d{1,15}$/.test(text) ? Number(text) : undefined, "a whole number")
    .pipe(Flag.withMetavar("<number>"))

const booleanFlag = (name: string) => Flag.Literals(name, ["true", "false"]).pipe(Flag.map((text) => text === "true"))

const valueFlag = ({ flag, kind }: Parameter): Flag.Flag<any> => {
  if (kind === "text") return Flag.String(flag).pipe(Flag.withMetavar("<text>"))
  if (kind === "number") return numberFlag(flag)
  if (kind === "boolean" || kind === "toggle") return booleanFlag(flag)
  return Flag.Literals(flag, kind as [string, ...Array<string>])
}

/** Makes the flag of a parameter. A field of the body is never a required flag, because `--input` can contain it. */
const flagOf = (parameter: Parameter): Flag.Flag<any> => {
  const { description, flag, kind, place, repeatable, required } = parameter
  if (kind === "toggle" && !repeatable) return Param.toggle(flag, description)
  const value = valueFlag(parameter)
  const counted = repeatable ? Flag.atLeast(value, 0) : required && place !== "body" ? value : Flag.optional(value)
  const notes = [repeatable ? "; repeatable" : "", required && place === "body" ? "; required here or in --input" : ""]
  return Flag.withDescription(counted, description + notes.join(""))
}

const inputFlag = (onlyInBody: ReadonlyArray<string>) =>
  Param.optional(
    "input",
    `JSON file with the body of the request, or - for stdin; flags replace its fields${
      onlyInBody.length === 0 ? "" : `. Required, and must contain: ${onlyInBody.join(", ")}`
    }`,
    "<file>"
  )

const showSecretFlag = Param.toggle("show-secret", "Print the response with the secret")

const exampleOf = ({ group, hasBody, name, onlyInBody, parameters, reveals }: Operation): string => {
  const required = parameters.filter((each) => each.required)
  const flags = required.map(({ flag, kind, name }) =>
    ` --${flag} ${kind === "boolean" ? "true" : Array.isArray(kind) ? kind[0] : `<${name.replaceAll("_", "-")}>`}`
  )
  const needsInput = hasBody && (onlyInBody.length > 0 || !parameters.some(({ place }) => place === "body"))
  const confirmation = reveals === "always" ? " --show-secret" : ""
  return `credsvc api ${group} ${name}${flags.join("")}${confirmation}${needsInput ? " --input -" : ""}`
}

const apiOperation = (operation: Operation) =>
  command(operation.name, {
    params: {
      ...Object.fromEntries(operation.parameters.map((each) => [each.flag, flagOf(each)])),
      ...(operation.hasBody ? { input: inputFlag(operation.onlyInBody) } : {}),
      ...(operation.reveals === "never" ? {} : { "show-secret": showSecretFlag })
    } as Record<string, Flag.Flag<any>>,
    handler: lazy(() => import("./ApiCall.ts").then((m) => m.apiHandlerOf(operation))),
    calls: [operation.id],
    description: `${operation.description}\n\n${operation.method} ${operation.path.replace(/:(\w+)/g, "{$1}")}`,
    summary: operation.summary,
    examples: exampleOf(operation)
  })

const groupCommand = ({ description, name, operations }: OperationGroup) =>
  group(name, { description, examples: exampleOf(operations[0]!) }, operations.map(apiOperation))

/**
 * The command `api` with a subcommand for each operation. The cast hides the types of the subcommands, whose handlers
 * require no more services than other commands.
 */
export const apiCommands = () =>
  apiCommand.pipe(Command.withSubcommands(operationGroups.map(groupCommand))) as unknown as typeof apiCommand
