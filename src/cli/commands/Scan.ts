/**
 * Finds API keys in files and the process environment, and asks the daemon to compare them with the vault.
 *
 * Sends only variables that a provider uses, and prints no values.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ResponseOf, ValuesOf } from "../../api/Operations.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { ExitCode } from "../../domain/ExitCode.ts"
import { connectionPlaceholder, PLACEHOLDER, variableFor } from "../../domain/injection/Placeholder.ts"
import { mayBeKey } from "../../domain/text/KeyText.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { maxFoundLength, maxFoundValues, type ScanState } from "../../domain/wire/Scan.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { loggedIn } from "../login/LoginFile.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import type { Style } from "../output/Text.ts"
import { findEnvFiles } from "../scan/EnvTree.ts"
import { readerOf } from "../scan/FileFormats.ts"
import { type ReplacedKey, replaceKeys, restoreFiles } from "../scan/Replace.ts"
import type { ScanInput } from "../tree/CommandInputs.ts"
import { providerName } from "./provider/ProviderArgument.ts"

const states: Readonly<Record<ScanState, readonly [style: Style, meaning: string]>> = {
  match: ["green", "the vault has this key"],
  drift: ["yellow", "the vault has a different key"],
  env_only: ["cyan", "the vault has no key of this provider"],
  vault_only: ["dim", "only the vault has a key"]
}

type FoundValue = ValuesOf<"credentials.scan">["values"][number]
type Variables = Iterable<readonly [name: string, value: string | undefined]>
type Report = ResponseOf<"credentials.scan">
type Placeholder = ResponseOf<"proxy.routes">["placeholders"][number]

const environment = "environment"

/** Finds values of the known variables, first in the process environment and then in the nearest files. */
const findValues = (known: ReadonlySet<string>) => {
  const tree = findEnvFiles(".")
  const sources: ReadonlyArray<readonly [source: string, variables: Variables]> = [
    [environment, Object.entries(process.env)],
    ...tree.files.map(({ content, path }) => [path, readerOf(path)?.(content) ?? []] as const)
  ]
  const notes = [...tree.notes]
  const values: Array<FoundValue> = []
  const others = new Set<string>()
  for (const [source, variables] of sources) {
    for (const [variable, value = ""] of variables) {
      if (!known.has(variable) && mayBeKey(variable, value)) others.add(variable)
      if (!known.has(variable) || value.trim() === "" || value.includes(PLACEHOLDER)) continue
      if (value.length > maxFoundLength || source.length > 1024) {
        notes.push(`${variable} in ${source} is too long for an API key and was skipped.`)
      } else values.push({ variable, source, value: Redacted.make(value) })
    }
  }
  if (values.length > maxFoundValues) {
    notes.push(`Only the first ${maxFoundValues} of ${values.length} values were compared; run scan in a subdirectory.`)
  }
  return { values: values.slice(0, maxFoundValues), notes, others: [...others], fileCount: tree.files.length }
}

const importHint = (connection: Option.Option<ConnectionName>, providers: ReadonlyArray<string>): string =>
  `credsvc scan --import${providers.map((provider) => ` --provider ${provider}`).join("")}${
    Option.isSome(connection) ? ` --connection ${connection.value}` : ""
  }`

const isPlaceholder = ({ exact, value }: Placeholder): boolean => exact === true || value.includes(PLACEHOLDER)

/** The placeholder for a variable, or undefined if none selects the connection. Null if the value of the variable is not secret. */
const placeholderFor = (
  variable: string,
  ofProvider: ReadonlyArray<Placeholder>,
  connection: ConnectionName,
  isDefault: boolean
): string | null | undefined => {
  const usual = ofProvider.filter((each) => each.variable === variable)
  if (usual.length > 0 && !usual.some(isPlaceholder)) return null
  const own = ofProvider.find((each) =>
    each.own === true && each.connection === connection && each.variable === variableFor(variable, connection)
  )
  if (own !== undefined) return own.value
  const known = usual.find((each) => each.connection === connection) ??
    usual.find((each) => each.connection === undefined)
  // A placeholder without a connection name chooses the default. Not every connection has its own placeholder.
  return known === undefined || isDefault ? known?.value : connectionPlaceholder(known.value, connection)
}

/** Replaces the keys of this connection in files with placeholders. */
const replaceFound = Effect.fnUntraced(function*(
  values: ReadonlyArray<FoundValue>,
  rows: Report["rows"],
  connection: ConnectionName
) {
  const output = yield* Output
  const { placeholders } = yield* call("proxy.routes")
  const { connections } = yield* call("connections.list")
  const isDefault = (provider: string) =>
    connections.some((each) => each.provider === provider && each.connection_name === connection && each.is_default)
  const replaced: Array<string> = []
  const left = new Set<string>()
  for (const [source, found] of Map.groupBy(values, ({ source }) => source)) {
    if (source === environment) continue
    const keys: Array<ReplacedKey> = []
    for (const { value, variable } of found) {
      const sameKey = rows.filter((row) => row.source === source && row.variable === variable)
      const provider = sameKey.find(({ state }) => state === "match")?.provider
      const other = sameKey.find(({ state }) => state === "drift")?.provider
      if (provider === undefined) {
        if (other) {
          yield* output.warn(`${variable} in ${source} was not replaced: the vault has a different key of ${other}.`)
        }
        continue
      }
      const ofProvider = placeholders.filter((each) => each.provider === provider)
      const placeholder = placeholderFor(variable, ofProvider, connection, isDefault(provider))
      if (placeholder === undefined) {
        left.add(source)
        yield* output.warn(
          `${variable} in ${source} was not replaced: no placeholder selects the connection "${connection}" of ${provider}.`
        )
      } else if (placeholder !== null) keys.push({ variable, value, placeholder })
    }
    if (keys.length === 0) continue
    const result = yield* Effect.result(replaceKeys(source, keys))
    if (Result.isSuccess(result)) replaced.push(source)
    else {
      left.add(source)
      yield* output.warn(`${source} was not changed: ${result.failure.message}`)
    }
  }
  return { replaced, left: [...left] }
})

/** Restores the files whose keys were replaced. Returns the files that it had to leave unchanged. */
const undo = Effect.fnUntraced(function*(input: ScanInput) {
  const output = yield* Output
  const { failed, restored } = yield* restoreFiles(findEnvFiles(".").files.map(({ path }) => path), input)
  const left = failed.map(({ source }) => source)
  for (const { reason, source } of failed) yield* output.warn(`${source} was not restored: ${reason}`)
  if (output.json) yield* output.document({ restored, left })
  else if (restored.length > 0) yield* output.tell(`Restored ${restored.join(", ")}. The vault still has the keys.`)
  else if (left.length === 0) {
    yield* output.tell("Nothing to restore: this profile of this home has replaced no keys in files here.")
  }
  return left
})

/** Prints the results of a scan, and what to do next. */
const tell = Effect.fnUntraced(function*(
  report: Report,
  { fileCount, others }: ReturnType<typeof findValues>,
  replaced: ReadonlyArray<string>,
  next: string | undefined
) {
  const output = yield* Output
  yield* report.rows.length === 0
    ? output.tell(
      `No API keys found in the environment or in ${plural(fileCount, ".env file")} below ${process.cwd()}.`
    )
    : output.data(output.table(report.rows, {
      PROVIDER: ({ provider }) => provider,
      VARIABLE: ({ variable }) => variable,
      SOURCE: ({ source }) => source,
      STATE: ({ state }) => ({ text: state, style: states[state][0] })
    }))
  const has = (...wanted: ReadonlyArray<string>) => report.rows.some(({ state }) => wanted.includes(state))
  const seen = Object.entries(states).filter(([state]) => has(state))
  if (seen.length > 0) yield* output.note(seen.map(([state, [, meaning]]) => `${state}: ${meaning}`).join("; "))
  if (others.length > 0) {
    yield* output.note(
      `Not compared, because no provider uses them: ${others.join(", ")}. Files with private keys are not read.`
    )
  }
  yield* output.tell(
    ...report.imported.map(({ connection, provider, variable }) =>
      `Imported ${variable} as ${provider}${connection === defaultConnectionName ? "" : ` (connection ${connection})`}.`
    ),
    ...report.skipped.map(({ provider, reason }) => `Skipped ${provider}: ${reason.replace(/\.$/, "")}.`)
  )
  if (replaced.length > 0) {
    const files = replaced.join(", ")
    yield* output.note(
      `Replaced keys by placeholders, which work only in credsvc run, in ${files}. To undo this: credsvc scan --undo`
    )
  } else if (report.imported.length > 0) {
    yield* output.note(
      "Programs under `credsvc run` no longer need these values: remove them from your files and your environment."
    )
  } else if (next !== undefined) {
    if (has("env_only")) yield* output.note(`To store the keys that the vault does not have: ${next}`)
    const isInFile = report.rows.some(({ source, state }) =>
      source !== environment && (state === "env_only" || state === "match")
    )
    if (isInFile) yield* output.note(`To put placeholders into the files: ${next} --replace`)
  }
})

/** The flag that cannot be used as given, and why. */
const misuse = (input: ScanInput, output: Output["Service"]): readonly [flag: string, problem: string] | undefined => {
  if (output.quiet) return ["--quiet", "not supported by scan, whose only output is the report"]
  if (input.undo && (input.import || input.replace)) return ["--undo", "has no effect with --import and --replace"]
  if (input.force && !input.undo) return ["--force", "requires --undo"]
  return input.replace && !input.import ? ["--replace", "requires --import, which stores the keys first"] : undefined
}

const compare = Effect.fnUntraced(function*(input: ScanInput) {
  const output = yield* Output
  // `--replace` needs one connection, because the placeholder of another connection would select another key.
  const connection = Option.getOrUndefined(input.connection) ?? (input.replace ? defaultConnectionName : undefined)
  const { providers } = yield* call("providers.list")
  const found = findValues(new Set(providers.flatMap(({ variables }) => variables)))
  const { notes, values } = found
  const named = yield* Effect.forEach(input.providers, providerName)
  const compared = (use: { readonly import: boolean }) =>
    call("credentials.scan", {
      values,
      import: use.import,
      ...(named.length > 0 ? { providers: named } : {}),
      ...(connection === undefined ? {} : { connection })
    })
  const report = yield* compared(input)
  for (const note of notes) yield* output.warn(note)
  for (const { place, program: { recipe } } of yield* loggedIn()) {
    yield* output.note(
      `${recipe.description} has a login in ${place}. To take over its login: credsvc login ${recipe.name} --adopt`
    )
  }
  const { left, replaced } = input.replace && connection !== undefined
    ? yield* replaceFound(values, (yield* compared({ import: false })).rows, connection)
    : { replaced: [], left: [] }
  yield* output.json
    ? output.document({ ...report, ...(input.replace ? { replaced, left } : {}) })
    : tell(report, found, replaced, input.import ? undefined : importHint(input.connection, named))
  return left
})

export const scan = Effect.fnUntraced(function*(input: ScanInput) {
  const problem = misuse(input, yield* Output)
  if (problem !== undefined) return yield* InvalidRequestError.at(...problem)
  const left = yield* input.undo ? undo(input) : compare(input)
  // Why these files were left unchanged has already been printed.
  if (left.length > 0) return yield* Effect.fail(new Exited(ExitCode.provider))
}, provideDaemon())
