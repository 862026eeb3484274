/** `credsvc register`: shows the hosts of a definition, and registers it after the user confirms. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ResponseOf } from "../../../api/Operations.ts"
import { InvalidRequestError, ProviderAlreadyRegisteredError } from "../../../domain/Errors.ts"
import { parseStrictJson } from "../../../domain/text/StrictJson.ts"
import { isProviderName } from "../../../domain/wire/Names.ts"
import { call } from "../../api/OperationCall.ts"
import { provideDaemon } from "../../daemon/DaemonAccess.ts"
import { Output } from "../../output/Output.ts"
import { readText } from "../../parse/InputText.ts"
import type { RegisterInput } from "../../tree/CommandInputs.ts"
import { confirmed } from "../Confirmations.ts"
import { tellClaims } from "./ClaimsReport.ts"

/** Lists every host that would receive the credential or take part in a login, whatever the form of the definition. */
export const hostsOf = (definition: unknown): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each, key)
    } else if (typeof value === "object" && value !== null) {
      // No request goes to the sources, which only say where the facts are from.
      for (const [name, each] of Object.entries(value)) if (name !== "sources") visit(each, name)
    } else if (typeof value === "string") {
      if (key === "hosts") found.add(value.split("/")[0]!)
      // The host in `api_url` also receives the credential, and the URL may lack a scheme.
      else if (key === "api_url" && !/^https?:/i.test(value)) found.add(value.split("/")[0]!)
      else if (!["docs_url", "credentials_url", "$schema"].includes(key) && URL.canParse(value)) {
        const { host, protocol } = new URL(value)
        if (/^https?:$/.test(protocol) && host !== "") found.add(host)
      }
    }
  }
  visit(definition, "")
  return [...found].toSorted()
}

/** Lists the hosts that receive the credential, with their paths, and the other hosts, such as hosts of login pages. */
const withPaths = (receiving: ReadonlyArray<string>, all: ReadonlyArray<string>): ReadonlyArray<string> =>
  [
    ...receiving,
    ...all.filter((host) => !receiving.some((place) => place === host || place.startsWith(`${host}/`)))
  ].toSorted()

const hostDifference = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...before.filter((host) => !after.includes(host)).map((host) => `  - ${host}`),
  ...after.map((host) => before.includes(host) ? `    ${host}` : `  + ${host}`)
]

const readDefinition = Effect.fnUntraced(function*(file: string) {
  const parsed = parseStrictJson(yield* readText({ file, flag: "<path>" }))
  if (Result.isSuccess(parsed)) return parsed.success
  const { message, path } = parsed.failure
  return yield* InvalidRequestError.of([
    path === "" ? { path: "<path>", message: `${file}: ${message}` } : parsed.failure
  ])
})

const fixedHeaders = (definition: unknown): string => {
  const { extra_headers: headers = {} } = Object(definition) as { readonly extra_headers?: object }
  return JSON.stringify(Object.entries(Object(headers)).map(([name, value]) => [name.toLowerCase(), value]).toSorted())
}

/** Shows the hosts that the definition adds to the present one, and those that it removes. */
const tellHosts = Effect.fnUntraced(function*(
  { hosts: receiving }: ResponseOf<"providers.check">,
  definition: unknown,
  existing: ResponseOf<"providers.get"> | undefined
) {
  const output = yield* Output
  const hosts = withPaths(receiving, hostsOf(definition))
  if (existing === undefined) {
    yield* output.note(["Hosts of this provider:", ...hosts.map((host) => `  + ${host}`)].join("\n"))
  } else {
    const { providers: known } = yield* call("providers.list")
    const before = withPaths(known.find((each) => each.name === existing.name)?.hosts ?? [], hostsOf(existing))
    const effect = existing.source === "bundled" ? "overrides the bundled provider" : "replaces the provider"
    yield* output.tell(`This ${effect} ${existing.name}. Its hosts:`, ...hostDifference(before, hosts))
    const isNew = hosts.some((host) => !before.includes(host))
    if (isNew || fixedHeaders(existing) !== fixedHeaders(definition)) {
      const what = isNew ? "hosts" : "extra_headers"
      yield* output.warn(`Existing connections are not used with the new ${what}: log in again.`)
    }
  }
})

export const register = Effect.fnUntraced(function*(input: RegisterInput) {
  const output = yield* Output
  const definition = yield* readDefinition(input.path)
  const name = (definition as { readonly name?: unknown } | null)?.name

  const existing = typeof name === "string" && isProviderName(name)
    ? yield* Effect.catchTag(call("providers.get", { provider: name }), "ProviderNotFoundError", () => Effect.undefined)
    : undefined
  if (existing !== undefined && input.yes && !input.force) {
    return yield* ProviderAlreadyRegisteredError.of(String(name))
  }

  const query = {
    ...(input.allowInsecureLoopback ? { allow_insecure_loopback: "true" } as const : {}),
    ...(input.takeOver.length > 0 ? { take_over: input.takeOver } : {})
  }
  const claims = yield* call("providers.check", query, definition)
  yield* tellHosts(claims, definition, existing)
  yield* tellClaims(String(name), claims)
  if (claims.hosts.some((host) => /^(?:127\.|\[::1\])/.test(host))) {
    yield* output.warn(
      "Commands under credsvc run get no credential for a loopback address: they connect to it without the proxy. " +
        "To use a credential there, serve the API over https and give it a host name with upstream.resolve in config.json."
    )
  }

  let force = input.force
  if (!input.force && !input.yes) {
    yield* confirmed(
      `${existing === undefined ? "Register" : "Replace"} provider ${String(name)}?`,
      "Nothing was registered.",
      existing === undefined ? "--yes" : "--force"
    )
    force = existing !== undefined
  }

  const { overrides_bundled, source, ...registered } = yield* call(
    "providers.register",
    { ...query, ...(force ? { force: "true" } as const : {}) },
    definition
  )
  const { providers: listed } = yield* call("providers.list")
  const isListed = listed.some((each) => each.name === registered.name && each.source === "custom")
  if (!isListed) return yield* Effect.die(new Error("the registered provider is not listed"))
  yield* output.either(
    () => ({ definition: registered, source, overrides_bundled, ...claims }),
    () => `Registered provider ${registered.name}.`
  )
}, provideDaemon())
