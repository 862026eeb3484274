/** `credsvc get`: shows a connection. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { failWith } from "../../domain/FailWith.ts"
import { nearest } from "../../domain/text/EditDistance.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { sanitize } from "../output/Sanitize.ts"
import { providerName } from "./provider/ProviderArgument.ts"

/** Formats a field for scripts: strings without quotes, lists separated by commas, an empty string for null. */
const plain = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (Array.isArray(value)) return value.map(plain).join(",")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const unknownField = (field: string, known: ReadonlyArray<string>) => {
  const suggestions = nearest(field, known)
  const hint = suggestions.length > 0
    ? `Did you mean ${suggestions.join(" or ")}?`
    : `Available fields: ${known.join(", ")}`
  const message = `unknown field "${sanitize(field).slice(0, 64)}". ${hint}`
  return failWith(({ InvalidRequestError }) => InvalidRequestError.at("--field", message))
}

/** Shows a connection, or one of its fields. */
export const getConnection = Effect.fnUntraced(function*(input: {
  readonly provider: string
  readonly connection: Option.Option<ConnectionName>
  readonly field: Option.Option<string>
  readonly showSecret: boolean
}) {
  const output = yield* Output
  const provider = yield* providerName(input.provider)
  const connection = Option.getOrElse(input.connection, () => defaultConnectionName)
  const reveal = input.showSecret ? { reveal: "true" } as const : {}
  const document: Readonly<Record<string, unknown>> = yield* call("connections.get", {
    provider,
    connection,
    ...reveal
  })
  if (Option.isNone(input.connection) && document["is_default"] === false) {
    const { warnOtherDefault } = yield* Effect.promise(() => import("./OtherDefault.ts"))
    yield* warnOtherDefault(provider)
  }
  if (Option.isNone(input.field)) {
    const shown = (key: string, value: unknown): string => {
      if (key === "account") return account(value)
      if (key === "fields") return Object.entries(value as object).map((field) => field.join(": ")).join(", ")
      if (!output.terminal || typeof value !== "string" || !key.endsWith("_at")) return plain(value)
      return `${value} (${output.time(value)})`
    }
    return yield* output.either(
      () => document,
      () =>
        output.fields(
          Object.entries(document).filter(([, value]) => plain(value) !== "")
            .map(([key, value]) => [key, shown(key, value)] as const)
        )
    )
  }
  const field = input.field.value
  if (!Object.hasOwn(document, field)) return yield* unknownField(field, Object.keys(document))
  const value = document[field]
  yield* output.either(
    () => ({ [field]: value }),
    // Text from a provider must not control the terminal. A pipe gets the value unchanged.
    () => output.terminal ? sanitize(plain(value)) : plain(value)
  )
}, provideDaemon())

const account = (value: unknown): string => {
  const { id, label } = value as { readonly id: string | null; readonly label: string | null }
  return label === null ? id ?? "" : id === null || id === label ? label : `${label} (${id})`
}
