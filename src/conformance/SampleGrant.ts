/** What a person enters for a flow that stores credentials, and where its token requests go. */
import type { ClientAuthentication, OAuthProvider } from "../domain/definition/Provider.ts"
import { expandBaseUrl } from "../domain/definition/ProviderHosts.ts"
import {
  type GrantField,
  grantFields,
  type JwtBearerSection,
  type StoredGrant
} from "../domain/definition/StoredGrants.ts"
import { builtins } from "../platform/builtins.ts"
import { put } from "../platform/JsonPointer.ts"
import { sampleOf } from "./SampleText.ts"

type Values = Readonly<Record<string, string>>

export interface SampleGrant {
  readonly grant: StoredGrant
  /** By the name of the field. */
  readonly entered: Values
  /** By the name that templates use. */
  readonly values: Values
}

const keys = new Map<string, string>()

/** Generating an RSA key takes a tenth of a second, so each algorithm has one key. */
const keyOf = (algorithm: JwtBearerSection["algorithm"]) => {
  const { crypto } = builtins
  const known = keys.get(algorithm)
  if (known !== undefined) return known
  const { privateKey } = algorithm === "EdDSA"
    ? crypto.generateKeyPairSync("ed25519")
    : algorithm.startsWith("ES")
    ? crypto.generateKeyPairSync("ec", { namedCurve: algorithm === "ES256" ? "P-256" : "P-384" })
    : crypto.generateKeyPairSync("rsa", { modulusLength: 2048 })
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  keys.set(algorithm, pem)
  return pem
}

/** Sample input, or the name of a field whose pattern is too complex. */
export const sampleGrant = (grant: StoredGrant): SampleGrant | { readonly unmatched: string } => {
  const key = grant.kind === "jwt_bearer" ? keyOf(grant.section.algorithm) : undefined
  const entered: Record<string, string> = {}
  const values: Record<string, string> = {}
  const textOf = ({ name, pattern }: GrantField) =>
    pattern === undefined ? `${name.replaceAll("_", "-")}-4f9a1c7e2b8d` : sampleOf(pattern)
  for (const field of grantFields(grant)) {
    const { kind, name } = field
    if (kind === "key_file") {
      const file: Record<string, unknown> = {}
      for (const [pointer, expected] of Object.entries(field.expected ?? {})) {
        put(file, pointer, typeof expected === "string" ? expected : expected[0]!)
      }
      for (const [member, pointer] of Object.entries(field.members ?? {})) {
        const isKey = grant.kind === "jwt_bearer" && member === grant.section.privateKey
        const value = isKey ? key! : `${member.replaceAll("_", "-")}-4f9a1c7e2b8d`
        values[member] = value
        put(file, pointer, value)
      }
      entered[name] = JSON.stringify(file)
      continue
    }
    const samples = { private_key: key, list: "alpha,beta", map: "alpha=read", text: textOf(field) }
    const sample = samples[kind]
    if (sample === undefined) return { unmatched: name }
    entered[name] = sample
    values[name] = sample
  }
  return { grant, entered, values }
}

const filled = (template: string, values: Values): string =>
  template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values[name] ?? "")

/** The URL of the token requests. */
export const tokenAddress = (
  { oauth }: OAuthProvider,
  { grant, values }: SampleGrant,
  baseUrl: string | null
): string => {
  const own = grant.kind === "token_request"
    ? grant.section.url
    : (grant.kind === "jwt_bearer" ? grant.section.request?.url : undefined) ?? grant.section.tokenUrl ?? oauth.tokenUrl
  return filled(expandBaseUrl(own ?? "", baseUrl) ?? "", values)
}

/** The expected authentication of the client; `none` for flows without a client. */
export const authenticationOf = ({ oauth }: OAuthProvider, { grant }: SampleGrant): ClientAuthentication => {
  if (grant.kind !== "client_credentials") return "none"
  const stated = grant.section.clientAuthentication ?? oauth.clientAuthentication
  return stated === undefined || stated === "none" ? "client_secret_basic" : stated
}
