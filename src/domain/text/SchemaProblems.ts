/** Converts schema decoding errors to problems of an `InvalidRequestError`. */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Problem } from "../Errors.ts"
import { jsonPointer } from "./StrictJson.ts"

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "MissingKey":
        return "is missing"
      case "UnexpectedKey":
        return "is an unknown field"
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  }
})

const segment = (key: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const value = typeof key === "object" ? key.key : key
  return typeof value === "number" ? value : String(value)
}

/** One problem per issue: its location as a JSON pointer, and what was expected. No message contains the value. */
export const problemsOf = (error: Pick<Schema.SchemaError, "issue">): ReadonlyArray<Problem> =>
  formatIssue(error.issue).issues.map((issue) => ({
    path: jsonPointer((issue.path ?? []).map(segment)),
    message: issue.message.replace(/^Expected/, "must be")
  }))
