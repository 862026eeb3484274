/** Runs credential commands, and reads the fields of a credential and its expiry from their output. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ApiKeyProvider } from "../../domain/definition/Provider.ts"
import { credentialFields } from "../../domain/definition/ProviderFields.ts"
import type { CredentialCommand } from "../../domain/wire/CredentialCommand.ts"
import { secondsOf } from "../../oauth/TokenDialect.ts"
import { valueAt } from "../../platform/JsonPointer.ts"
import { CommandFailure, commandOutput } from "../../platform/process/CommandOutput.ts"
import { checkCredential } from "../../providers/KeyCheck.ts"
import type { RenewedCredential } from "../renewal/OwnRenewals.ts"

/** The time limit, long enough for programs that wait until the user unlocks them. */
const MILLISECONDS = 30_000

/** JSON pointers into the output of an AWS `credential_process`, by credential field. */
const awsNames: Readonly<Record<string, string>> = {
  access_key_id: "/AccessKeyId",
  secret_access_key: "/SecretAccessKey",
  session_token: "/SessionToken"
}

const awsExpiry = "/Expiration"

/** The name of the program, for messages. Its arguments may contain details that must not be logged. */
const programOf = ({ argv: [program] }: CredentialCommand): string => program.split(/[\\/]/).at(-1)!

type Read = Result.Result<{ readonly texts: Readonly<Record<string, string>>; readonly expiry: unknown }, string>

const readText = (definition: ApiKeyProvider, output: string): Read => {
  // `pass show` prints the password in the first line.
  const [line = ""] = output.split(/\r?\n/)
  const [field, ...others] = credentialFields(definition).filter(({ required }) => required)
  return field !== undefined && others.length === 0
    ? Result.succeed({ texts: { [field.name]: line.trim() }, expiry: undefined })
    : Result.fail(`prints one value, but ${definition.displayName} needs several: use --command-output json`)
}

const readJson = (
  definition: ApiKeyProvider,
  { expiry, output: kind, values }: CredentialCommand,
  output: string
): Read => {
  let document: unknown
  try {
    document = JSON.parse(output)
  } catch {
    return Result.fail("did not print JSON")
  }
  if (!Predicate.isObject(document)) return Result.fail("did not print a JSON object")
  const isAws = kind === "credential_process"
  if (isAws && valueAt(document, "/Version") !== 1) return Result.fail("printed JSON without \"Version\": 1")
  const texts: Record<string, string> = {}
  for (const { name } of credentialFields(definition)) {
    const usual = isAws && Object.hasOwn(awsNames, name) ? awsNames[name]! : `/${name}`
    const value = valueAt(document, Object.hasOwn(values, name) ? values[name]! : usual)
    if (typeof value === "string" || typeof value === "number") texts[name] = String(value)
  }
  const place = expiry ?? (isAws ? awsExpiry : undefined)
  return Result.succeed({ texts, expiry: place === undefined ? undefined : valueAt(document, place) })
}

/** Runs a credential command, and checks what it prints. Failures name the program and never contain its output. */
export const runCredentialCommand = Effect.fn("runCredentialCommand")(
  function*(definition: ApiKeyProvider, command: CredentialCommand) {
    const started = yield* Clock.currentTimeMillis
    const output = Redacted.value(yield* commandOutput(command.argv, { milliseconds: MILLISECONDS }))
    const failed = (message: string) => new CommandFailure({ message })
    const text = command.output === "text"
    const read = yield* Effect.mapError(
      Effect.fromResult(text ? readText(definition, output) : readJson(definition, command, output)),
      failed
    )
    const entered = Object.fromEntries(Object.entries(read.texts).map(([name, text]) => [name, Redacted.make(text)]))
    const values = yield* Effect.mapError(
      Effect.fromResult(checkCredential(definition, entered)),
      (problems) => failed(`printed no usable credential: ${problems.map(({ message }) => message).join("; ")}`)
    )
    const isStated = read.expiry !== undefined && read.expiry !== null
    const seconds = isStated ? secondsOf(read.expiry, started, true) : command.lifetime
    if (isStated && seconds === undefined) {
      return yield* failed(
        "printed an invalid expiry: expected a lifetime in seconds, or a future time in ISO 8601 or seconds since 1970"
      )
    }
    const obtainedAt = DateTime.makeUnsafe(started)
    const credential: RenewedCredential = {
      values,
      obtainedAt,
      expiresAt: seconds === undefined ? undefined : DateTime.add(obtainedAt, { seconds })
    }
    return credential
  },
  (effect, definition, command) =>
    Effect.mapError(
      effect,
      ({ message }) =>
        new CommandFailure({
          message: `The credential command ${programOf(command)} of ${definition.displayName} ${message}.`
        })
    )
)
