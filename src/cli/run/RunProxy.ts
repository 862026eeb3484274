/** The proxy of a command on this machine or on another machine, with the limits of its run, and its reports to the user. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { unavailable } from "../../domain/FailWith.ts"
import { describeMisplaced } from "../../domain/injection/MisplacedPlaceholder.ts"
import { ForwardProxy, type ForwardProxyOptions } from "../../proxy/ForwardProxy.ts"
import type { FoundPlaceholder } from "../../proxy/placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "../../proxy/ProxyEvent.ts"
import { type CredentialRefusedError, CredentialSource } from "../../proxy/routing/CredentialSource.ts"
import { parentProxy } from "../../run/NoProxy.ts"
import { endByInterrupt, type Ended } from "../../run/RunChild.ts"
import { callSite, ClientLog } from "../home/ClientLog.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import type { register } from "./Registration.ts"

/** The variables in which Google Cloud clients look for the project before they ask the metadata server. */
const PROJECTS = ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"]

/** The layer of the proxy. `more` has the options that only some commands set. */
export const proxyOf = Effect.fnUntraced(function*<E = never>(
  { routes, run, source }: Effect.Success<ReturnType<typeof register>>,
  more: Partial<ForwardProxyOptions<E>> = {}
) {
  const log = yield* ClientLog
  const { connections, maxUses, name, providers, rules, strict, unmatched } = run
  return ForwardProxy.layerNoDeps<E>({
    routes,
    providers: providers ?? undefined,
    connections,
    unmatched,
    rules,
    counted: maxUses !== null,
    strict,
    daemonUrl: (yield* (yield* DaemonClient).address).url,
    parentProxy: yield* parentProxy(process.env),
    cloudProject: PROJECTS.map((name) => process.env[name]).find((project) => project !== undefined && project !== ""),
    onEvent: logEvent(log),
    onMisplaced: warnMisplaced(yield* Output, `credsvc log requests --run ${name}`),
    ...more
  }).pipe(Layer.provide(CredentialSource.layerDaemon(source)))
})

/** Fails with the published error for a proxy that could not get its routes. */
export const noRoutes = ({ detail }: CredentialRefusedError) => unavailable(detail)

/**
 * Writes requests of a proxy into the debug log. Without `--verbose`, those with a credential that the proxy
 * did not refuse are only in the request log, because they are too many for both. `sandbox`: the name of the sandbox that sent the request, or empty.
 */
export const logEvent = (log: ClientLog["Service"]) => {
  const site = callSite("proxy")
  return (event: ProxyEvent, sandbox = ""): void => {
    if (event.injected && event.refusal === undefined && !log.isVerbose) return
    Effect.runFork(log.debug(site, sandbox === "" ? lineOf(event) : `${sandbox}: ${lineOf(event)}`))
  }
}

/** Formats `GET api.openai.com/v1/models (openai): 200`, or the reason why the proxy refused the request. */
const lineOf = ({ host, method, path, provider, refusal, status }: ProxyEvent): string =>
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
