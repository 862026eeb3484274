/** Callers on other machines: keys, the fields that they sign, and daemons that they can reach. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as crypto from "node:crypto"
import { runNameOf } from "../../src/config/RunMark.ts"
import { contentDigest } from "../../src/http/signatures/ContentDigest.ts"
import { type SignatureParameters, signRequest } from "../../src/http/signatures/MessageSignature.ts"
import { publicKeyOf, thumbprint } from "../../src/platform/Ed25519.ts"
import { type Answer, type RequestOptions, startTestDaemon, type TestDaemonShape } from "./TestDaemon.ts"
import { eventually } from "./Until.ts"

export const publicHost = "creds.example"

/** A daemon on loopback with a public base URL. Requests to its public host are those of other machines. */
export const startExposedDaemon = startTestDaemon({
  settings: { serverBaseUrl: Option.some(new URL(`https://${publicHost}`)) }
})

export interface SignedRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface RemoteKey {
  readonly publicKey: string
  readonly keyId: string
  readonly sign: (
    target: string,
    options?: RequestOptions & {
      readonly parameters?: Partial<SignatureParameters>
      readonly without?: string
    }
  ) => SignedRequest
}

/** A key of a caller. `host` is that of the daemon's base URL. */
export const makeKey = (host = publicHost): RemoteKey => {
  const { privateKey, publicKey } = crypto.generateKeyPairSync("ed25519")
  const x = publicKeyOf(publicKey)
  const keyid = thumbprint(x)
  return {
    publicKey: x,
    keyId: keyid,
    sign: (target, options = {}) => {
      const { method = "GET" } = options
      const body = options.body === undefined || typeof options.body === "string"
        ? options.body
        : JSON.stringify(options.body)
      const url = new URL(target, `https://${host}`)
      const headers: Record<string, string> = {
        host,
        ...(body === undefined ? {} : { "content-type": "application/json", "content-digest": contentDigest(body) }),
        ...options.headers as Record<string, string>
      }
      const components = [
        "@method",
        "@authority",
        "@path",
        "@query",
        ...Object.keys(headers).filter((name) => name === "content-digest" || name.startsWith("credsvc-"))
      ].filter((component) => component !== options.without)
      const signed = signRequest({
        method,
        authority: host,
        path: url.pathname,
        query: url.search === "" ? "?" : url.search,
        field: (name) => headers[name]
      }, {
        label: "credsvc",
        components,
        parameters: {
          created: Math.floor(Date.now() / 1000),
          keyid,
          alg: "ed25519",
          nonce: crypto.randomBytes(18).toString("base64url"),
          tag: "credsvc",
          ...options.parameters
        },
        sign: (bytes) => crypto.sign(null, bytes, privateKey)
      })
      return { method, target, headers: { ...headers, ...signed }, body }
    }
  }
}

/** The options of a POST request. */
export const post = (body?: unknown, headers: Readonly<Record<string, string>> = {}): RequestOptions => ({
  method: "POST",
  headers,
  ...(body === undefined ? {} : { body })
})

export const send = (daemon: TestDaemonShape, { body, headers, method, target }: SignedRequest) =>
  daemon.request(target, { method, headers, body })

export interface RemoteIdentity extends RemoteKey {
  readonly name: string
  readonly profile: string
  readonly request: (target: string, options?: RequestOptions) => Effect.Effect<Answer, Error>
}

/** Creates an enrollment code as the administrator does. */
export const createCode = (daemon: TestDaemonShape, profile: string, more: object = {}) =>
  Effect.map(
    daemon.post("/identities/codes", { profile, ...more }),
    ({ json }) => json.code as string
  )

export const enroll = (daemon: TestDaemonShape, key: RemoteKey, code: string) =>
  send(daemon, key.sign("/identities", { method: "POST", body: { code, public_key: key.publicKey } }))

/** Creates a profile, and enrolls a key for it. */
export const enrolled = (daemon: TestDaemonShape, profile: string): Effect.Effect<RemoteIdentity, Error> =>
  Effect.gen(function*() {
    yield* daemon.post("/profiles", { handle: profile })
    const key = makeKey()
    const { json, status } = yield* enroll(daemon, key, yield* createCode(daemon, profile))
    if (status !== 201) return yield* Effect.die(new Error(JSON.stringify(json)))
    return {
      ...key,
      name: json.name,
      profile,
      request: (target, options) => send(daemon, key.sign(target, options))
    }
  })

export const registration = { providers: null, connections: {}, unmatched: "allow", pid: 1, contained: false }

/** Registers a run of a caller until the scope closes. */
export const startRun = (caller: RemoteIdentity, id: string, changes: object = {}) =>
  Effect.tap(
    Effect.forkScoped(caller.request("/runs", post({ ...registration, ...changes }, { "credsvc-run": id }))),
    eventually(
      Effect.suspend(() => caller.request("/runs")),
      ({ json }) => json.runs.some(({ name }: { readonly name: string }) => name === runNameOf(id))
    )
  )
