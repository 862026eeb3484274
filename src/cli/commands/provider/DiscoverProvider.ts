/** Discovers a provider from the address of an MCP server, and registers it if the user agrees. */
import * as Effect from "effect/Effect"
import { InvalidRequestError } from "../../../domain/Errors.ts"
import type { ProviderName } from "../../../domain/wire/ProviderName.ts"
import { call } from "../../api/OperationCall.ts"
import { Output } from "../../output/Output.ts"
import { given } from "../../parse/Given.ts"
import type { LoginInput } from "../../tree/CommandInputs.ts"
import { confirmed } from "../Confirmations.ts"
import { tellClaims } from "./ClaimsReport.ts"

export const isAddress = (typed: string): boolean => /^https?:\/\//i.test(typed)

const hostOf = (address: string): string => URL.canParse(address) ? new URL(address).host : address

/** Quotes the URL in problems of the field `/url`, because the user typed it as an argument. */
const namingAddress = (url: string, error: InvalidRequestError): InvalidRequestError =>
  InvalidRequestError.of(error.problems.map(({ message, path }) => ({
    path: "",
    message: path === "/url" ? `The URL ${url} ${message}` : message
  })))

/** Shows the authorization server, and registers the provider if the user confirms it or has set `--yes`. */
export const discoverProvider = Effect.fnUntraced(function*(url: string, options: LoginInput) {
  const output = yield* Output
  const found = yield* call("providers.discover", {
    url,
    ...given({ trust_issuer: options.trustIssuer }),
    ...(options.allowInsecureLoopback ? { allow_insecure_loopback: true } : {}),
    ...(options.noResource ? { no_resource: true } : {})
  }).pipe(Effect.catchTag("InvalidRequestError", (error) => Effect.fail(namingAddress(url, error))))
  yield* output.tell([
    `Server:    ${hostOf(found.resource)}`,
    `Login at:  ${hostOf(found.authorization_server)}`,
    ...(found.registered ? [`Provider:  ${found.provider}`] : [])
  ].join("\n"))
  if (found.registered) return found.provider as ProviderName
  const query = options.allowInsecureLoopback ? { allow_insecure_loopback: "true" } as const : {}
  yield* tellClaims(found.provider, yield* call("providers.check", query, found.definition))
  if (!options.yes) yield* confirmed(`Register it as provider ${found.provider} and log in?`, "Nothing was registered.")
  yield* call("providers.register", query, found.definition)
  return found.provider as ProviderName
})
