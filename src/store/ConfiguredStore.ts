/** The store that the settings select: a file of the home, or a PostgreSQL database. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Paths } from "../config/Paths.ts"
import { Settings } from "../config/Settings.ts"
import { readRegular } from "../platform/files/BoundedRead.ts"
import { type DatabaseAddress, parseDatabaseUrl } from "./postgres/DatabaseUrl.ts"
import type { Use } from "./postgres/PostgresSession.ts"
import { Store, type StoreServices } from "./Store.ts"
import { StoreError } from "./StoreError.ts"

const variable = "CREDSVC_DATABASE_URL"

const invalid = (message: string) => StoreError.unavailable(variable, message)

const longestUrl = 4096

const urlIn = Effect.fnUntraced(function*(file: string) {
  const read = readRegular(file, longestUrl)
  if (Result.isFailure(read)) return yield* invalid(`the file of ${variable}_FILE, ${file}, ${read.failure}`)
  const url = read.success.toString().trim()
  return url === "" ? yield* invalid(`the file of ${variable}_FILE, ${file}, is empty`) : url
})

const addressOf = (source: string, url: string) =>
  Effect.mapError(
    Effect.fromResult(parseDatabaseUrl(url)),
    (problem) => invalid(`invalid value for ${source}: ${problem}`)
  )

/** The address of the PostgreSQL database in the settings, or undefined if the settings select no such database. */
export const selectedAddress = Effect.gen(function*() {
  const { databaseUrl, databaseUrlFile } = yield* Settings
  if (Option.isSome(databaseUrl)) return yield* addressOf(variable, Redacted.value(databaseUrl.value))
  if (Option.isNone(databaseUrlFile)) return undefined
  return yield* addressOf(`${variable}_FILE`, yield* urlIn(databaseUrlFile.value))
})

/** The store in a PostgreSQL database, whose code is loaded on demand. */
export const postgresStore = (address: DatabaseAddress, use: Use): Layer.Layer<StoreServices> =>
  Layer.unwrap(
    Effect.map(Effect.promise(() => import("./postgres/PostgresStore.ts")), ({ postgresLayer }) =>
      postgresLayer(address, use))
  )

/** The database of this home. Acquire the `HomeLock` first. */
export const configuredStore: Layer.Layer<StoreServices, StoreError, Paths | Settings> = Layer.unwrap(
  Effect.map(selectedAddress, (address) => address === undefined ? Store.layerNoDeps : postgresStore(address, "shared"))
)
