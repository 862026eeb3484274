/**
 * The shipped files in the single executable, whose bundles contain this module in place of `EmbeddedFiles`.
 */

/** The global function that returns a file of the executable. Throws for an unknown name. */
export const assetReader = Symbol.for("credsvc/asset")

const read = (name: string): Buffer => {
  const reader = (globalThis as Record<symbol, unknown>)[assetReader] as (name: string) => Buffer
  return reader(name)
}

/** Replaced by scripts/executable.ts with the names of `assets/`. */
declare const CREDSVC_ASSETS: ReadonlyArray<string>

export const embeddedAssets: Readonly<Record<string, string>> | undefined = Object.defineProperties(
  {},
  Object.fromEntries(CREDSVC_ASSETS.map((name) => [name, { get: () => read(name).toString("utf8") }]))
)

export const embeddedProviders: (() => Promise<string>) | undefined = () =>
  Promise.resolve(read("providers.json").toString("utf8"))

export const embeddedKeyring: (() => Uint8Array) | undefined = () => read("keyring.node")
