/**
 * Builds the token response that a program in a run gets instead of its vendor's response. It contains only members
 * that are named here or in the definition, with values that do not have the form of a token.
 */
import * as Redacted from "effect/Redacted"
import type { LoginSection } from "../../domain/definition/IssuedTokenSections.ts"
import type { OAuthProvider, ProviderName } from "../../domain/definition/Provider.ts"
import { claimsOf, jwtPhantom, opaquePhantom, type TokenRole } from "../../domain/injection/Phantom.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { pointed, setPointed } from "../../platform/JsonPointer.ts"
import type { JsonObject } from "./LoginMessages.ts"

/** The phantoms that a program holds in place of its tokens. */
export type Phantoms = Readonly<Partial<Record<TokenRole, string>>>

/** The tokens of a login, and the account and names for their phantoms. */
export interface LoginTokens {
  readonly provider: ProviderName
  /** Identifies the account: equal for all logins of one account. */
  readonly id: string | undefined
  readonly accessToken: Redacted.Redacted<string>
  readonly refreshToken?: Redacted.Redacted<string> | undefined
  readonly idToken?: Redacted.Redacted<string> | undefined
}

const ROLES = [["access_token", "accessToken"], ["refresh_token", "refreshToken"], ["id_token", "idToken"]] as const

/** Members of token and error responses whose values consist of words and numbers. */
const STANDARD = [
  "/token_type",
  "/scope",
  "/expires_in",
  "/refresh_token_expires_in",
  "/type",
  "/error",
  "/error/type",
  "/error/code",
  "/error/param",
  "/error/message",
  "/error_description",
  "/interval"
]

const WORD = /^(?:[A-Za-z]{0,24}|[a-z]{0,3}\d{1,10})$/
/** A word, or a part of a UUID, another ID or an address. */
const NAME = /^[A-Za-z0-9]{0,32}$/

/** Copies members, without the parts of texts that may be tokens. The characters that are kept cannot form an escape sequence. */
const membersAt = (from: JsonObject, pointers: ReadonlyArray<string>, part: RegExp) => {
  const isPlain = (text: string) =>
    /^[\w.,:;'"()@+/-]+$/.test(text) && text.split(/[^A-Za-z0-9]+/).every((each) => part.test(each))
  const members: Record<string, unknown> = {}
  for (const pointer of pointers) {
    const value = pointed(from, pointer)
    const plain = typeof value === "string" ? value.split(" ").filter(isPlain).join(" ") : value
    if (typeof plain !== "object" && plain !== undefined && plain !== "") setPointed(members, pointer, plain)
  }
  return members
}

/** The response to a program if its vendor's response contains no token. */
export const errorDocument = (body: JsonObject): JsonObject => membersAt(body, STANDARD, WORD)

export const phantomsOf = (section: LoginSection, login: LoginTokens, connection: ConnectionName): Phantoms =>
  Object.fromEntries(
    ROLES.flatMap(([role, key]) => {
      const token = login[key]
      if (token === undefined) return []
      const { claims: pointers, placeholder } = section[key]
      const name = { role, provider: login.provider, connection, login: login.id }
      const claims = role === "id_token" || pointers.length > 0 ? claimsOf(Redacted.value(token)) : undefined
      const phantom = claims && jwtPhantom(membersAt(claims, pointers, NAME), name)
      return [[role, phantom ?? opaquePhantom(placeholder, name)]]
    })
  )

/** Returns the pointers to the tokens in a token response. */
export const placesOf = ({ oauth: { tokenResponse } }: OAuthProvider): Readonly<Record<TokenRole, string>> => ({
  access_token: tokenResponse.accessToken ?? "/access_token",
  refresh_token: tokenResponse.refreshToken ?? "/refresh_token",
  id_token: "/id_token"
})

/** The response to a program, with phantoms instead of its vendor's tokens. */
export const tokenDocument = (
  definition: OAuthProvider,
  section: LoginSection,
  body: JsonObject,
  phantoms: Phantoms
): JsonObject => {
  const { accountId, accountLabel } = definition.oauth.tokenResponse
  const names = [accountId, accountLabel, ...section.members].filter((pointer) => pointer !== undefined)
  const document = { ...membersAt(body, STANDARD, WORD), ...membersAt(body, names, NAME) }
  for (const [role] of ROLES) {
    if (phantoms[role] !== undefined) setPointed(document, placesOf(definition)[role], phantoms[role])
  }
  return document
}
