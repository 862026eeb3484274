/** The header fields by which the client authenticates to a reverse proxy of the daemon. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as path from "node:path"
import { type HeaderFields, parseHeaderFields } from "../config/daemon/DaemonHeaderFields.ts"
import { type DaemonHeaderSettings, headersCommandVariable, headersVariable } from "../config/Settings.ts"
import { DaemonUnavailableError } from "../domain/Errors.ts"

/** The timeout of the headers command. The user may have to unlock a password manager first. */
const MILLISECONDS = 30_000
/** The time for which the output of the command is used, even if the reverse proxy refuses it. */
const RENEWAL_MILLISECONDS = 10_000

const failed = (detail: string) => new DaemonUnavailableError({ url: "", detail })

const fromCommand = Effect.fnUntraced(function*([program, ...args]: readonly [string, ...ReadonlyArray<string>]) {
  // Messages have only the name of the program, because its arguments may be secrets.
  const name = path.basename(program)
  const { commandOutput } = yield* Effect.promise(() => import("../platform/process/CommandOutput.ts"))
  const output = yield* Effect.mapError(
    commandOutput([program, ...args], { milliseconds: MILLISECONDS }),
    ({ message }) => failed(`The program ${name} of ${headersCommandVariable} ${message}`)
  )
  return yield* Effect.mapError(
    Effect.fromResult(parseHeaderFields(Redacted.value(output))),
    (problem) => failed(`The output of ${name}, the program of ${headersCommandVariable}, is invalid: ${problem}`)
  )
})

export type DaemonHeaders = ReturnType<typeof makeDaemonHeaders>

export const makeDaemonHeaders = ({ daemonHeaders, daemonHeadersCommand }: DaemonHeaderSettings) => {
  const own: HeaderFields = Option.match(daemonHeaders, { onNone: () => ({}), onSome: Redacted.value })
  const command = Option.getOrUndefined(daemonHeadersCommand)
  if (command === undefined) return { get: Effect.succeed(own), renew: Effect.succeed(false) }
  let printed: { readonly fields: HeaderFields; readonly at: number } | undefined
  const get = Effect.gen(function*() {
    if (printed !== undefined) return { ...own, ...printed.fields }
    const fields = yield* fromCommand(Redacted.value(command))
    const twice = Object.keys(fields).find((name) => Object.hasOwn(own, name))
    if (twice !== undefined) {
      return yield* failed(`Both ${headersVariable} and ${headersCommandVariable} have the field "${twice}"`)
    }
    printed = { fields, at: yield* Clock.currentTimeMillis }
    return { ...own, ...fields }
  })
  return {
    /** The header fields. Runs the command on first use only. */
    get,
    /** Makes the next `get` run the command again. Returns false if there is no command, or if it has just run. */
    renew: Effect.map(Clock.currentTimeMillis, (now) => {
      if (printed === undefined || now - printed.at < RENEWAL_MILLISECONDS) return false
      printed = undefined
      return true
    })
  }
}
