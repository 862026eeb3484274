/** Reads the values that a person enters for a flow that stores credentials. No message contains a value. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { OAuthProvider } from "../../domain/definition/Provider.ts"
import { fieldTitle } from "../../domain/definition/ProviderFields.ts"
import { type GrantField, grantFields, type StoredGrant } from "../../domain/definition/StoredGrants.ts"
import type { FieldValues } from "../../domain/injection/Placement.ts"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import { readPrivateKey } from "../../oauth/Assertion.ts"
import { valueAt } from "../../platform/JsonPointer.ts"
import { fieldProblem, readFields } from "../../providers/KeyCheck.ts"

const maxFileBytes = 32 * 1024

type Values = Readonly<Record<string, string>>

/** The values, or the problem as a clause without any value. */
type Read = Result.Result<Values, string>

/** PEM text from an environment variable often has `\n` instead of line breaks. */
const withLines = (text: string): string => {
  const lines = text.replaceAll("\r\n", "\n")
  return `${(lines.includes("\n") ? lines : lines.replaceAll("\\n", "\n")).trim()}\n`
}

const readKey = (name: string, label: string, text: string, grant: StoredGrant): Read => {
  if (grant.kind !== "jwt_bearer") return Result.fail(`${label} has no effect in this login`)
  const pem = withLines(text)
  return Result.match(readPrivateKey(Redacted.make(pem), grant.section.algorithm), {
    onFailure: (problem) => Result.fail(`${label} ${problem}`),
    onSuccess: () => Result.succeed({ [name]: pem })
  })
}

const item = /^[\w.:/@*-]+$/

const readItems = (name: string, label: string, text: string, isMap: boolean): Read => {
  const items = text.split(/[\s,]+/).filter((part) => part !== "")
  const isWrong = (part: string) =>
    isMap ? !part.split("=").every((side) => item.test(side)) || part.split("=").length !== 2 : !item.test(part)
  return items.some(isWrong)
    ? Result.fail(`${label} must be ${isMap ? "pairs such as contents=read" : "names"}, separated by commas`)
    : Result.succeed({ [name]: items.join(",") })
}

const listed = (expected: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof expected === "string" ? [expected] : expected

/** Reads the known members of a key file. All others are ignored, so the file cannot choose where an assertion is sent. */
const readKeyFile = (
  definition: OAuthProvider,
  field: GrantField,
  label: string,
  text: string,
  grant: StoredGrant
): Read =>
  Result.gen(function*() {
    const document = parseStrictJson(text)
    if (Result.isFailure(document)) return yield* Result.fail(`${label} is not a JSON file`)
    for (const [pointer, expected] of Object.entries(field.expected ?? {})) {
      const found = valueAt(document.success, pointer)
      if (typeof found !== "string" || !listed(expected).includes(found)) {
        return yield* Result.fail(
          `${label} is not for ${definition.displayName}: ${pointer} must be ${listed(expected).join(" or ")}`
        )
      }
    }
    const values: Record<string, string> = {}
    for (const [name, pointer] of Object.entries(field.members ?? {})) {
      const found = valueAt(document.success, pointer)
      const isKey = grant.kind === "jwt_bearer" && name === grant.section.privateKey
      const title = `${label}: ${pointer}`
      if (typeof found !== "string") return yield* Result.fail(`${title} is missing`)
      Object.assign(
        values,
        yield* isKey ? readKey(name, title, found, grant) : readText(definition, field, title, name, found)
      )
    }
    return values
  })

const readText = (definition: OAuthProvider, field: GrantField, label: string, name: string, text: string): Read => {
  const { hint, pattern } = field
  const problem = fieldProblem(
    definition,
    { name, label, secret: true, required: true, pattern, hint },
    Redacted.make(text)
  )
  return problem === undefined ? Result.succeed({ [name]: text }) : Result.fail(problem)
}

const read = (definition: OAuthProvider, grant: StoredGrant, field: GrantField, text: string): Read => {
  const label = fieldTitle(field)
  if (text === "") return field.required ? Result.fail(`${label} is missing`) : Result.succeed({})
  if (Buffer.byteLength(text) > maxFileBytes) return Result.fail(`${label} is longer than ${maxFileBytes} bytes`)
  switch (field.kind) {
    case "text":
      return readText(definition, field, label, field.name, text)
    case "list":
    case "map":
      return readItems(field.name, label, text, field.kind === "map")
    case "private_key":
      return readKey(field.name, label, text, grant)
    case "key_file":
      return readKeyFile(definition, field, label, text, grant)
  }
}

/** Reads the entered values that are to be stored. */
export const readGrantFields = (definition: OAuthProvider, grant: StoredGrant, data: FieldValues) =>
  readFields(grantFields(grant), data, (field, text) => read(definition, grant, field, text))
