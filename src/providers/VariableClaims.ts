/**
 * Decides which environment variables a custom provider may claim. `run` sets these variables and `scan --import`
 * stores their values, so claiming another provider's variable would divert its keys or its requests.
 */
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { exportNames } from "../domain/definition/ProviderFields.ts"
import type { Problem } from "../domain/Errors.ts"
import { addressStem } from "../domain/injection/VariableName.ts"
import { variablePrefix } from "../domain/wire/Names.ts"

interface Claim {
  readonly path: string
  readonly variable: string
  readonly isAddress: boolean
}

/** The claims of a definition, cached because each custom definition is compared with all others. */
const claimsByDefinition = new WeakMap<ProviderDefinition, ReadonlyArray<Claim>>()

const claimsOf = (definition: ProviderDefinition): ReadonlyArray<Claim> => {
  const claims = claimsByDefinition.get(definition) ?? readClaims(definition)
  claimsByDefinition.set(definition, claims)
  return claims
}

const readClaims = (definition: ProviderDefinition): ReadonlyArray<Claim> => [
  ...exportNames(definition).map(({ field, variable }) => ({
    path: `/export/env/${field}`,
    variable,
    isAddress: field === "base_url" || field === "api_url"
  })),
  ...Object.keys(definition.export.baseUrls).map((variable) => ({
    path: `/export/base_urls/${variable}`,
    variable,
    isAddress: true
  }))
]

/** The variables that `run` sets for a provider. */
export const claimedVariables = (definition: ProviderDefinition): ReadonlyArray<string> =>
  claimsOf(definition).map(({ variable }) => variable)

const areAlternatives = (one: ProviderDefinition, other: ProviderDefinition): boolean =>
  one.alternatives.includes(other.name) && other.alternatives.includes(one.name)

const isNamedAfter = (variable: string, provider: string): boolean =>
  `${addressStem(variable)}_`.startsWith(`${variablePrefix(provider)}_`)

const isLonger = (one: string, other: string): boolean => variablePrefix(one).length > variablePrefix(other).length

interface VariableProblem extends Problem {
  readonly variable: string
}

/**
 * Finds variables that a definition may not claim. A variable belongs to the bundled or other custom provider that declares
 * it, unless two custom ones name each other as alternatives. An address variable must begin with its provider's name, and may
 * begin with a bundled provider's name only if that is shorter. An override may use the variables of the replaced definition.
 */
export const variableProblems = (
  definition: ProviderDefinition,
  bundled: ReadonlyMap<string, { readonly name: string; readonly definition: ProviderDefinition }>,
  custom: Iterable<ProviderDefinition>
): ReadonlyArray<VariableProblem> => {
  const { name } = definition
  const replaced = bundled.get(name)?.definition
  const inherited = new Set(replaced === undefined ? [] : claimedVariables(replaced))
  const shipped = [...bundled.values()].filter((other) => other.name !== name).map((other) => other.definition)
  const others = [
    ...shipped,
    ...[...custom].filter((other) => other.name !== name && !areAlternatives(definition, other))
  ]
  return claimsOf(definition).flatMap(({ isAddress, path, variable }) => {
    if (inherited.has(variable)) return []
    const isOwn = isNamedAfter(variable, name)
    const declaring = others.find((other) => claimsOf(other).some((claim) => claim.variable === variable))
    const owner = declaring ?? (isAddress
      ? shipped.find((other) => isNamedAfter(variable, other.name) && !(isOwn && isLonger(name, other.name)))
      : undefined)
    if (owner === undefined && (!isAddress || isOwn)) return []
    const reason = owner === undefined
      ? `; an address variable must begin with ${variablePrefix(name)}_`
      : `, which belongs to the provider ${owner.name}`
    return [{ path, variable, message: `names the variable ${variable}${reason}` }]
  })
}
