/**
 * Attributes environment values to providers by variable name and key format. Values are compared by digests that are
 * keyed for this scan, so a comparison never needs two plain-text values.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import { credentialFields, exportNames, type LoginField } from "../../domain/definition/ProviderFields.ts"
import { isSample, references } from "../../domain/text/KeyText.ts"
import type { FoundValue, ScanSkip } from "../../domain/wire/Scan.ts"
import { builtins } from "../../platform/builtins.ts"
import { shellWord } from "../../platform/ShellQuote.ts"
import { fieldProblem } from "../../providers/KeyCheck.ts"

/** A key that the scan found, or one field of it. */
export interface FoundKey extends FoundValue {
  readonly definition: ProviderDefinition
  readonly field: string
  readonly digest: string
  /** Other providers that the value may belong to. */
  readonly rivals: ReadonlyArray<string>
}

export type Digest = (value: Redacted.Redacted<string>) => string

export const makeDigest = (): Digest => {
  const key = builtins.crypto.randomBytes(32)
  return (value) => builtins.crypto.createHmac("sha256", key).update(Redacted.value(value).trim()).digest("base64")
}

/** What to do about a value that refers to a key or contains it encrypted; undefined for other values. */
const referenceHint = (provider: string, { source, value, variable }: FoundValue): string | undefined => {
  const text = Redacted.value(value).trim()
  const found = references.find(([form]) => form.test(text))
  if (found === undefined) return undefined
  const places: Readonly<Record<string, string>> = { VALUE: shellWord(text), NAME: variable, FILE: shellWord(source) }
  // Users paste the command into a shell, and a file may be hostile. PowerShell has other rules for quotes than shells.
  // Replaces all at once, because a value may contain "FILE".
  const command = /[\p{Cc}'\u2018-\u201b]/u.test(text + source)
    ? undefined
    : found[1]?.replace(/VALUE|NAME|FILE/g, (place) => places[place]!)
  return `${what({ source, value, variable })} refers to a key or is encrypted; use a command that prints the key: ` +
    `credsvc login ${provider} --flow credential_command -- ${command ?? "<command>"}`
}

const isEmpty = (value: Redacted.Redacted<string>): boolean => Redacted.value(value).trim() === ""

interface Claim {
  readonly definition: ProviderDefinition
  readonly field: LoginField
}

const accessToken: LoginField = {
  name: "access_token",
  label: "Access token",
  secret: true,
  required: true,
  pattern: undefined,
  hint: undefined
}

export const keyFields = (definition: ProviderDefinition): ReadonlyArray<LoginField> => [
  ...(definition.authType === "oauth2" ? [accessToken] : []),
  ...credentialFields(definition)
]

const claimsByVariable = (definitions: ReadonlyArray<ProviderDefinition>) =>
  Map.groupBy(
    definitions.flatMap((definition) =>
      exportNames(definition).flatMap(({ field: name, variable }) => {
        const field = keyFields(definition).find((field) => field.name === name)
        return field === undefined ? [] : [{ definition, field, variable }]
      })
    ),
    ({ variable }) => variable
  )

/** Returns the claims that satisfy `prefers`, or all claims if none does. */
const prefer = (claims: ReadonlyArray<Claim>, prefers: (claim: Claim) => boolean): ReadonlyArray<Claim> => {
  const preferred = claims.filter(prefers)
  return preferred.length === 0 ? claims : preferred
}

/** Like `prefer`, but a custom definition never excludes a bundled one, whose keys it could otherwise claim. */
const preferFairly = (
  claims: ReadonlyArray<Claim>,
  isBundled: (definition: ProviderDefinition) => boolean,
  prefers: (claim: Claim) => boolean
): ReadonlyArray<Claim> => {
  const shipped = claims.filter(({ definition }) => isBundled(definition))
  const preferred = prefer(claims, prefers)
  return shipped.length === 0 || preferred.some(({ definition }) => isBundled(definition)) ? preferred : claims
}

const what = ({ source, variable }: FoundValue): string =>
  source === "environment" ? variable : `${variable} in ${source}`

interface Comparison {
  readonly digest: Digest
  readonly isBundled: (definition: ProviderDefinition) => boolean
  readonly isStored: (provider: ProviderDefinition["name"], field: string, digest: string) => boolean
}

/** Returns the claims that a value fits, or else what to tell about the value. */
const fittingOf = (
  found: FoundValue,
  claims: ReadonlyArray<Claim>
): Result.Result<ReadonlyArray<Claim>, ReadonlyArray<ScanSkip>> => {
  const provider = claims[0]!.definition.name
  const sample = isSample(Redacted.value(found.value)) ? `${what(found)} is a sample, not a key` : undefined
  const reason = sample ?? referenceHint(provider, found)
  if (reason !== undefined) return Result.fail([{ provider, reason }])
  const problems = claims.map(({ definition, field }) => fieldProblem(definition, field, found.value))
  const fitting = claims.filter((_, index) => problems[index] === undefined)
  return fitting.length > 0 ? Result.succeed(fitting) : Result.fail(
    claims.map(({ definition }, at) => ({ provider: definition.name, reason: `${what(found)}: ${problems[at]}` }))
  )
}

const claimed = (
  found: FoundValue,
  { definition, field }: Claim,
  rest: Pick<FoundKey, "digest" | "rivals">
): FoundKey => ({
  ...found,
  ...rest,
  definition,
  field: field.name
})

const keyOf = (found: FoundValue, fitting: ReadonlyArray<Claim>, comparison: Comparison): FoundKey => {
  const { isBundled, isStored } = comparison
  const digest = comparison.digest(found.value)
  const stored = prefer(fitting, ({ definition, field }) => isStored(definition.name, field.name, digest))
  const shaped = preferFairly(stored, isBundled, ({ field }) => field.pattern !== undefined)
  const [claim, ...others] = preferFairly(shaped, isBundled, ({ definition }) => definition.authType === "api_key")
  return claimed(found, claim!, { digest, rivals: others.map(({ definition }) => definition.name) })
}

/**
 * Finds keys among the values. If several providers declare a variable, it belongs to the provider whose key format
 * matches. If several formats match, it belongs to the provider that stores the same key, or else to one that declares
 * a format, or else to one that uses API keys. The last two rules apply among bundled providers or among custom ones.
 * An identifier, such as an account ID, belongs to each provider that claims it and has a secret among the values, or
 * else to the first provider.
 */
export const findKeys = (
  values: ReadonlyArray<FoundValue>,
  definitions: ReadonlyArray<ProviderDefinition>,
  comparison: Comparison
): { readonly keys: ReadonlyArray<FoundKey>; readonly misfits: ReadonlyArray<ScanSkip> } => {
  const claimsOf = claimsByVariable(definitions)
  const misfits: Array<ScanSkip> = []
  const fits = values.flatMap((found) => {
    const claims = claimsOf.get(found.variable) ?? []
    if (claims.length === 0 || isEmpty(found.value)) return []
    const fitting = fittingOf(found, claims)
    if (Result.isSuccess(fitting)) return [{ found, fitting: fitting.success }]
    misfits.push(...fitting.failure)
    return []
  })
  const isIdentifier = ({ fitting }: typeof fits[number]): boolean =>
    fitting.length > 1 && fitting.every(({ field }) => !field.secret)
  const keys = fits.flatMap((fit) => isIdentifier(fit) ? [] : [keyOf(fit.found, fit.fitting, comparison)])
  const withSecret = new Set(keys.map(({ definition }) => definition))
  const identifiers = fits.filter(isIdentifier).flatMap(({ fitting, found }) => {
    const owners = fitting.filter(({ definition }) => withSecret.has(definition))
    const rest = { digest: comparison.digest(found.value), rivals: [] }
    return (owners.length > 0 ? owners : fitting.slice(0, 1)).map((claim) => claimed(found, claim, rest))
  })
  return { keys: [...keys, ...identifiers], misfits }
}

/** The base URL from the same source as the key, if any: an address from another source could send the key elsewhere. */
export const addressOf = (
  definition: ProviderDefinition,
  source: string,
  values: ReadonlyArray<FoundValue>
): string | undefined => {
  const names = new Set(
    exportNames(definition).filter(({ field }) => field === "base_url").map(({ variable }) => variable)
  )
  const found = values.find((each) => each.source === source && names.has(each.variable) && !isEmpty(each.value))
  return found === undefined ? undefined : Redacted.value(found.value).trim()
}
