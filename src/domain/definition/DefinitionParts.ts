/** The schemas that several sections of a provider definition share. */
import * as Schema from "effect/Schema"
import { PLACEHOLDER } from "../injection/Placeholder.ts"
import { named, wire, withDefault } from "../wire/Wire.ts"

// oxlint-disable-next-line no-control-regex -- text that reaches a terminal and a page holds no control characters
const printable = Schema.isPattern(/^[^\u0000-\u001f\u007f-\u009f]*$/u, { expected: "text without control characters" })

export const text = (maxLength: number, description: string) =>
  Schema.String.check(Schema.isMaxLength(maxLength), printable).annotate({ description })

export const url = (description: string) => text(2048, description)

export const texts = (maxLength: number, description: string) =>
  withDefault(
    Schema.Array(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(maxLength), printable))
      .check(Schema.isMaxLength(300)).annotate({ description }),
    []
  )

export const parameters = (description: string) =>
  withDefault(Schema.Record(Schema.String, Schema.String.check(Schema.isMaxLength(4096))).annotate({ description }), {})

export const BasicTemplate = wire("BasicTemplate", "HTTP Basic authentication", {
  username: [Schema.String.check(Schema.isMaxLength(512)), "The user name; may use {field}"],
  password: [Schema.String.check(Schema.isMaxLength(512)), "The password; may use {field}"]
})

/** The declarations that every field of a login has. */
export const fieldParts = {
  name: [
    Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/u, { expected: "a name in lower case" })),
    "The name of the value, which templates use"
  ],
  label: Schema.optionalKey(text(100, "Label of the input in the form")),
  secret: [withDefault(Schema.Boolean, true), "Whether the value must not be shown. The default is true"],
  pattern: Schema.optionalKey(text(512, "Regular expression that the whole trimmed value matches")),
  hint: Schema.optionalKey(text(500, "Where to find the value; also shown for a value that does not match the pattern"))
} as const

export const placeholderForm = `contains ${PLACEHOLDER}, unless a tool checks the characters or the length of a key`

export const CredentialField = wire("CredentialField", "A value that a login asks for", {
  ...fieldParts,
  required: [Schema.optionalKey(Schema.Boolean), "False if a login may leave the field empty"],
  placeholder: Schema.optionalKey(
    text(256, `Placeholder for the value in the environment of a child process; ${placeholderForm}`)
  )
})
export type CredentialField = typeof CredentialField.Type

export const ClientAuthentication = Schema.Literals(["client_secret_basic", "client_secret_post", "none"]).pipe(
  named("ClientAuthentication", "How the client authenticates at the token endpoint (RFC 7591, section 2)")
)
export type ClientAuthentication = typeof ClientAuthentication.Type

export const RequestFormat = Schema.Literals(["form", "json"]).pipe(
  named("RequestFormat", "The format of a request body: a form, or JSON")
)
export type RequestFormat = typeof RequestFormat.Type

export const JsonPointer = Schema.String.pipe(named("JsonPointer", "A JSON pointer (RFC 6901)")).check(
  Schema.isMaxLength(256),
  Schema.isPattern(/^(?:\/(?:[^~/]|~[01])*)+$/u, { expected: "a JSON pointer such as /authed_user/access_token" })
)

export const pointer = Schema.optionalKey(JsonPointer)

export const MessagePlaces = wire("MessagePlaces", "Where the first messages of a WebSocket carry the secret", {
  first: [
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 32 })),
    "How many of the client's first text messages may carry the secret"
  ],
  fields: [
    Schema.Record(Schema.String, Schema.String.check(Schema.isMaxLength(4096))),
    "The values to set, by JSON pointer; values may use {field}"
  ]
})

export const isJsonPointer = Schema.is(JsonPointer)

const Status = Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 }))

const ExpectedResponse = wire("ExpectedResponse", "A response whose JSON body says whether the request succeeded", {
  status: [withDefault(Status, 200), "The status. The default is 200"],
  json: [JsonPointer, "The member that the response to a valid credential has"],
  equals: [
    Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
    "The value that this member must have. The default is any value except null"
  ]
})

const TestMethod = Schema.Literals(["GET", "HEAD", "POST"]).pipe(named("TestMethod", "The method of a test request"))

export const TestRequest = wire(
  "TestRequest",
  "A request that succeeds only with a valid credential and changes nothing",
  {
    method: [withDefault(TestMethod, "GET"), "The method. The default is GET"],
    path: text(
      1024,
      "Path and query, appended to the base URL if api_url begins with {base_url}, and to the host of the API otherwise; " +
        "may use {field}"
    ),
    expect: [
      withDefault(Schema.Union([Status, ExpectedResponse]), 200),
      "The status of a successful response, or what its body must contain"
    ],
    limited: [
      Schema.optionalKey(Schema.Union([Status, ExpectedResponse])),
      "The response to a valid credential that lacks the permission for this request: its status, or what its body contains"
    ],
    body: Schema.optionalKey(text(4096, "JSON body of a POST"))
  }
)
export type TestRequest = typeof TestRequest.Type
