/**
 * Builds the token response that a program in a run gets instead of its vendor's response. It contains only members
 * that are named here or in the definition, with values that do not have the form of a token.
 */
import type { LoginSection } from "../../domain/definition/IssuedTokenSections.ts"
import type { OAuthProvider } from "../../domain/definition/Provider.ts"
import { jwtPhantom, opaquePhantom, type PhantomName, type TokenRole } from "../../domain/injection/Phantom.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import { claimsOf } from "../../oauth/IdToken.ts"
import { pointed, setPointed } from "../../platform/JsonPointer.ts"
import type { JsonObject } from "./LoginMessages.ts"

/** Where programs log in: the definition and its section, and the profile that stores the logins. */
export interface LoginPlace {
  readonly definition: OAuthProvider
  readonly profile: ProfileHandle
  readonly section: LoginSection
}

/** Tokens of a login, or the phantoms that a program holds in their place. */
export type Tokens = Readonly<Partial<Record<TokenRole, string>>>

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

/** Returns the pointers to the tokens in a token response. */
export const placesOf = ({ oauth: { tokenResponse } }: OAuthProvider): Readonly<Record<TokenRole, string>> => ({
  access_token: tokenResponse.accessToken ?? "/access_token",
  refresh_token: tokenResponse.refreshToken ?? "/refresh_token",
  id_token: "/id_token"
})

/** Lists the values with their roles. */
export const entriesOf = (tokens: Tokens) => Object.entries(tokens) as ReadonlyArray<[TokenRole, string]>

/** Returns the tokens in a token response. */
export const tokensOf = (definition: OAuthProvider, body: JsonObject): Tokens =>
  Object.fromEntries(
    entriesOf(placesOf(definition)).map(([role, place]) => [role, pointed(body, place)] as const)
      .filter(([, token]) => typeof token === "string" && token !== "")
  )

export const phantomsOf = (
  { definition, section: { claims: pointers, refreshPlaceholder } }: LoginPlace,
  tokens: Tokens,
  of: Omit<PhantomName, "provider" | "role">
): Tokens =>
  Object.fromEntries(
    entriesOf(tokens).map(([role, token]) => {
      const name = { ...of, role, provider: definition.name }
      const isJwt = role === "id_token" || (role === "access_token" && pointers.length > 0)
      const claims = isJwt ? claimsOf(token) : undefined
      if (claims !== undefined) return [role, jwtPhantom(membersAt(claims, pointers, NAME), name)]
      const own = role === "access_token" ? definition.placeholder : refreshPlaceholder
      return [role, opaquePhantom(role === "id_token" ? PLACEHOLDER : own, name)]
    })
  )

/** The response to a program, with phantoms instead of its vendor's tokens. */
export const tokenDocument = ({ definition, section }: LoginPlace, body: JsonObject, phantoms: Tokens) => {
  const { accountId, accountLabel } = definition.oauth.tokenResponse
  const names = [accountId, accountLabel, ...section.members].filter((pointer) => pointer !== undefined)
  const document = { ...membersAt(body, STANDARD, WORD), ...membersAt(body, names, NAME) }
  for (const [role, phantom] of entriesOf(phantoms)) setPointed(document, placesOf(definition)[role], phantom)
  return document
}
