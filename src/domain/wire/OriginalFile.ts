/** Files of the user in which placeholders replace credentials, and whose originals the vault has. */
import * as Schema from "effect/Schema"
import { JsonPointer, pointer } from "../definition/DefinitionParts.ts"
import { ConnectionName } from "./Connection.ts"
import { ProviderName } from "./ProviderName.ts"
import { named, struct, wire } from "./Wire.ts"

/** The content of a file, a request or a response. */
export const Content = Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(262_144)))

const FilePath = Schema.String.check(
  Schema.isMaxLength(4096),
  Schema.isPattern(/^(?:\/|[A-Za-z]:[\\/]|\\\\)/u, { expected: "an absolute path" })
)

const file = {
  path: [FilePath, "The absolute path of the file"],
  content: [Content, "The content of the file"]
} as const

/** The places of tokens in a login file. Recipes contain this schema, so its fields have the same names in code. */
export const LoginPlaces = struct(
  "LoginPlaces",
  "JSON pointers to the parts of a login in a program's file: JSON, JSON with comments, or simple YAML",
  {
    provider: [ProviderName, "The provider whose definition declares logins that programs make"],
    access: [
      Schema.NonEmptyArray(JsonPointer).check(Schema.isMaxLength(4)),
      "The access token, in all its places. The segment `*` matches any member, if all members have the same token"
    ],
    refresh: [pointer, "The refresh token"],
    identity: [pointer, "The ID token"],
    expires: [
      pointer,
      "When the access token expires, in seconds or milliseconds since 1970. The default is the claim `exp` of the token"
    ],
    scopes: [pointer, "The scopes, as an array or as one string"],
    account: [pointer, "The ID of the account"],
    issuer: [pointer, "The issuer of the tokens"],
    client: [pointer, "The client ID"]
  }
)
export type LoginPlaces = typeof LoginPlaces.Type

export const AdoptLogin = wire("AdoptLogin", "The login file of a program, from which to take over the login", {
  ...file,
  places: [LoginPlaces, "Where the parts of the login are in the file"],
  connection: [
    Schema.optionalKey(ConnectionName),
    "The name of the connection. When absent, a connection of the same account is replaced, or a free name is chosen"
  ],
  force: [Schema.optionalKey(Schema.Boolean), "Whether to replace a connection of another account"],
  keep: [
    Schema.optionalKey(Schema.Boolean),
    "Whether the program keeps its file. If so, only the program may use the refresh token, and the vault does not store it"
  ]
})
export type AdoptLogin = typeof AdoptLogin.Type

export const AdoptedLogin = wire("AdoptedLogin", "A login that was taken over", {
  provider: [ProviderName, "The provider"],
  connection: [ConnectionName, "The connection that has the tokens"],
  content: [Content, "The content of the file with placeholders in place of the tokens"]
})

export const RestoreFile = wire("RestoreFile", "A file that gets its original content back", {
  ...file,
  force: [
    Schema.optionalKey(Schema.Boolean),
    "Whether to discard changes to the file, and tokens that are newer than the original's"
  ]
})
export type RestoreFile = typeof RestoreFile.Type

const RestoreStatus = Schema.Literals(["write", "restored", "unknown"]).pipe(named(
  "RestoreStatus",
  "`write`: write `content` to the file, and then send the request again. `restored`: the file has its original content, and " +
    "the vault has deleted its copy. " +
    "`unknown`: the vault has no original of this file"
))

export const RestoredFile = wire("RestoredFile", "The original content of a file", {
  status: [RestoreStatus, "What the client has to do"],
  path: [FilePath, "The file"],
  content: [Schema.optionalKey(Content), "The original content"]
})

export const KeepOriginal = wire("KeepOriginal", "A file in which placeholders are about to replace keys", {
  ...file,
  replaced: [Content, "The new content of the file, with placeholders"]
})
export type KeepOriginal = typeof KeepOriginal.Type

export const OriginalKept = wire("OriginalKept", "A file whose original content is kept in the vault", {
  path: [FilePath, "The file"]
})
