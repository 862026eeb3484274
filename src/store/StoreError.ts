/** The reason why the database of a home, SQLite or PostgreSQL, cannot be used. */
import * as Schema from "effect/Schema"

export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  file: Schema.String,
  problem: Schema.Literals(["newer_schema", "unexpected_schema", "damaged", "unsafe_file", "unavailable"]),
  message: Schema.String
}) {}
