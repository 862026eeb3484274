/** The proxy of a command on this machine or on another machine, with the limits of its run. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { ForwardProxy, type ForwardProxyOptions } from "../../proxy/ForwardProxy.ts"
import { CredentialSource } from "../../proxy/routing/CredentialSource.ts"
import { parentProxy } from "../../run/NoProxy.ts"
import { callSite, ClientLog } from "../home/ClientLog.ts"
import { Output } from "../output/Output.ts"
import { lineOf, warnMisplaced } from "./ProxyReports.ts"
import type { register } from "./Registration.ts"

/** The variables in which Google Cloud clients look for the project before they ask the metadata server. */
const PROJECTS = ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"]

/** The layer of the proxy. `more` has the options that only some commands set. */
export const proxyOf = Effect.fnUntraced(function*<E = never>(
  { routes, run, source }: Effect.Success<ReturnType<typeof register>>,
  more: Partial<ForwardProxyOptions<E>> = {}
) {
  const log = yield* ClientLog
  const proxied = callSite("proxy")
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
    onEvent: (event) => log.note(proxied, () => lineOf(event)),
    onMisplaced: warnMisplaced(yield* Output, `credsvc log requests --run ${name}`),
    ...more
  }).pipe(Layer.provide(CredentialSource.layerDaemon(source)))
})
