/** Reads the fields of a login from stdin, so that a secret is never an argument. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { InvalidRequestError } from "../../domain/Errors.ts"
import type { InputField } from "../../domain/wire/AuthSession.ts"
import { readText } from "../parse/InputText.ts"

const refusal = (message: string) => InvalidRequestError.at("--stdin", message)

const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  if (!text.startsWith("{")) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldProblem = (entries: ReadonlyArray<[string, unknown]>, names: ReadonlyArray<string>): string | undefined => {
  const unknown = entries.map(([name]) => name).filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    const shown = unknown.slice(0, 5).map((name) => `"${name.slice(0, 64)}"`).join(", ")
    return `unknown field${unknown.length > 1 ? "s" : ""} ${shown} in the JSON object: expected ${names.join(", ")}`
  }
  const wrong = entries.find(([, value]) => typeof value !== "string")?.[0]
  return wrong === undefined ? undefined : `the field "${wrong}" must be a string`
}

/** Reads a JSON object of fields, or the bare value of the only required field. */
export const readFields = Effect.fnUntraced(function*(fields: ReadonlyArray<InputField>) {
  const names = fields.map((field) => field.name)
  const text = (yield* readText({ flag: "--stdin", maxKib: 64 })).trim()
  if (text === "") return yield* refusal("stdin is empty")
  const required = fields.filter((field) => field.required)
  const [only, ...more] = required.length > 0 ? required : fields
  const object = parseObject(text)
  // A key file is also a JSON object, so an object may be the value of the only field.
  const isBare = only?.multiline === true && more.length === 0 &&
    !names.some((name) => Object.hasOwn(object ?? {}, name))
  // No key begins like this, so the text is probably a truncated object.
  if (object === undefined && /^\{\s*"/.test(text)) return yield* refusal("the JSON object is not valid JSON")
  if (object !== undefined && !isBare) {
    const problem = fieldProblem(Object.entries(object), names)
    if (problem !== undefined) return yield* refusal(problem)
    return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, Redacted.make(value as string)]))
  }
  return only === undefined || more.length > 0
    ? yield* refusal(`expected a JSON object with the fields ${names.join(", ")}`)
    : { [only.name]: Redacted.make(text) }
})
