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
import type { ProxyPlaceholder } from "../../domain/wire/ProxyRoutes.ts"
import { maxFoundLength, maxFoundValues, type ScanState } from "../../domain/wire/Scan.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { loggedIn } from "../login/LoginFile.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import type { Style } from "../output/Text.ts"
import { given } from "../parse/Given.ts"
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

const environment = "environment"

/** Finds values of the known variables, first in the process environment and then in the nearest files. */
const findValues = (known: ReadonlySet<string>) => {
  const tree = findEnvFiles(".")
  const sources: ReadonlyArray<readonly [source: string, variables: Iterable<readonly [string, string | undefined]>]> =
    [
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

const isPlaceholder = ({ exact, value }: Pick<ProxyPlaceholder, "exact" | "value">): boolean =>
  exact === true || value.includes(PLACEHOLDER)

/** Replaces the keys of this connection in files with placeholders. */
const replaceFound = Effect.fnUntraced(function*(
  values: ReadonlyArray<FoundValue>,
  rows: ResponseOf<"credentials.scan">["rows"],
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
      const row = sameKey.find(({ state }) => state === "match")
      if (row === undefined) {
        const other = sameKey.find(({ state }) => state === "drift")?.provider
        if (other) {
          yield* output.warn(`${variable} in ${source} was not replaced: the vault has a different key of ${other}.`)
        }
        continue
      }
      const of = placeholders.filter(({ provider }) => provider === row.provider)
      const usual = of.filter((each) => each.variable === variable)
      // A variable whose value is not secret stays unchanged.
      if (usual.length > 0 && !usual.some(isPlaceholder)) continue
      const own = of.find((each) =>
        each.own === true && each.connection === connection && each.variable === variableFor(variable, connection)
      )
      const known = usual.find((each) => each.connection === connection) ??
        usual.find((each) => each.connection === undefined)
      // A placeholder without a connection name chooses the default. Not every connection has its own placeholder.
      const placeholder = own?.value ?? (known === undefined || isDefault(row.provider)
        ? known?.value
        : connectionPlaceholder(known.value, connection))
      if (placeholder === undefined) {
        left.add(source)
        yield* output.warn(
          `${variable} in ${source} was not replaced: no placeholder selects the connection "${connection}" of ${row.provider}.`
        )
      } else keys.push({ variable, value, placeholder })
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

/** Fails the command if it had to leave files unchanged. It has already printed the reasons. */
const endWith = (left: ReadonlyArray<string>) =>
  left.length === 0 ? Effect.void : Effect.fail(new Exited(ExitCode.provider))

export const scan = Effect.fnUntraced(function*(input: ScanInput) {
  const output = yield* Output
  if (output.quiet) {
    return yield* InvalidRequestError.at("--quiet", "not supported by scan, whose only output is the report")
  }
  if (input.undo) {
    if (input.import || input.replace) {
      return yield* InvalidRequestError.at("--undo", "has no effect with --import and --replace")
    }
    const { failed, restored } = yield* restoreFiles(findEnvFiles(".").files.map(({ path }) => path), input.force)
    const left = failed.map(({ source }) => source)
    for (const { reason, source } of failed) yield* output.warn(`${source} was not restored: ${reason}`)
    if (output.json) yield* output.document({ restored, left })
    else if (restored.length > 0) yield* output.tell(`Restored ${restored.join(", ")}. The vault still has the keys.`)
    else if (left.length === 0) {
      yield* output.tell("Nothing to restore: this profile of this home has replaced no keys in files here.")
    }
    return yield* endWith(left)
  }
  if (input.force) return yield* InvalidRequestError.at("--force", "requires --undo")
  if (input.replace && !input.import) {
    return yield* InvalidRequestError.at("--replace", "requires --import, which stores the keys first")
  }
  // `--replace` needs one connection, because the placeholder of another connection would select another key.
  const connection = input.replace
    ? Option.orElse(input.connection, () => Option.some(defaultConnectionName))
    : input.connection
  const { providers } = yield* call("providers.list")
  const { fileCount, notes, others, values } = findValues(new Set(providers.flatMap(({ variables }) => variables)))
  const named = yield* Effect.forEach(input.providers, providerName)
  const compared = (mayStore: boolean) =>
    call("credentials.scan", {
      values,
      import: mayStore,
      ...(named.length > 0 ? { providers: named } : {}),
      ...given({ connection })
    })
  const report = yield* compared(input.import)
  for (const note of notes) yield* output.warn(note)
  for (const { place, program: { recipe } } of yield* loggedIn()) {
    yield* output.note(
      `${recipe.description} has a login in ${place}. To take over its login: credsvc login ${recipe.name} --adopt`
    )
  }
  const { left, replaced } = input.replace && Option.isSome(connection)
    ? yield* replaceFound(values, (yield* compared(false)).rows, connection.value)
    : { replaced: [], left: [] }
  if (output.json) {
    yield* output.document({ ...report, ...(input.replace ? { replaced, left } : {}) })
    return yield* endWith(left)
  }

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
  const seen = (Object.keys(states) as ReadonlyArray<ScanState>).filter((state) =>
    report.rows.some((row) => row.state === state)
  )
  if (seen.length > 0) yield* output.note(seen.map((state) => `${state}: ${states[state][1]}`).join("; "))
  if (others.length > 0) {
    yield* output.note(
      `Not compared, because no provider uses them: ${others.join(", ")}. Files with private keys are not read.`
    )
  }
  for (const { connection, provider, variable } of report.imported) {
    yield* output.tell(
      `Imported ${variable} as ${provider}${connection === defaultConnectionName ? "" : ` (connection ${connection})`}.`
    )
  }
  for (const { provider, reason } of report.skipped) {
    yield* output.tell(`Skipped ${provider}: ${reason.replace(/\.$/, "")}.`)
  }
  if (replaced.length > 0) {
    yield* output.note(
      `Replaced keys by placeholders, which work only in credsvc run, in ${
        replaced.join(", ")
      }. To undo this: credsvc scan --undo`
    )
  } else if (report.imported.length > 0) {
    yield* output.note(
      "Programs under `credsvc run` no longer need these values: remove them from your files and your environment."
    )
  } else if (!input.import) {
    const hint = importHint(input.connection, named)
    if (report.rows.some(({ state }) => state === "env_only")) {
      yield* output.note(`To store the keys that the vault does not have: ${hint}`)
    }
    if (
      report.rows.some(({ source, state }) => source !== environment && (state === "env_only" || state === "match"))
    ) {
      yield* output.note(`To put placeholders into the files: ${hint} --replace`)
    }
  }
  return yield* endWith(left)
}, provideDaemon())
