/**
 * Placeholders of secrets, and phantoms: the tokens that a program holds in place of the tokens of its login. A phantom names the login,
 * so it is the same in all runs and after each refresh. Outside of runs, it has no use.
 */
import type { ConnectionName } from "../wire/Connection.ts"
import { isConnectionName, isProviderName } from "../wire/Names.ts"
import type { ProviderName } from "../wire/ProviderName.ts"

/**
 * The text that replaces a secret in the environment of a child process. Every placeholder contains it, except the exact
 * placeholders of providers whose tools check the alphabet or the length of a key.
 */
export const PLACEHOLDER = "credsvc-proxy-managed"

/** Whether the text contains a placeholder. `exact` lists the exact placeholders of the provider. */
export const holdsPlaceholder = (text: string, exact: ReadonlyArray<string>): boolean =>
  text.includes(PLACEHOLDER) || exact.some((value) => text.includes(value))

/** Whether a key or its placeholder begins with a part that `placeholder_by_prefix` names, or ends with it (`:fx`, `-us6`). */
export const hasPart = (text: string, part: string): boolean =>
  /^[:-]/.test(part) ? text.endsWith(part) : text.startsWith(part)

/**
 * The placeholder of one connection, which selects that connection for a request, or undefined for a placeholder of an
 * exact form, to which no name can be appended.
 */
export const connectionPlaceholder = (placeholder: string, connection: string): string | undefined =>
  placeholder.endsWith(PLACEHOLDER) ? `${placeholder}--${connection}` : undefined

const NAMED = new RegExp(`${PLACEHOLDER}--([A-Za-z0-9_@][A-Za-z0-9._@-]{0,63})`, "g")

/** The names of the connections whose placeholders a string contains. */
export const connectionsIn = (text: string): ReadonlyArray<string> =>
  text.includes(`${PLACEHOLDER}--`) ? [...text.matchAll(NAMED)].map(([, name]) => name!) : []

/**
 * The variable with the placeholder of one connection, such as `WORK_OPENAI_API_KEY`. It ends with the name of the provider's variable,
 * which has the form of a credential's name.
 */
export const variableFor = (variable: string, connection: string): string => {
  const name = connection.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^_+|_+$/g, "")
  return `${/^[0-9]/.test(name) ? "_" : ""}${name}_${variable}`
}

export type TokenRole = "access_token" | "refresh_token" | "id_token"

/** What a phantom stands for. */
export interface PhantomName {
  readonly role: TokenRole | "issued_token"
  readonly provider: ProviderName
  readonly connection: ConnectionName
  /** The ID of the login, because another login may get the connection name. Absent if any login of that name is meant. */
  readonly login?: string | undefined
  /** The ID of a token that the API has issued to the run. */
  readonly issued?: string | undefined
}

/** Matches phantoms. A connection name does not begin with a hyphen, so no placeholder of a connection matches. */
const PHANTOM = new RegExp(`${PLACEHOLDER}---([A-Za-z0-9_-]+)(?:\\.([A-Za-z0-9_-]+))?`, "g")

const base64url = (text: string): string => Buffer.from(text).toString("base64url")

/** An opaque phantom. `placeholder` ends with the usual text of placeholders, and gives the phantom the form of its token. */
export const opaquePhantom = (
  placeholder: string,
  { connection, issued, login, provider, role }: PhantomName
): string =>
  `${placeholder}---${base64url([role, provider, connection, login].join(" ").trimEnd())}` +
  (issued === undefined ? "" : `.${issued}`)

/** The `exp` claim of phantoms, in 2100, so that programs do not refresh: the daemon refreshes the tokens. */
const NEVER = 4_102_444_800

/** Makes a phantom that programs can read as a JSON Web Token. Its signature contains the name. */
export const jwtPhantom = (claims: Readonly<Record<string, unknown>>, name: PhantomName): string => {
  const [head, payload] = [{ alg: "none", typ: "JWT" }, { ...claims, exp: NEVER }].map((part) =>
    base64url(JSON.stringify(part))
  )
  // The signature is valid base64url, because the text before the name has 24 characters.
  return `${head}.${payload}.${opaquePhantom(PLACEHOLDER, name)}`
}

const ROLES: ReadonlySet<string> = new Set(["access_token", "refresh_token", "id_token", "issued_token"])

/** The phantoms in a string. */
export const phantomsIn = (text: string): ReadonlyArray<PhantomName> =>
  !text.includes(`${PLACEHOLDER}---`) ? [] : [...text.matchAll(PHANTOM)].flatMap(([, id, after]) => {
    const [role = "", provider = "", connection = "", login, ...rest] = Buffer.from(id!, "base64url").toString().split(
      " "
    )
    const issued = role === "issued_token" ? after ?? "" : undefined
    return ROLES.has(role) && rest.length === 0 && isProviderName(provider) && isConnectionName(connection) &&
        /^\w{1,64}$/.test(login ?? "any")
      ? [{ role: role as PhantomName["role"], provider: provider as ProviderName, connection, login, issued }]
      : []
  })
