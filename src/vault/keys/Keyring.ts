/** Access to the operating system's keyring, for the vault's keys. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { KeyringError, keyringName, readEntry, writeEntry } from "../../platform/process/KeyringEntries.ts"

const SERVICE = "credsvc"

export class Keyring extends Context.Service<Keyring, {
  /** The keyring's name for the user. */
  readonly backend: string

  /** Reads an entry. None if the keyring is open and has no such entry. */
  readonly get: (account: string) => Effect.Effect<Option.Option<Redacted.Redacted<string>>, KeyringError>

  /** Writes an entry. Succeeds only after reading the value back. */
  readonly set: (account: string, secret: Redacted.Redacted<string>) => Effect.Effect<void, KeyringError>
}>()("credsvc/vault/Keyring") {
  /** A missing keyring, as on a server without a desktop session. */
  static readonly layerAbsent: Layer.Layer<Keyring> = Layer.sync(Keyring, () => {
    const backend = "OS keyring"
    const absent = Effect.fail(new KeyringError({ backend, problem: "unavailable" }))
    return Keyring.of({ backend, get: () => absent, set: () => absent })
  })

  /** The user's keyring. */
  static readonly layer: Layer.Layer<Keyring> = Layer.succeed(
    Keyring,
    Keyring.of({
      backend: keyringName,
      get: (account) =>
        Effect.map(
          readEntry({ service: SERVICE, account }),
          (value) => value === undefined ? Option.none() : Option.some(Redacted.make(value))
        ),
      set: (account, secret) => writeEntry({ service: SERVICE, account }, Redacted.value(secret))
    })
  )
}
