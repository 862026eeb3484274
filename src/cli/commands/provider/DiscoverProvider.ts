/** Discovers a provider from the address of an MCP server, and registers it if the user agrees. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { ProvidersGroup } from "../../../api/ProvidersGroup.ts"
import { DaemonClient } from "../../../client/DaemonClient.ts"
import { InvalidRequestError } from "../../../domain/Errors.ts"
import { Output } from "../../output/Output.ts"
import { given } from "../../parse/Given.ts"
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
export const discoverProvider = Effect.fnUntraced(function*(
  url: string,
  options: {
    readonly yes: boolean
    readonly allowInsecureLoopback: boolean
    readonly trustIssuer: Option.Option<string>
    readonly noResource: boolean
  }
) {
  const client = yield* DaemonClient
  const output = yield* Output
  const providers = client.of(ProvidersGroup)
  const found = yield* providers.discover({
    payload: {
      url,
      ...given({ trustIssuer: options.trustIssuer }),
      ...(options.allowInsecureLoopback ? { allowInsecureLoopback: true } : {}),
      ...(options.noResource ? { noResource: true } : {})
    }
  }).pipe(Effect.catchTag("InvalidRequestError", (error) => Effect.fail(namingAddress(url, error))))
  yield* output.tell([
    `Server:    ${hostOf(found.resource)}`,
    `Login at:  ${hostOf(found.authorizationServer)}`,
    ...(found.registered ? [`Provider:  ${found.provider}`] : [])
  ].join("\n"))
  if (found.registered) return found.provider
  const query = options.allowInsecureLoopback ? { allow_insecure_loopback: "true" as const } : {}
  yield* tellClaims(found.provider, yield* providers.check({ payload: found.definition, query }))
  if (!options.yes) yield* confirmed(`Register it as provider ${found.provider} and log in?`, "Nothing was registered.")
  yield* providers.register({ payload: found.definition, query })
  return found.provider
})
