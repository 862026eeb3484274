/** The shipped files in the single executable, whose bundles contain this module instead of `EmbeddedFiles`. */

/** The key of the global function that returns a file of the executable. The function throws for an unknown name. */
export const assetReader = Symbol.for("credsvc/asset")

const read = (name: string): Buffer => {
  const reader = (globalThis as Record<symbol, unknown>)[assetReader] as (name: string) => Buffer
  return reader(name)
}

/** The names of the files in `assets/`, which scripts/executable.ts inserts. */
declare const CREDSVC_ASSETS: ReadonlyArray<string>

export const embeddedAssets: Readonly<Record<string, string>> | undefined = Object.defineProperties(
  {},
  Object.fromEntries(CREDSVC_ASSETS.map((name) => [name, { get: () => read(name).toString("utf8") }]))
)

export const embeddedProviders: (() => Promise<string>) | undefined = () =>
  Promise.resolve(read("providers.json").toString("utf8"))

export const embeddedKeyring: (() => Uint8Array) | undefined = () => read("keyring.node")
