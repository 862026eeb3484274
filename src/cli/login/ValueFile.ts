/** Reads the value of a login field from a file, such as a private key. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { InvalidRequestError } from "../../domain/Errors.ts"
import { homeDirectory } from "../../platform/process/Account.ts"
import { readText } from "../parse/InputText.ts"

/** Expands `~` in a path that the user typed at a prompt or after `@`, where no shell does. */
const expanded = (path: string): string => path.replace(/^~(?=[/\\])/, () => homeDirectory())

export const readValueFile = (
  path: string,
  flag: string
): Effect.Effect<Redacted.Redacted<string>, InvalidRequestError> =>
  Effect.map(readText({ file: expanded(path), flag }), (text) => Redacted.make(text))
