/** Checks parts that several sections of a provider definition have. */
import * as Result from "effect/Result"
import { type HostOptions, parseAddress } from "./HostPattern.ts"
import type { Tell } from "./PlacementChecks.ts"

export const baseUrlPlace = "{base_url}"

export const checkEndpoint = (value: string | undefined, options: HostOptions, tell: Tell): void => {
  if (value === undefined) return
  const inTenant = value.startsWith(baseUrlPlace)
  const address = inTenant ? `https://tenant.invalid${value.slice(baseUrlPlace.length)}` : value
  const result = parseAddress(address, options)
  if (Result.isFailure(result)) tell([], result.failure)
  else if (/[{}]/.test(address)) tell([], `may have only the placeholder ${baseUrlPlace}, at its beginning`)
  else if (inTenant && !/^$|^[/?]/.test(value.slice(baseUrlPlace.length))) {
    tell([], `must have a path after ${baseUrlPlace}`)
  } else if (result.success.rest.includes("#")) tell([], "must not have a fragment")
}

/** Checks the name of a value that templates use. */
export const checkValueName = (name: string, tell: Tell): boolean => {
  const isValid = /^[a-z][a-z0-9_]{0,63}$/.test(name)
  if (!isValid) tell([], "must be 1 to 64 lowercase letters, digits or _, beginning with a letter")
  return isValid
}

export const checkPattern = (pattern: string | undefined, tell: Tell): void => {
  if (pattern === undefined) return
  try {
    RegExp(`^(?:${pattern})$`)
  } catch {
    tell([], "is not a valid regular expression")
  }
}
