/**
 * The shipped files as part of the code, only in the library. `scripts/build.ts` replaces this module there, because an
 * embedding program may be bundled, and then no files lie beside its code.
 */

/** The assets by file name. */
export const embeddedAssets: Readonly<Record<string, string>> | undefined = undefined

/** Loads the bundled provider definitions as one JSON text. */
export const embeddedProviders: (() => Promise<string>) | undefined = undefined

/** The native library of `@napi-rs/keyring`, in the single executable. */
export const embeddedKeyring: (() => Uint8Array) | undefined = undefined
