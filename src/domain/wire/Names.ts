/** Names of providers and connections, without their schemas, which a short command has no time to create. */
import type * as Brand from "effect/Brand"

// Names that are device files on Windows, properties of every JavaScript object, or both.
const reservedNames =
  /^(?:__proto__|constructor|prototype|hasownproperty|tostring|valueof|con|prn|aux|nul|(?:com|lpt)\d)$/

// The u flag is required for the pattern to appear in the JSON schema.
export const providerNamePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/u

export const isUnreserved = (name: string): boolean =>
  !name.includes("..") && !name.endsWith(".") && !reservedNames.test(name.split(".")[0]!)

/** Whether the name is safe as a file name and path segment. Windows also reserves `con.json`. */
export const isProviderName = (name: string): boolean => providerNamePattern.test(name) && isUnreserved(name)

/** The provider name as a prefix for names of environment variables. */
export const variablePrefix = (name: string): string => {
  const upper = name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")
  return /^\d/.test(upper) ? `_${upper}` : upper
}

/** 1 to 64 characters of `a-z A-Z 0-9 . _ @ -`, not beginning as a command-line option or a hidden file does. */
export const connectionNamePattern = /^[A-Za-z0-9_@][A-Za-z0-9._@-]{0,63}$/u

export const isReservedConnectionName = (name: string): boolean =>
  ["__proto__", "constructor", "prototype"].includes(name)

type ConnectionName = string & Brand.Brand<"ConnectionName">

export const isConnectionName = (name: string): name is ConnectionName =>
  connectionNamePattern.test(name) && !isReservedConnectionName(name)

export const defaultConnectionName = "default" as ConnectionName
