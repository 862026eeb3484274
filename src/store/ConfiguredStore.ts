/** The store that the settings select: a file of the home, or a PostgreSQL database. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Paths } from "../config/Paths.ts"
import { Settings, type SettingsShape } from "../config/Settings.ts"
import { readRegular } from "../platform/files/BoundedRead.ts"
import { type DatabaseAddress, parseDatabaseUrl } from "./postgres/DatabaseUrl.ts"
import type { Use } from "./postgres/PostgresSession.ts"
import { Store, type StoreServices } from "./Store.ts"
import { StoreError } from "./StoreError.ts"

const variable = "CREDSVC_DATABASE_URL"

const invalid = (message: string) => new StoreError({ file: variable, problem: "unavailable", message })

const longestUrl = 4096

/** The URL of the database, from the settings or from the file that they name. */
const databaseUrl = ({ databaseUrl, databaseUrlFile }: SettingsShape): Effect.Effect<
  Option.Option<{ readonly variable: string; readonly url: string }>,
  StoreError
> =>
  Effect.gen(function*() {
    if (Option.isSome(databaseUrl)) return Option.some({ variable, url: Redacted.value(databaseUrl.value) })
    if (Option.isNone(databaseUrlFile)) return Option.none()
    const file = databaseUrlFile.value
    const read = readRegular(file, longestUrl)
    if (Result.isFailure(read)) return yield* invalid(`the file of ${variable}_FILE, ${file}, ${read.failure}`)
    const url = read.success.toString().trim()
    if (url === "") return yield* invalid(`the file of ${variable}_FILE, ${file}, is empty`)
    return Option.some({ variable: `${variable}_FILE`, url })
  })

/** The address of the PostgreSQL database in the settings, or undefined if the settings select no such database. */
export const selectedAddress = Effect.gen(function*() {
  const configured = yield* databaseUrl(yield* Settings)
  if (Option.isNone(configured)) return undefined
  const { url, variable } = configured.value
  const address = parseDatabaseUrl(url)
  return Result.isSuccess(address)
    ? address.success
    : yield* invalid(`invalid value for ${variable}: ${address.failure}`)
})

export const postgresStore = (address: DatabaseAddress, use: Use): Layer.Layer<StoreServices> =>
  Layer.unwrap(
    Effect.map(Effect.promise(() => import("./postgres/PostgresStore.ts")), ({ layer }) => layer(address, use))
  )

/** The database of this home. Acquire the `HomeLock` first. */
export const configuredStore: Layer.Layer<StoreServices, StoreError, Paths | Settings> = Layer.unwrap(
  Effect.map(selectedAddress, (address) => address === undefined ? Store.layerNoDeps : postgresStore(address, "shared"))
)
