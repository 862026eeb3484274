/** The request with which a proxy gets the credential for another request, and its response. */
import * as Schema from "effect/Schema"
import { CredentialScope } from "../definition/AwsSigV4.ts"
import { hmacParts } from "../definition/Hmac.ts"
import { Capture } from "../injection/Capture.ts"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { maxPath } from "./ResolveMessages.ts"
import { named, struct, Timestamp, wire } from "./Wire.ts"

const Secret = Schema.RedactedFromValue(Schema.String)

export const RunId = Schema.String.annotate({ description: "The secret ID of a run" }).check(
  Schema.isPattern(/^[A-Za-z0-9_-]{16,64}$/u, { expected: "a run ID" })
)

const RequestScheme = Schema.Literals(["https", "http"]).pipe(named("RequestScheme", "The scheme of a request"))

export const ResolveRequest = struct("ResolveRequest", "The request that needs a credential", {
  host: [
    Schema.String.check(
      Schema.isPattern(/^[A-Za-z0-9._:[\]-]{1,253}$/u, { expected: "a host name or an IP address, without a port" })
    ),
    "The host of the request: a name or an IP address, without a port"
  ],
  port: [
    Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65535 }))),
    "The port of the request. The default is 443"
  ],
  scheme: [Schema.optionalKey(RequestScheme), "The scheme. The default is https. No credential is resolved for http"],
  method: [Schema.optionalKey(Schema.String.check(Schema.isMaxLength(32))), "Accepted, but has no effect"],
  path: [
    Schema.optionalKey(Schema.String.check(Schema.isMaxLength(maxPath))),
    "The path of the request, which begins with a slash and has no query. The default is /"
  ],
  provider: [Schema.optionalKey(ProviderName), "The provider to use, if several match"],
  connection: [Schema.optionalKey(ConnectionName), "The connection to use. When absent, it is the default connection"],
  login: [
    Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\w{1,64}$/u, { expected: "the ID of a login" }))),
    "The login that the program's placeholder names. The request fails if the connection has another account's login"
  ],
  rejected: [
    Schema.optionalKey(Timestamp),
    "The `issued_at` of an earlier response whose credential the upstream rejected with 401. If that credential is " +
    "still stored, it is refreshed, subject to a rate limit. If it cannot be refreshed, the connection's status becomes " +
    "`invalid`"
  ],
  confirm: [
    Schema.optionalKey(Schema.Literal(true)),
    "Asks whether an open request may continue, which does not count as another use"
  ],
  scope: [
    Schema.optionalKey(CredentialScope),
    "The credential scope for a request to be signed. When absent, the daemon derives it from the host"
  ]
})
export type ResolveRequest = typeof ResolveRequest.Type

export const SigningKey = wire(
  "SigningKey",
  "The key that signs requests by AWS Signature Version 4. The secret access key cannot be computed from it",
  {
    accessKeyId: [Schema.String, "The access key ID"],
    sessionToken: [Schema.optionalKey(Secret), "The session token of temporary credentials"],
    key: [Secret, "The signing key in base64, derived for one day, region and service"],
    date: [Schema.String, "The day in UTC, such as 20261123"],
    region: [Schema.String, "The region that the key is valid for"],
    service: [Schema.String, "The service that the key is valid for"]
  }
)
export type SigningKey = typeof SigningKey.Type

export const HmacSigning = wire(
  "HmacSigning",
  "A signature to make for each request: an HMAC-SHA256 of `message` with `key`",
  {
    key: [Secret, "The key, in base64"],
    ...hmacParts,
    headers: [
      Schema.Record(Schema.String, Secret),
      "Maps headers to values; {signature}, {timestamp} and {body_hash} stand for the signature and its parts"
    ]
  }
)
export type HmacSigning = typeof HmacSigning.Type

const MessageValues = struct("MessageValues", "Values for the first messages of a WebSocket", {
  first: [Schema.Int, "How many of the first text messages may get a value"],
  fields: [Schema.Record(Schema.String, Secret), "The values by JSON pointer"]
})

const StrippedPlaces = struct(
  "StrippedPlaces",
  "What to remove from the request before the credential is placed in it",
  {
    headers: [
      Schema.Array(Schema.String),
      "Names of headers that carry credentials, in lowercase. Remove every header with such a name, ignoring case"
    ],
    query: [
      Schema.Array(Schema.String),
      "Names of query parameters that carry credentials. Remove every parameter with such a name, ignoring case"
    ],
    placeholders: [
      Schema.optionalKey(Schema.Array(Schema.String)),
      "Placeholders that lack the usual marker `credsvc-proxy-managed`. Remove every header and query parameter " +
      "that contains the marker or one of these placeholders; never replace them with a secret"
    ]
  }
)

export const Resolved = wire(
  "Resolved",
  "The changes to make to the request: remove `strip`, set `headers`, `query` and `path`, then `defaults`",
  {
    provider: [ProviderName, "The provider that the request belongs to"],
    connection: [ConnectionName, "The connection whose credential is used"],
    headers: [
      Schema.Record(Schema.String, Secret),
      "The headers to set, by name. Each replaces every header of that name, ignoring case"
    ],
    query: [
      Schema.Record(Schema.String, Secret),
      "The query parameters to append, by name. Each replaces every parameter of that name"
    ],
    path: [
      Schema.optionalKey(Schema.Record(Schema.String, Secret)),
      "Maps a path template to its percent-encoded prefix, such as `/bot{api_key}` to `/bot123:abc`. If the path " +
      "of the request starts like the template, with a placeholder in the position of a `{field}`, the prefix replaces " +
      "that part. Absent for providers without a credential in the path"
    ],
    body: [
      Schema.optionalKey(Schema.Record(Schema.String, Secret)),
      "Maps a field of the body to its value: by JSON pointer (with a leading slash) in JSON, by name in a form. Each " +
      "replaces the content of its field if that contains a placeholder; nothing else in the body is changed"
    ],
    messages: [
      Schema.optionalKey(MessageValues),
      "Values for fields of the client's first WebSocket messages, which are filled like the fields of `body`"
    ],
    defaults: [
      Schema.Record(Schema.String, Secret),
      "The headers to set if the request lacks them after `strip` was applied, by name"
    ],
    secrets: [
      Schema.Array(Secret),
      "The secret values that these changes put into the request, which responses must not disclose"
    ],
    strip: [StrippedPlaces, "What to remove from the request first"],
    signing: [
      Schema.optionalKey(SigningKey),
      "The key to sign the request with, for providers that require a signature in place of a secret. Remove the client's " +
      "own signature"
    ],
    hmac: [
      Schema.optionalKey(HmacSigning),
      "How to compute an HMAC of each request, for providers whose definition has `hmac`"
    ],
    captures: [
      Schema.optionalKey(Schema.Array(Capture)),
      "The requests to this host whose responses the client gets without tokens, or that are refused"
    ],
    accepted: [
      Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))),
      "Maps the `kind` of a token that the API has issued to the client to the header fields that carry the token in place of the " +
      "credential; {token} stands for the token"
    ],
    expiresAt: [Schema.NullOr(Timestamp), "When the credential expires; null if never or unknown"],
    issuedAt: [Timestamp, "Identifies the credential: a client sends this time as `rejected` after a 401"],
    refreshable: [Schema.Boolean, "Whether a request with this `issued_at` as `rejected` may return another credential"]
  }
)
export type Resolved = typeof Resolved.Type

/** The part of `Resolved` that follows from the definition and the stored fields: the places of the credential. */
export type Placements = Pick<
  Resolved,
  "headers" | "query" | "path" | "body" | "messages" | "defaults" | "secrets" | "strip" | "hmac"
>
