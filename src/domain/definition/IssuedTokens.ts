/** Tokens that an API issues to its clients: which responses have them, and which requests may carry them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PLACEHOLDER } from "../injection/Placeholder.ts"
import { named, wire } from "../wire/Wire.ts"
import { JsonPointer, text, texts } from "./DefinitionParts.ts"

const IssuingMethod = Schema.Literals(["GET", "POST", "PUT", "PATCH"]).pipe(
  named("IssuingMethod", "The method of a request to which an API responds with a token")
)

const pointers = (description: string) =>
  Schema.Array(JsonPointer).check(Schema.isMaxLength(16)).annotate({ description })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))

export const IssuedTokensSection = wire(
  {
    methods: [
      Schema.NonEmptyArray(IssuingMethod).check(Schema.isMaxLength(4)).pipe(
        Schema.withDecodingDefaultKey(Effect.succeed(["POST"] as const))
      ),
      "The methods of the requests to which the API responds with a token; POST when absent"
    ],
    host: text(512, "The entry of hosts that issues the tokens"),
    paths: texts(
      512,
      "Paths below that entry, as in rules: * is any text within one segment, ** any number of segments"
    ),
    tokens: pointers("JSON pointers to the tokens in the response"),
    tokenHeaders: texts(128, "Header fields of the response that carry a token"),
    useHosts: texts(512, "The entries of hosts that accept the tokens; all when absent"),
    useHeaders: [
      Schema.NonEmptyArray(text(128, "The name of a header field")).check(Schema.isMaxLength(4)).pipe(
        Schema.withDecodingDefaultKey(Effect.succeed(["Authorization"] as const))
      ),
      "The header fields of a request in which the proxy replaces the placeholder of a token; Authorization when absent"
    ],
    placeholder: text(128, `What the placeholder of a token begins with: it ends with ${PLACEHOLDER}`).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed(PLACEHOLDER))
    )
  },
  "IssuedTokensSection",
  "Tokens that the API issues to clients, which a run gets as placeholders"
)
export type IssuedTokensSection = typeof IssuedTokensSection.Type
