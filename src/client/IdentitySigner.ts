/** Signs the requests to a daemon on another machine with the identity of the selected profile of this home (RFC 9421). */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Http from "node:http"
import { Documents } from "../config/Documents.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { unavailable } from "../domain/FailWith.ts"
import { contentDigest } from "../http/signatures/ContentDigest.ts"
import { pathAndQuery, signRequest } from "../http/signatures/MessageSignature.ts"
import { builtins } from "../platform/builtins.ts"
import { thumbprint } from "../platform/Ed25519.ts"
import { type ProfileKey, Profiles } from "../profiles/Profiles.ts"

interface OutgoingRequest {
  readonly method: string
  readonly host: string
  /** The whole target, with the path of the daemon's address. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export type IdentitySigner = ReturnType<typeof makeSigner>

/** The largest error of the clock, in milliseconds, that is not corrected: daemons accept the signatures. */
const noticeableSkew = 5000
/**
 * The largest correction of the clock, in milliseconds. Without a limit, a reverse proxy could report a later time and hold the
 * signatures until they are valid.
 */
const greatestSkew = 24 * 60 * 60 * 1000

const makeSigner = ({ publicKey, sign }: ProfileKey) => {
  const keyid = thumbprint(publicKey)
  let skew = 0

  return {
    /** Returns the fields to add to a request. Each request needs new fields. */
    sign: ({ body, headers, host, method, target }: OutgoingRequest): Readonly<Record<string, string>> => {
      const digest: Readonly<Record<string, string>> = body === undefined
        ? {}
        : { "content-digest": contentDigest(body) }
      const fields = { ...headers, ...digest }
      const components = [
        "@method",
        "@authority",
        "@path",
        "@query",
        ...Object.keys(fields).filter((name) => name === "content-digest" || name.startsWith("credsvc-"))
      ]
      const signed = signRequest({
        method,
        authority: host,
        ...pathAndQuery(target),
        field: (name) => fields[name]
      }, {
        label: "credsvc",
        components,
        parameters: {
          created: Math.floor((Date.now() + skew) / 1000),
          keyid,
          alg: "ed25519",
          nonce: builtins.crypto.randomBytes(18).toString("base64url"),
          tag: "credsvc"
        },
        sign
      })
      return { ...digest, ...signed }
    },
    /** Whether a refused request can be repeated, because the response shows that this machine's clock is wrong. */
    correctsClock: (status: number, { "accept-signature": accepts, date }: Http.IncomingHttpHeaders): boolean => {
      const difference = Date.parse(date ?? "") - Date.now()
      if (status !== 401 || accepts === undefined || !(Math.abs(difference) <= greatestSkew)) return false
      if (Math.abs(difference - skew) <= noticeableSkew) return false
      skew = difference
      return true
    }
  }
}

const profilesOfHome = Profiles.layerNoDeps.pipe(
  Layer.provide(Documents.layerFiles),
  Layer.provide(ConfigFile.layerNoDeps)
)

/** Opens the identity of a profile of this home, by default of the active profile. Creates that profile in a new home. */
export const openSigner = Effect.fnUntraced(
  function*(profile: string | undefined) {
    const profiles = yield* Profiles
    const handle = yield* profile === undefined ? profiles.active : Effect.catchTag(
      profiles.find(profile),
      "OperationNotAllowedError",
      () =>
        unavailable(
          `This machine has no identity "${profile}". Create and enroll it with: CREDSVC_PROFILE=${profile} credsvc enroll`
        )
    )
    return makeSigner(yield* profiles.key(handle))
  },
  Effect.catch((error) => error._tag === "DaemonUnavailableError" ? Effect.fail(error) : unavailable(error.detail)),
  Effect.provide(profilesOfHome)
)

/** The public key to enroll. Creates the identity of the selected profile if this home has none. */
export const ensurePublicKey = Effect.fnUntraced(function*(profile: string | undefined) {
  const profiles = yield* Profiles
  const handle = yield* profile === undefined ? profiles.active : profiles.ensure(profile)
  return (yield* profiles.key(handle)).publicKey
}, Effect.provide(profilesOfHome))
