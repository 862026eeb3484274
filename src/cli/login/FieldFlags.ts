/** Reads the values of `--field`: from a file after `@`, or as they are if they are not secret. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { InvalidRequestError } from "../../domain/Errors.ts"
import type { InputField } from "../../domain/wire/AuthSession.ts"
import { readValueFile } from "./ValueFile.ts"

const refused = (message: string) => InvalidRequestError.at("--field", message)

export const readFieldFlags = Effect.fnUntraced(
  function*(flags: ReadonlyArray<string>, fields: ReadonlyArray<InputField>) {
    const values: Record<string, Redacted.Redacted<string>> = {}
    for (const flag of flags) {
      const at = flag.indexOf("=")
      const name = at === -1 ? flag : flag.slice(0, at)
      const field = fields.find((each) => each.name === name)
      if (at === -1) return yield* refused("expected <name>=<value> or <name>=@<file>")
      if (field === undefined) {
        return yield* refused(`unknown field "${name}": expected ${fields.map((each) => each.name).join(", ")}`)
      }
      if (Object.hasOwn(values, name)) return yield* refused(`field "${name}" occurs twice`)
      const text = flag.slice(at + 1)
      if (!text.startsWith("@") && field.secret) {
        return yield* refused(
          `the value of "${name}" is secret, and other programs can read arguments: use --field ${name}=@<file> or --stdin`
        )
      }
      values[name] = text.startsWith("@") ? yield* readValueFile(text.slice(1), "--field") : Redacted.make(text)
    }
    return values
  }
)
