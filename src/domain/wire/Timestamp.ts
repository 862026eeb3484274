/** Timestamps: RFC 3339 in UTC on the wire, `DateTime.Utc` in code. */
import * as Schema from "effect/Schema"

export const Timestamp = Schema.DateTimeUtcFromString.pipe(Schema.annotateEncoded({
  component: "Timestamp",
  description: "A time, RFC 3339 in UTC",
  format: "date-time"
}))
