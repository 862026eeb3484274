/** Tokens that an API issues to its clients: which responses have them, and which requests may carry them. */
import * as Schema from "effect/Schema"
import { PLACEHOLDER } from "../injection/Placeholder.ts"
import { named, wire, withDefault } from "../wire/Wire.ts"
import { JsonPointer, text, texts } from "./DefinitionParts.ts"

const IssuingMethod = Schema.Literals(["GET", "POST", "PUT", "PATCH"]).pipe(
  named("IssuingMethod", "The method of a request to which an API responds with a token")
)

const pointers = (description: string) =>
  withDefault(Schema.Array(JsonPointer).check(Schema.isMaxLength(16)).annotate({ description }), [])

const PLACED = new RegExp(`^(?:[A-Za-z0-9][A-Za-z0-9._:!-]*)?${PLACEHOLDER}$`, "u")
const expected = `text of letters, digits and . _ : ! - that ends with "${PLACEHOLDER}"`

const placeholder = (description: string) =>
  withDefault(
    Schema.String.check(Schema.isMaxLength(128), Schema.isPattern(PLACED, { expected })).annotate({ description }),
    PLACEHOLDER
  )

const LoginEndpoint = Schema.Literals(["token", "revocation"]).pipe(
  named("LoginEndpoint", "The endpoint of the authorization server that a program calls")
)

export const LoginSection = wire(
  "LoginSection",
  "Logins that programs make themselves at this host. The daemon stores them as connections, and the program gets placeholders",
  {
    endpoint: [
      withDefault(LoginEndpoint, "token"),
      "Whether the paths belong to the token endpoint or to the revocation endpoint. The default is token"
    ],
    clients: texts(
      256,
      "The IDs of the OAuth clients whose logins are stored; requests of other clients pass unchanged. The default " +
        "is all clients. If this is set, runs intercept the hosts only if their recipe names the provider, or if there " +
        "is a connection"
    ),
    refreshPlaceholder: placeholder(
      "The beginning of the placeholder of a refresh token. Access tokens get the `placeholder` of the definition"
    ),
    members: pointers(
      "JSON pointers to what a program gets besides the standard members and the account: members of the token " +
        "response, such as the name of the organization, and claims of JSON Web Tokens, which the placeholders contain"
    )
  }
)
export type LoginSection = typeof LoginSection.Type

export const IssuedTokensSection = wire(
  "IssuedTokensSection",
  "Tokens that the API issues to clients. A run gets placeholders for them",
  {
    methods: [
      withDefault(Schema.NonEmptyArray(IssuingMethod).check(Schema.isMaxLength(4)), ["POST"] as const),
      "The methods of the requests to which the API responds with a token. The default is POST. `login` and `refused` " +
      "apply to every method"
    ],
    host: text(512, "The entry of `hosts` that issues the tokens"),
    paths: texts(
      512,
      "Paths below the host and path of `host`, as in rules: * is any text within one segment, ** any number of segments"
    ),
    tokens: pointers("JSON pointers to the tokens in the response"),
    useHosts: texts(512, "The entries of `hosts` that accept the tokens. The default is all entries"),
    useHeaders: [
      withDefault(
        Schema.Record(Schema.String, Schema.String.check(Schema.isMaxLength(512))),
        { Authorization: "Bearer {token}" } as const
      ),
      "Maps the header fields that carry the token to their values. The default is `Bearer {token}` in Authorization. " +
      "The other header fields of the credential are also set"
    ],
    placeholder: placeholder("The beginning of the placeholder of a token"),
    login: [Schema.optionalKey(LoginSection), "In place of `tokens`: the requests by which a program logs in"],
    refused: [
      Schema.optionalKey(Schema.Literal(true)),
      "In place of `tokens`: the proxy refuses these requests, which would exchange the credential for another credential"
    ]
  }
)
export type IssuedTokensSection = typeof IssuedTokensSection.Type
