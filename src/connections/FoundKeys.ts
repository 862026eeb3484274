/**
 * Whose key a value of the environment is, told by the name of its variable and by its shape.
 *
 * Values are compared by digests under a key of one scan, so that what decides here never sees two of them in the clear.
 */
import * as Redacted from "effect/Redacted"
import { credentialFields, exportNames, type LoginField, type ProviderDefinition } from "../domain/Provider.ts"
import type { FoundValue, ScanSkip } from "../domain/Scan.ts"
import { builtins } from "../platform/builtins.ts"
import { fieldProblem } from "../providers/KeyCheck.ts"

/** A value that is the key of a provider, or a part of it. */
export interface FoundKey extends FoundValue {
  readonly definition: ProviderDefinition
  readonly field: string
  readonly digest: string
  /** Other providers that it may be of all the same. */
  readonly rivals: ReadonlyArray<string>
}

export type Digest = (value: Redacted.Redacted<string>) => string

/** A way to compare values that is good for one scan. */
export const makeDigest = (): Digest => {
  const key = builtins.crypto.randomBytes(32)
  return (value) => builtins.crypto.createHmac("sha256", key).update(Redacted.value(value).trim()).digest("base64")
}

/** What files of examples hold in the place of a key. */
const sample =
  /^(?:<.*>|\[.*\]|\$\{.*\}|\$[A-Za-z_]\w*|\{\{.*\}\}|[x.*]{3,}|(?:your|my|insert|replace|paste|enter|put)[-_ ].*|change[-_ ]?me|todo|tbd|none|null|undefined|placeholder|example|dummy|secret|password)$/i

const isSample = (value: Redacted.Redacted<string>): boolean => sample.test(Redacted.value(value).trim())

export const isEmpty = (value: Redacted.Redacted<string>): boolean => Redacted.value(value).trim() === ""

interface Claim {
  readonly definition: ProviderDefinition
  readonly field: LoginField
}

const accessToken: LoginField = {
  name: "access_token",
  label: "Access token",
  secret: true,
  pattern: undefined,
  hint: undefined
}

/** The fields of a provider's credential; an OAuth provider's is its access token. */
export const keyFields = (definition: ProviderDefinition): ReadonlyArray<LoginField> =>
  definition.authType === "oauth2" ? [accessToken] : credentialFields(definition)

/** Which providers a variable may carry a key for. */
const claimsByVariable = (
  definitions: ReadonlyArray<ProviderDefinition>
): ReadonlyMap<string, ReadonlyArray<Claim>> => {
  const claims = new Map<string, Array<Claim>>()
  for (const definition of definitions) {
    for (const { field: name, variable } of exportNames(definition)) {
      const field = keyFields(definition).find((field) => field.name === name)
      if (field === undefined) continue
      const known = claims.get(variable)
      if (known === undefined) claims.set(variable, [{ definition, field }])
      else known.push({ definition, field })
    }
  }
  return claims
}

/** The claims of which `prefers` is true, or all where it is true of none. */
const narrowed = (claims: ReadonlyArray<Claim>, prefers: (claim: Claim) => boolean): ReadonlyArray<Claim> => {
  const preferred = claims.filter(prefers)
  return preferred.length === 0 ? claims : preferred
}

/**
 * As `narrowed`, but a custom definition puts no bundled one out of its way: what it says of itself would be enough
 * to be given the keys of another provider.
 */
const narrowedFairly = (
  claims: ReadonlyArray<Claim>,
  isBundled: (definition: ProviderDefinition) => boolean,
  prefers: (claim: Claim) => boolean
): ReadonlyArray<Claim> => {
  const shipped = claims.filter(({ definition }) => isBundled(definition))
  const preferred = narrowed(claims, prefers)
  return shipped.length === 0 || preferred.some(({ definition }) => isBundled(definition)) ? preferred : claims
}

const what = ({ source, variable }: FoundValue): string =>
  source === "environment" ? variable : `${variable} in ${source}`

/**
 * The keys among the values. A variable that several providers share goes to the one whose key has this shape; of several,
 * to the one that has stored it, then to the one that declares a shape, then to the one that takes keys. The last two count
 * among bundled providers, or among custom ones.
 */
export const findKeys = (
  values: ReadonlyArray<FoundValue>,
  definitions: ReadonlyArray<ProviderDefinition>,
  digest: Digest,
  isBundled: (definition: ProviderDefinition) => boolean,
  isStored: (provider: string, field: string, digest: string) => boolean
): { readonly keys: ReadonlyArray<FoundKey>; readonly misfits: ReadonlyArray<ScanSkip> } => {
  const claimsOf = claimsByVariable(definitions)
  const keys: Array<FoundKey> = []
  const misfits: Array<ScanSkip> = []
  for (const found of values) {
    const claims = claimsOf.get(found.variable) ?? []
    if (claims.length === 0 || isEmpty(found.value)) continue
    if (isSample(found.value)) {
      misfits.push({ provider: claims[0]!.definition.name, reason: `${what(found)} is a sample, not a key` })
      continue
    }
    const problems = claims.map(({ definition, field }) => fieldProblem(definition, field, found.value))
    const fitting = claims.filter((_, index) => problems[index] === undefined)
    if (fitting.length === 0) {
      for (const [index, { definition }] of claims.entries()) {
        misfits.push({ provider: definition.name, reason: `${what(found)}: ${problems[index]}` })
      }
      continue
    }
    const made = digest(found.value)
    const stored = narrowed(fitting, ({ definition, field }) => isStored(definition.name, field.name, made))
    const shaped = narrowedFairly(stored, isBundled, ({ field }) => field.pattern !== undefined)
    const [claim, ...rivals] = narrowedFairly(shaped, isBundled, ({ definition }) => definition.authType === "api_key")
    keys.push({
      ...found,
      definition: claim!.definition,
      field: claim!.field.name,
      digest: made,
      rivals: rivals.map(({ definition }) => definition.name)
    })
  }
  return { keys, misfits }
}

/** The tenant's address from the same place as the key: another place could send the key elsewhere. */
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
