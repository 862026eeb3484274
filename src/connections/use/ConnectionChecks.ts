/**
 * Sends a definition's `test_request` with the credential of a connection, as the proxy would send it for a child process.
 * `Connections.resolve` checks and audits the use, and the same code places the credential.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { baseUrlPlace } from "../../domain/definition/PartChecks.ts"
import type { FlowKind, ProviderDefinition, ProviderName, TestRequest } from "../../domain/definition/Provider.ts"
import { testRequestOf } from "../../domain/definition/ProviderFields.ts"
import { apiUrlOf, hostsOf, regionAt } from "../../domain/definition/ProviderHosts.ts"
import { pathOf } from "../../domain/injection/Route.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import type { CheckOutcome, ConnectionCheck, ConnectionName } from "../../domain/wire/Connection.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { Resolved } from "../../domain/wire/Resolve.ts"
import { ApiHttp, type ApiResponse } from "../../outbound/ApiHttp.ts"
import { type Authority, formatAuthority, parseAuthority } from "../../outbound/Authority.ts"
import { randomId } from "../../platform/Digest.ts"
import { valueAt } from "../../platform/JsonPointer.ts"
import { version } from "../../platform/process/Version.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { ConnectionRepo } from "../ConnectionRepo.ts"
import { Connections } from "../Connections.ts"
import { withCredential } from "./CredentialedRequest.ts"

const CONCURRENCY = 4

const HTTPS = 443

/** A test request as a child process would send it, with the placeholder in place of the secret. */
interface Plan {
  readonly authority: Authority
  readonly target: string
  readonly test: TestRequest
  readonly region: string | undefined
}

/** The host of the region or of `api_url`, or else the first entry of `hosts` without a wildcard. */
const authorityOf = (definition: ProviderDefinition, baseUrl: string | null): Authority | undefined => {
  const api = regionAt(definition, baseUrl)?.baseUrl ?? apiUrlOf(definition, baseUrl)
  const hosts = hostsOf(definition, baseUrl).map(({ host }) => host)
  const host = [...(api === null ? [] : [new URL(api).host]), ...hosts].find((name) => !name.startsWith("*"))
  return host === undefined ? undefined : parseAuthority(host, HTTPS)
}

/** The path in the URL of a self-hosted server, such as /jira. */
const pathBelow = ({ apiUrl }: ProviderDefinition, baseUrl: string | null): string =>
  baseUrl === null || apiUrl?.startsWith(baseUrlPlace) !== true ? "" : new URL(baseUrl).pathname.replace(/\/$/, "")

const planOf = (
  definition: ProviderDefinition,
  flow: FlowKind,
  baseUrl: string | null,
  plainFields: Readonly<Record<string, string>>
): Plan | undefined => {
  const authority = authorityOf(definition, baseUrl)
  const test = testRequestOf(definition, flow)
  if (test === undefined || authority === undefined) return undefined
  const target = pathBelow(definition, baseUrl) + test.path.replaceAll(
    /\{([^{}]*)\}/g,
    (_, field: string) =>
      Object.hasOwn(plainFields, field) ? encodeURIComponent(plainFields[field]!) : definition.placeholder
  )
  return { authority, target, test, region: regionAt(definition, baseUrl)?.name }
}

const requestOf = ({ authority, target, test: { body, method } }: Plan, resolved: Resolved) => {
  const isDefault = (name: string) =>
    Object.keys(resolved.defaults).some((other) => other.toLowerCase() === name.toLowerCase())
  const headers = [
    ["User-Agent", `credsvc/${version}`],
    ...(method === "POST" ? [["Content-Length", String(new TextEncoder().encode(body ?? "").length)]] : []),
    ...(body === undefined ? [] : [["Content-Type", "application/json"]])
    // Headers of the test request override the default headers of the definition.
  ].filter(([name]) => !isDefault(name!)).flat()
  const host = formatAuthority(authority, HTTPS)
  return { authority, method, ...withCredential({ method, path: target, host, headers, body }, resolved) }
}

const conditionOf = (expected: TestRequest["expect"]) =>
  typeof expected === "number" ? { status: expected, json: undefined, equals: undefined } : expected

/** Describes what the body of a response with the expected status lacks, or returns undefined. */
const lackingPart = (expected: TestRequest["expect"], body: string): string | undefined => {
  const { equals, json } = conditionOf(expected)
  if (json === undefined) return undefined
  const value = valueAt(Result.getOrUndefined(Result.try((): unknown => JSON.parse(body))), json)
  if (equals === undefined) return value === undefined || value === null ? json : undefined
  return value === equals ? undefined : `${json} with the value ${JSON.stringify(equals)}`
}

const matches = (expected: TestRequest["expect"] | undefined, { body, status }: ApiResponse): boolean =>
  expected !== undefined && conditionOf(expected).status === status && lackingPart(expected, body) === undefined

const isAccepted = ({ expect, limited }: TestRequest, response: ApiResponse): boolean =>
  matches(expect, response) || matches(limited, response)

type Finding = readonly [CheckOutcome, message: string]

/** What a response says about the credential. `again`: the sentence that tells how to log in again. */
const findingOf = (name: string, again: string, response: ApiResponse & { readonly plan: Plan }): Finding => {
  const { body, plan: { region, test }, status } = response
  const expected = conditionOf(test.expect).status
  const accepts = `${name} accepts the credential${region === undefined ? "" : ` in the region ${region}`}`
  if (matches(test.expect, response)) return ["works", `${accepts}.`]
  if (matches(test.limited, response)) {
    return ["limited", `${accepts}, which lacks the permission for the test request (${status}).`]
  }
  const doubt = "the credential is invalid or lacks a permission"
  switch (status) {
    case expected: {
      const lack = `the response body lacks ${lackingPart(test.expect, body)}`
      return ["refused", `${name} responded with ${status}, but ${lack}: ${doubt}. ${again}`]
    }
    case 401:
      return ["refused", `${name} refused the credential (401). ${again}`]
    case 403:
      return ["refused", `${name} refused the test request (403): ${doubt}.`]
    default:
      return [
        "unexpected",
        `${name} responded with ${status} instead of ${expected}, so the check is inconclusive.`
      ]
  }
}

const isSame = (left: Resolved, right: Resolved): boolean => DateTime.Equivalence(left.issuedAt, right.issuedAt)

interface Subject {
  readonly profile: ProfileHandle
  readonly definition: ProviderDefinition
  readonly connection: ConnectionName
}

const make = Effect.gen(function*() {
  const http = yield* ApiHttp
  const repo = yield* ConnectionRepo
  const connections = yield* Connections
  const registry = yield* ProviderRegistry
  const semaphore = yield* Semaphore.make(CONCURRENCY)

  const sendTestRequest = Effect.fnUntraced(
    function*({ connection, definition, profile }: Subject, plan: Plan, others: ReadonlyArray<Plan>) {
      // All requests use one run ID, so that the audit log has one entry for the check.
      const run = Option.some(`check-${randomId()}`)
      const resolve = ({ authority: { host, port }, target }: Plan, rejected?: DateTime.Utc) =>
        Effect.catchTag(
          connections.resolve(profile, {
            host,
            port,
            path: pathOf(target),
            provider: definition.name,
            connection,
            ...(rejected === undefined ? {} : { rejected })
          }, { run, checked: definition }),
          "AmbiguousProviderError",
          Effect.die
        )
      const send = (to: Plan, resolved: Resolved) =>
        http.send(requestOf(to, resolved), {
          readsBody: [to.test.expect, to.test.limited].some((each) => typeof each === "object")
        })
      // Only one region accepts the credential, so each region is tried before a rejection counts.
      for (const each of others.length === 0 ? [] : [plan, ...others]) {
        const resolved = yield* resolve(each)
        const response = yield* Effect.option(send(each, resolved))
        if (Option.isSome(response) && isAccepted(each.test, response.value)) {
          return { ...response.value, resolved, plan: each }
        }
      }
      const first = yield* resolve(plan)
      const response = yield* send(plan, first)
      if (response.status !== 401 || isAccepted(plan.test, response)) return { ...response, resolved: first, plan }
      const second = yield* Effect.orElseSucceed(resolve(plan, first.issuedAt), () => first)
      if (isSame(first, second)) return { ...response, resolved: first, plan }
      const again = yield* send(plan, second)
      if (again.status === 401 && !isAccepted(plan.test, again)) {
        yield* Effect.ignore(resolve(plan, second.issuedAt))
      }
      return { ...again, resolved: second, plan }
    }
  )

  /** Sends the test request. On a 401, a credential that cannot be refreshed is `invalid` until a check or login succeeds. */
  const check = Effect.fn("ConnectionChecks.check")(
    function*(profile: ProfileHandle, provider: ProviderName, name: ConnectionName) {
      // Fails unless the store is verified and both names exist.
      const { baseUrl, flow } = yield* connections.get(profile, provider, name, { reveal: false })
      const { definition } = yield* registry.get(provider)
      const stored = yield* repo.findUsable({ profile, provider, name })
      const outcomeOf = Effect.fnUntraced(function*(status: number | null, [outcome, message]: Finding) {
        const checkedAt = yield* DateTime.now
        return { provider, connection: name, outcome, httpStatus: status, message, checkedAt } satisfies ConnectionCheck
      })
      const { displayName } = definition
      const isUnchosen = baseUrl === null && definition.regions.length > 0
      const [plan, ...others] = (isUnchosen ? definition.regions.map((region) => region.baseUrl) : [baseUrl])
        .map((base) => planOf(definition, flow, base, stored?.metadata.plainFields ?? {}))
        .filter((each) => each !== undefined)
      if (plan === undefined) {
        return yield* outcomeOf(null, ["not_checked", `The definition of ${provider} has no test request.`])
      }
      const sent = yield* Effect.result(sendTestRequest({ profile, definition, connection: name }, plan, others))
      if (Result.isFailure(sent)) {
        if (sent.failure._tag !== "ApiUnreachableError") return yield* sent.failure
        return yield* outcomeOf(null, [
          "unreachable",
          `${displayName} could not be reached, so the credential was not checked: ${sent.failure.message}.`
        ])
      }
      const { plan: { test }, resolved, status } = sent.success
      if (isAccepted(test, sent.success)) {
        yield* connections.accepted(profile, provider, name, resolved.issuedAt)
      }
      const again = `Log in again with: ${loginCommand(provider, name, true)}`
      return yield* outcomeOf(status, findingOf(displayName, again, sent.success))
    },
    semaphore.withPermits(1)
  )

  return { check }
})

export class ConnectionChecks
  extends Context.Service<ConnectionChecks, Effect.Success<typeof make>>()("credsvc/connections/ConnectionChecks")
{
  static readonly layerNoDeps = Layer.effect(ConnectionChecks, make)
}
