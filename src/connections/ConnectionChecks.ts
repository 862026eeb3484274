/**
 * Sends the `test_request` of a definition with the credential of a connection, as the proxy would send it for a child
 * process: `Connections.resolve` checks and audits the use, and the same code places the credential.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { FlowKind, ProviderDefinition, ProviderName, TestRequest } from "../domain/definition/Provider.ts"
import { testRequestOf } from "../domain/definition/ProviderFields.ts"
import { apiUrlOf, hostsOf } from "../domain/definition/ProviderHosts.ts"
import type { CredentialError } from "../domain/Errors.ts"
import { pathOf } from "../domain/injection/Route.ts"
import type { CheckOutcome, ConnectionCheck, ConnectionName } from "../domain/wire/Connection.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import type { Resolved, SigningKey } from "../domain/wire/Resolve.ts"
import { ApiHttp } from "../outbound/ApiHttp.ts"
import { type Authority, formatAuthority, parseAuthority } from "../outbound/Authority.ts"
import { prepare, requestHeaders, requestTarget } from "../outbound/HeaderInjection.ts"
import { hmacCredential, signWithHmac } from "../outbound/HmacSignature.ts"
import { sha256 } from "../outbound/sigv4/CanonicalRequest.ts"
import type { ClientSignature } from "../outbound/sigv4/ClientSignature.ts"
import { type RequestHead, signHead, signingCredential } from "../outbound/sigv4/RequestSigner.ts"
import { builtins } from "../platform/builtins.ts"
import { pointed } from "../platform/JsonPointer.ts"
import { version } from "../platform/Version.ts"
import { ProviderRegistry } from "../providers/ProviderRegistry.ts"
import { ConnectionRepo } from "./ConnectionRepo.ts"
import { Connections } from "./Connections.ts"
import { loginCommand } from "./DefinitionBinding.ts"

const CONCURRENCY = 4

const HTTPS = 443

/** A test request as a child process would send it, with the placeholder in place of the secret. */
interface Plan {
  readonly authority: Authority
  readonly target: string
  readonly test: TestRequest
}

/** The host of the API, or else the first entry of `hosts` that is not a wildcard. */
const authorityOf = (definition: ProviderDefinition, baseUrl: string | null): Authority | undefined => {
  const api = apiUrlOf(definition, baseUrl)
  const hosts = hostsOf(definition, baseUrl).map(({ host }) => host)
  const host = [...(api === null ? [] : [new URL(api).host]), ...hosts].find((name) => !name.startsWith("*"))
  return host === undefined ? undefined : parseAuthority(host, HTTPS)
}

const planOf = (
  definition: ProviderDefinition,
  flow: FlowKind,
  baseUrl: string | null,
  plainFields: Readonly<Record<string, string>>
): Plan | undefined => {
  const authority = authorityOf(definition, baseUrl)
  const test = testRequestOf(definition, flow)
  if (test === undefined || authority === undefined) return undefined
  const target = test.path.replaceAll(
    /\{([^{}]*)\}/g,
    (_, field: string) =>
      Object.hasOwn(plainFields, field) ? encodeURIComponent(plainFields[field]!) : definition.placeholder
  )
  return { authority, target, test }
}

const requestOf = ({ authority, target, test }: Plan, resolved: Resolved) => {
  const injection = prepare(resolved)
  const { body, method } = test
  const isDefault = (name: string) =>
    Object.keys(resolved.defaults).some((other) => other.toLowerCase() === name.toLowerCase())
  const own = [
    ["User-Agent", `credsvc/${version}`],
    ...(method === "POST" ? [["Content-Length", String(new TextEncoder().encode(body ?? "").length)]] : []),
    ...(body === undefined ? [] : [["Content-Type", "application/json"]])
    // Headers of the test request override the default headers of the definition.
  ].filter(([name]) => !isDefault(name!)).flat()
  const head = {
    method,
    path: requestTarget(target, injection),
    headers: requestHeaders(own, formatAuthority(authority, HTTPS), injection)
  }
  return { authority, body, ...head, ...signedHead(head, resolved, body) }
}

const signedHead = (head: RequestHead, { hmac, signing }: Resolved, body = "") => {
  if (signing !== undefined) return signed(head, signing, body)
  return hmac === undefined
    ? {}
    : { headers: signWithHmac(head, hmacCredential(hmac), Buffer.from(body), Date.now()) }
}

const signed = (head: RequestHead, key: SigningKey, body: string) => {
  const { region, service } = key
  const signature: ClientSignature = {
    form: "header",
    scope: { region, service },
    signedHeaders: new Set(),
    expires: 0
  }
  const { headers, path } = signHead(head, signature, signingCredential(key), sha256(Buffer.from(body)), Date.now())
  return { headers, path }
}

const expectedOf = ({ test: { expect } }: Plan) =>
  typeof expect === "number" ? { status: expect, json: undefined, equals: undefined } : expect

/** What is missing in the body of a response with the expected status; undefined if nothing is. */
const missing = (plan: Plan, body: string): string | undefined => {
  const { equals, json } = expectedOf(plan)
  if (json === undefined) return undefined
  const value = pointed(Result.getOrUndefined(Result.try((): unknown => JSON.parse(body))), json)
  if (equals === undefined) return value === undefined || value === null ? json : undefined
  return value === equals ? undefined : `${json} with the value ${JSON.stringify(equals)}`
}

const isSame = (left: Resolved, right: Resolved): boolean => DateTime.Equivalence(left.issuedAt, right.issuedAt)

export class ConnectionChecks extends Context.Service<ConnectionChecks, {
  /** On a 401, a credential that cannot be refreshed is marked `invalid` until a check or a new login succeeds. */
  readonly check: (
    profile: ProfileHandle,
    provider: ProviderName,
    connection: ConnectionName
  ) => Effect.Effect<ConnectionCheck, CredentialError>
}>()("credsvc/connections/ConnectionChecks") {
  static readonly layerNoDeps = Layer.effect(
    ConnectionChecks,
    Effect.gen(function*() {
      const http = yield* ApiHttp
      const repo = yield* ConnectionRepo
      const connections = yield* Connections
      const registry = yield* ProviderRegistry
      const semaphore = yield* Semaphore.make(CONCURRENCY)

      const tried = Effect.fnUntraced(
        function*(profile: ProfileHandle, provider: ProviderName, connection: ConnectionName, plan: Plan) {
          const { host, port } = plan.authority
          const question = { host, port, path: pathOf(plan.target), provider, connection }
          // One run for both requests, so that the audit log has one entry for the check.
          const run = Option.some(`check-${builtins.crypto.randomBytes(16).toString("hex")}`)
          const resolve = (rejected?: DateTime.Utc) =>
            Effect.catchTag(
              connections.resolve(profile, { ...question, ...(rejected === undefined ? {} : { rejected }) }, { run }),
              "AmbiguousProviderError",
              Effect.die
            )
          const first = yield* resolve()
          const send = (resolved: Resolved) =>
            http.send(requestOf(plan, resolved), { readsBody: expectedOf(plan).json !== undefined })
          const response = yield* send(first)
          if (response.status !== 401) return { ...response, resolved: first }
          const second = yield* Effect.orElseSucceed(resolve(first.issuedAt), () => first)
          if (isSame(first, second)) return { ...response, resolved: first }
          const again = yield* send(second)
          if (again.status === 401) yield* Effect.ignore(resolve(second.issuedAt))
          return { ...again, resolved: second }
        }
      )

      const check = Effect.fn("ConnectionChecks.check")(
        function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
          // Fails unless the store is verified and both names exist.
          const { baseUrl, flow } = yield* connections.get(profile, provider, name, { reveal: false })
          const { definition } = yield* registry.get(provider)
          const stored = yield* repo.findUsable({ profile, provider, name })
          const outcome = Effect.fnUntraced(
            function*(result: CheckOutcome, httpStatus: number | null, message: string) {
              const checked: ConnectionCheck = {
                provider,
                connection: name,
                outcome: result,
                httpStatus,
                message,
                checkedAt: yield* DateTime.now
              }
              return checked
            }
          )
          const { displayName } = definition
          const plan = planOf(definition, flow, baseUrl, stored?.metadata.plainFields ?? {})
          if (plan === undefined) {
            return yield* outcome("not_checked", null, `The definition of ${provider} has no test request.`)
          }
          const sent = yield* Effect.result(tried(profile, provider, name, plan))
          if (Result.isFailure(sent)) {
            if (sent.failure._tag !== "ApiUnreachableError") return yield* sent.failure
            return yield* outcome(
              "unreachable",
              null,
              `${displayName} could not be reached: ${sent.failure.message}.`
            )
          }
          const { body, resolved, status } = sent.success
          const expected = expectedOf(plan).status
          const again = `Log in again with: ${loginCommand(provider, name, true)}`
          switch (status) {
            case expected: {
              const absent = missing(plan, body)
              if (absent !== undefined) {
                return yield* outcome(
                  "refused",
                  status,
                  `${displayName} responded with ${status}, but its body does not have ${absent}: the credential is invalid ` +
                    `or lacks a permission. ${again}`
                )
              }
              yield* connections.accepted(profile, provider, name, resolved.issuedAt)
              return yield* outcome("works", status, `${displayName} accepts the credential.`)
            }
            case 401:
              return yield* outcome("refused", status, `${displayName} refused the credential (401). ${again}`)
            case 403:
              return yield* outcome(
                "refused",
                status,
                `${displayName} refused the test request (403): the credential is invalid or lacks a permission.`
              )
            default:
              return yield* outcome(
                "unexpected",
                status,
                `${displayName} responded with ${status} instead of ${expected}, so the check is inconclusive.`
              )
          }
        },
        semaphore.withPermits(1)
      )

      return ConnectionChecks.of({ check })
    })
  )
}
