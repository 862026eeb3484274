/** The reason why the database of a home, SQLite or PostgreSQL, cannot be used. */
import * as Schema from "effect/Schema"
import { schemaVersion } from "./Migrations.ts"

export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  file: Schema.String,
  problem: Schema.Literals(["newer_schema", "unexpected_schema", "damaged", "unsafe_file", "unavailable"]),
  message: Schema.String
}) {
  /** The failure to use a database for a reason that may pass. */
  static readonly unavailable = (file: string, message: string) =>
    new StoreError({ file, problem: "unavailable", message })

  /** The failure to use a database that a newer version has migrated. */
  static readonly newerSchema = (file: string, place: string, version: number) =>
    new StoreError({
      file,
      problem: "newer_schema",
      message: `${place} was written by a newer version of credsvc (schema ${version}, this version supports ` +
        `${schemaVersion}); use that version`
    })
}
