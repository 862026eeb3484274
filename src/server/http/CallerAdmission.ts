/**
 * Admits callers.
 *
 * Connections identify local callers, signatures identify remote callers, and a token identifies scrapers of metrics.
 * Only an exposed daemon has remote callers. A connection to it is local if it has proved the access key of the home.
 * Its address and its header fields prove nothing, because a proxy may forward requests of strangers.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Net from "node:net"
import type { Caller } from "../../callers/Caller.ts"
import { Identities } from "../../callers/Identities.ts"
import { UsedNonces } from "../../callers/UsedNonces.ts"
import { Settings } from "../../config/Settings.ts"
import { VaultUnavailableError } from "../../domain/Errors.ts"
import { plural } from "../../domain/text/Plural.ts"
import type { Identity } from "../../domain/wire/Identity.ts"
import { isSameSecret, sha256 } from "../../platform/Digest.ts"
import { thumbprint } from "../../platform/Ed25519.ts"
import { ruleOf } from "./CallerRules.ts"
import { headerFieldsOf, type ReceivedHead, type Refusal } from "./Guard.ts"
import { Instance } from "./Instance.ts"
import { withoutMountPath } from "./MountPath.ts"
import { PageSessions } from "./PageSessions.ts"
import { pages as pageTable } from "./PageTable.ts"
import { PeerAdmission } from "./PeerAdmission.ts"
import { RateLimit } from "./RateLimit.ts"
import { hasDigestOf, isSignedWith, readRequestSignature, unsigned } from "./RequestSignature.ts"
import { makeSignatureTime, staleSignature } from "./SignatureTime.ts"

const refusals = {
  unknown: unsigned("The key of this signature is not enrolled. Enroll it with: credsvc enroll"),
  invalid: unsigned("The signature of the request is invalid."),
  stale: staleSignature,
  used: unsigned("This signature was already used. Send the request again with a new signature."),
  content: unsigned("The content of the request does not match its signed digest."),
  disabled: { status: 403, detail: "This identity is disabled. Ask the administrator of the daemon to enable it." },
  expired: { status: 403, detail: "The key of this job has expired. Enroll another key with: credsvc enroll --job" },
  job: {
    status: 403,
    detail: "A job can only use credentials, with credsvc run. " +
      "Programs cannot log in, refresh tokens or log out in a job."
  },
  administrator: { status: 403, detail: "Only the administrator can do this, with a command on the daemon's machine." }
} as const satisfies Record<string, Refusal>

const tooMany = (seconds: number): Refusal => ({
  status: 429,
  detail: `Too many requests from this identity. Try again in ${plural(seconds, "second")}.`,
  headers: { "retry-after": String(seconds) }
})

type Result = Caller | Refusal

export const isRefusal = (result: Result): result is Refusal => "status" in result

/** Verifies the signatures of requests. */
const makeSignatureCheck = Effect.gen(function*() {
  const instance = yield* Instance
  const identities = yield* Identities
  const nonces = yield* UsedNonces
  const time = yield* makeSignatureTime(nonces.areKept ? 0 : Math.floor(instance.startedAt / 1000))
  const limit = new RateLimit()

  /** Uses up the nonce. Returns a refusal if the nonce was already used. */
  const useUp = (parameters: Parameters<typeof nonces.use>[0]) =>
    Effect.map(nonces.use(parameters), (freshness) => freshness === "fresh" ? undefined : refusals[freshness])

  const refuse = (refusal: Refusal | VaultUnavailableError) =>
    refusal instanceof VaultUnavailableError ? Effect.fail(refusal) : Effect.succeed(refusal)

  /** Returns the identity that has signed the request, or a refusal. */
  const authenticate = Effect.fnUntraced(function*<E, R>(
    head: ReceivedHead,
    content: Effect.Effect<string, E, R>
  ): Effect.fn.Return<Identity | Refusal, VaultUnavailableError, R> {
    const fields = headerFieldsOf(head.rawHeaders)
    const signed = readRequestSignature(fields)
    if ("status" in signed) return signed
    const { parameters } = signed
    const known = yield* identities.find(parameters.keyid)
    if (known === undefined) return refusals.unknown
    if (!isSignedWith(known.publicKey, instance, head, fields, signed)) return refusals.invalid
    if (known.identity.disabledAt !== null) return refusals.disabled
    const { job } = known.identity
    if (job !== null && (yield* Clock.currentTimeMillis) >= job.expiresAt.epochMilliseconds) return refusals.expired
    // Checked before the content is read, so that a stolen signature causes no work.
    const early = yield* time.correctedRefusalAt(parameters.created)
    if (early !== undefined) return yield* refuse(early)
    const text = yield* Effect.orElseSucceed(content, () => undefined)
    if (text === undefined || !hasDigestOf(fields, text)) return refusals.content
    // The content may have arrived slowly.
    const refusal = time.refusalAt(parameters.created)
    if (refusal !== undefined) return yield* refuse(refusal)
    const wait = limit.take(known.identity.keyId, Date.now())
    if (wait > 0) return tooMany(wait)
    return (yield* useUp(parameters)) ?? known.identity
  })

  /** Tells whether the request is signed with this key, which need not be enrolled, and was not sent before. */
  const isSignedBy = Effect.fnUntraced(function*(publicKey: string, received: ReceivedHead, content: string) {
    const head = { ...received, target: withoutMountPath(instance.mountPath, received.target) }
    const fields = headerFieldsOf(head.rawHeaders)
    const signed = readRequestSignature(fields)
    if ("status" in signed || signed.parameters.keyid !== thumbprint(publicKey)) return false
    if (!isSignedWith(publicKey, instance, head, fields, signed) || !hasDigestOf(fields, content)) return false
    if ((yield* time.correctedRefusalAt(signed.parameters.created)) !== undefined) return false
    return (yield* useUp(signed.parameters)) === undefined
  })

  return { authenticate, isSignedBy }
})

const make = Effect.gen(function*() {
  const { exposed } = yield* Instance
  const pages = yield* PageSessions
  const peers = yield* PeerAdmission
  const { metricsToken } = yield* Settings
  const { authenticate, isSignedBy } = yield* makeSignatureCheck

  /** Whether a local caller sent the request. The connection must already be admitted. */
  const isLocal = (socket: Net.Socket): boolean => !exposed || peers.hasProved(socket)

  /** Whether the request reads the metrics with the configured token. A web page cannot send that token. */
  const isScrape = ({ method, rawHeaders, target }: ReceivedHead): boolean => {
    if (!exposed || target !== pageTable.metrics.path || (method !== "GET" && method !== "HEAD")) return false
    const given = /^Bearer +(.+)$/i.exec(headerFieldsOf(rawHeaders).get("authorization") ?? "")?.[1]
    return given !== undefined && Option.isSome(metricsToken) &&
      isSameSecret(sha256(given), sha256(Redacted.value(metricsToken.value)))
  }

  /** Determines the caller of a request to the route with this pattern, or refuses the request. */
  const admit = Effect.fnUntraced(function*<E, R>({ content, head, route, socket }: {
    readonly socket: Net.Socket
    readonly head: ReceivedHead
    readonly route: string
    readonly content: Effect.Effect<string, E, R>
  }): Effect.fn.Return<Result, VaultUnavailableError, R> {
    if (isLocal(socket)) return { _tag: "Local" as const }
    const rule = ruleOf(head.method, route)
    if (rule === "anyone" || isScrape(head)) return { _tag: "Anonymous" as const }
    if (yield* pages.admits(socket, head, route)) return { _tag: "Local" as const }
    const identity = yield* authenticate(head, content)
    if ("status" in identity) return identity
    if (rule === "administrator") return refusals.administrator
    return rule === "profile" && identity.job !== null
      ? refusals.job
      : { _tag: "Remote" as const, identity, socket }
  })

  return { isLocal, isScrape, admit, isSignedBy }
})

export class CallerAdmission
  extends Context.Service<CallerAdmission, Effect.Success<typeof make>>()("credsvc/server/CallerAdmission")
{
  static readonly layerNoDeps = Layer.effect(CallerAdmission, make)
}
