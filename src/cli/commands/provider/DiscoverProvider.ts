/** Discovers a provider from the address of an MCP server, and registers it if the user agrees. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ProvidersGroup } from "../../../api/ProvidersGroup.ts"
import { DaemonClient } from "../../../client/DaemonClient.ts"
import { InputCancelledError, InvalidRequestError } from "../../../domain/Errors.ts"
import { Output } from "../../output/Output.ts"
import * as Prompt from "../../output/Prompt.ts"
import { tellClaims } from "./ClaimsReport.ts"

export const isAddress = (typed: string): boolean => /^https?:\/\//i.test(typed)

const hostOf = (address: string): string => URL.canParse(address) ? new URL(address).host : address

/** Quotes the URL in problems of the field `/url`, because the user typed it as an argument. */
const namingAddress = (url: string, error: InvalidRequestError): InvalidRequestError =>
  InvalidRequestError.of(error.problems.map(({ message, path }) => ({
    path: "",
    message: path === "/url" ? `The URL ${url} ${message}` : message
  })))

/** Shows the authorization server before registering anything. Without a terminal that needs `--yes`. */
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
      ...(options.allowInsecureLoopback ? { allowInsecureLoopback: true } : {}),
      ...(Option.isSome(options.trustIssuer) ? { trustIssuer: options.trustIssuer.value } : {}),
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
  if (!options.yes) {
    if (!output.interactive) {
      return yield* new InputCancelledError({
        detail: `Cannot ask for confirmation without a terminal. Use --yes to register the provider ${found.provider}.`
      })
    }
    if (!(yield* Prompt.confirm(`Register it as provider ${found.provider} and log in?`))) {
      return yield* new InputCancelledError({ detail: "Nothing was registered." })
    }
  }
  yield* providers.register({ payload: found.definition, query })
  return found.provider
})
