/** Sample values in place of the user's input: for fields of credentials, and for flows that store what the user enters. */
import type { ClientAuthentication, OAuthProvider, ProviderDefinition } from "../domain/definition/Provider.ts"
import { credentialFields } from "../domain/definition/ProviderFields.ts"
import { expandBaseUrl } from "../domain/definition/ProviderHosts.ts"
import { grantFields, type JwtBearerSection, type StoredGrant } from "../domain/definition/StoredGrants.ts"
import { builtins } from "../platform/builtins.ts"
import { setValueAt } from "../platform/JsonPointer.ts"

export interface SampleGrant {
  readonly grant: StoredGrant
  /** The entered values, by field name. */
  readonly entered: Values
  /** Maps names in templates to values. */
  readonly values: Values
}

const keys = new Map<string, string>()

const generateKey = (algorithm: JwtBearerSection["algorithm"]) => {
  const { crypto } = builtins
  if (algorithm === "EdDSA") return crypto.generateKeyPairSync("ed25519")
  return algorithm.startsWith("ES")
    ? crypto.generateKeyPairSync("ec", { namedCurve: algorithm === "ES256" ? "P-256" : "P-384" })
    : crypto.generateKeyPairSync("rsa", { modulusLength: 2048 })
}

/** The key for an algorithm. All checks share it, because generating an RSA key takes a tenth of a second. */
const keyOf = (algorithm: JwtBearerSection["algorithm"]) => {
  const known = keys.get(algorithm)
  if (known !== undefined) return known
  const pem = generateKey(algorithm).privateKey.export({ format: "pem", type: "pkcs8" }).toString()
  keys.set(algorithm, pem)
  return pem
}

export const sampleGrant = (grant: StoredGrant): SampleGrant => {
  const key = grant.kind === "jwt_bearer" ? keyOf(grant.section.algorithm) : ""
  const entered: Record<string, string> = {}
  const values: Record<string, string> = {}
  for (const field of grantFields(grant)) {
    const { kind, name } = field
    if (kind === "key_file") {
      const file: Record<string, unknown> = {}
      for (const [pointer, expected] of Object.entries(field.expected ?? {})) {
        setValueAt(file, pointer, typeof expected === "string" ? expected : expected[0]!)
      }
      for (const [member, pointer] of Object.entries(field.members ?? {})) {
        const isKey = grant.kind === "jwt_bearer" && member === grant.section.privateKey
        const value = isKey ? key : sampleValue(member)
        values[member] = value
        setValueAt(file, pointer, value)
      }
      entered[name] = JSON.stringify(file)
      continue
    }
    const samples = { private_key: key, list: "alpha,beta", map: "alpha=read", text: sampleValue(name) }
    const sample = samples[kind]
    entered[name] = sample
    values[name] = sample
  }
  return { grant, entered, values }
}

export const tokenAddress = (
  { oauth }: OAuthProvider,
  { grant, values }: SampleGrant,
  baseUrl: string | null
): string => {
  const own = grant.kind === "token_request"
    ? grant.section.url
    : (grant.kind === "jwt_bearer" ? grant.section.request?.url : undefined) ?? grant.section.tokenUrl ?? oauth.tokenUrl
  return fillTemplate(expandBaseUrl(own ?? "", baseUrl) ?? "", values)
}

/** Returns the expected authentication method of the client, or `none` for flows without a client. */
export const authenticationOf = ({ oauth }: OAuthProvider, { grant }: SampleGrant): ClientAuthentication => {
  if (grant.kind !== "client_credentials") return "none"
  const stated = grant.section.clientAuthentication ?? oauth.clientAuthentication
  return stated === undefined || stated === "none" ? "client_secret_basic" : stated
}

export type Values = Readonly<Record<string, string>>

/** Returns a value that differs for each name. It is also valid base64, and valid as part of a host name. */
export const sampleValue = (name: string): string => {
  const text = `${name.replaceAll("_", "")}4f9a1c7e2b8d`
  return text.slice(0, text.length - text.length % 4)
}

/** Returns a value for each field of the credential, in place of the user's input. It need not match the pattern of the field. */
export const sampleFields = (definition: ProviderDefinition): Values =>
  Object.fromEntries(credentialFields(definition).map(({ name }) => [name, sampleValue(name)]))

/** Replaces the names in braces with their values. */
export const fillTemplate = (template: string, values: Values): string =>
  template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values[name] ?? "")

/** Returns a copy of a definition whose fields accept every value. */
export const withoutPatterns = (definition: ProviderDefinition): ProviderDefinition =>
  JSON.parse(
    JSON.stringify(definition),
    (name, value: unknown) => name === "pattern" || name === "keyPattern" ? undefined : value
  )
