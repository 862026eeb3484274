/** Formats what the proxy of a run reports to the user, and ends the program after a run. */
import * as Effect from "effect/Effect"
import { unavailable } from "../../domain/FailWith.ts"
import { describeMisplaced } from "../../domain/injection/MisplacedPlaceholder.ts"
import type { FoundPlaceholder } from "../../proxy/placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "../../proxy/ProxyEvent.ts"
import type { CredentialRefusedError } from "../../proxy/routing/CredentialSource.ts"
import { endByInterrupt, type Ended } from "../../run/RunChild.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"

/** Fails with the published error for a proxy that could not get its routes. */
export const noRoutes = ({ detail }: CredentialRefusedError) => unavailable(detail)

/** Formats `GET api.openai.com/v1/models (openai): 200`, or the reason why the proxy refused the request. */
export const lineOf = ({ host, method, path, provider, refusal, status }: ProxyEvent): string =>
  [method, host + path, provider === undefined ? "" : `(${provider})`].filter((part) => part !== "").join(" ") +
  (refusal === undefined ? `: ${status}` : `: refused with ${refusal.status} ${refusal.error}: ${refusal.message}`)

/** Warns about a misplaced placeholder. `log` is the command that shows it in the request log. */
export const warnMisplaced =
  (output: Output["Service"], log: string, sandbox?: string) => (found: FoundPlaceholder): void => {
    const message = `${sandbox === undefined ? "" : `${sandbox}: `}${describeMisplaced(found, found.host)}`
    const { variables = [] } = found
    const way = variables.length === 0
      ? ""
      : ` If the program has a login of its own, start it without the placeholder in ${variables.join(", ")}: ` +
        `env ${variables.map((name) => `-u ${name}`).join(" ")} <command>.`
    Effect.runFork(
      output.warn(
        `${message}. The program is configured incorrectly, or tries to send the credential elsewhere.${way} See: ${log}`
      )
    )
  }

/** Exits with the exit code or signal of the command. If the command was not started, prints why. */
export const exitLike = Effect.fnUntraced(function*(ended: Ended) {
  const output = yield* Output
  if ("problem" in ended) {
    yield* output.json
      ? output.document({ error: "CommandNotStartedError", message: ended.problem })
      : output.tell(`credsvc: ${ended.problem}`)
  }
  if ("interrupted" in ended) endByInterrupt()
  if (ended.exitCode !== 0) return yield* Effect.fail(new Exited(ended.exitCode))
})
