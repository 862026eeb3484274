/**
 * Runs a command behind a proxy that lives as long as the command.
 *
 * stdin, stdout and the terminal belong to the command. credsvc's own messages go to stderr.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { groupClient } from "../../client/GroupClient.ts"
import { notOurs, readResponse, type Send } from "../../client/Responses.ts"
import type { RegisteredLimits } from "../../client/RunDocuments.ts"
import { registerRun, type RunNotices } from "../../client/RunRegistration.ts"
import type { RunDefaults } from "../../config/ConfigDocument.ts"
import { ConfigFile } from "../../config/ConfigFile.ts"
import { Paths } from "../../config/Paths.ts"
import { containMark, runMark } from "../../config/RunMark.ts"
import type { Containment } from "../../contain/Containment.ts"
import type { ContainError } from "../../contain/ContainPlan.ts"
import type { DaemonUnavailableError, InvalidRequestError, Problem } from "../../domain/Errors.ts"
import { failWith } from "../../domain/FailWith.ts"
import { describeMisplaced } from "../../domain/injection/MisplacedPlaceholder.ts"
import type { RuleSets } from "../../domain/rules/RuleSchemas.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { isConnectionName } from "../../domain/wire/Names.ts"
import type { ProfileHandle } from "../../domain/wire/Profile.ts"
import type { ProviderName } from "../../domain/wire/ProviderName.ts"
import type { ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import { readRoutes } from "../../domain/wire/ReadRoutes.ts"
import { routesPath } from "../../domain/wire/ResolveChannel.ts"
import type { RunName, RunRegistration } from "../../domain/wire/Run.ts"
import { builtins } from "../../platform/builtins.ts"
import { withholdMemory } from "../../platform/CoreFilter.ts"
import { returnMemoryWhenIdle } from "../../platform/IdleMemory.ts"
import { prepareHeap } from "../../platform/ProxyHeap.ts"
import { ForwardProxy } from "../../proxy/ForwardProxy.ts"
import type { FoundPlaceholder } from "../../proxy/placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "../../proxy/ProxyEvent.ts"
import { type CredentialRefusedError, CredentialSource } from "../../proxy/routing/CredentialSource.ts"
import type { Hook } from "../../run/ChildEnvironment.ts"
import { gitProxyKeys } from "../../run/ClientSettings.ts"
import { parentProxy } from "../../run/NoProxy.ts"
import { endByInterrupt, type Ended, runChild } from "../../run/RunChild.ts"
import * as RunDirectory from "../../run/RunDirectory.ts"
import { RunEnvironment } from "../../run/RunEnvironment.ts"
import { callSite, ClientLog } from "../ClientLog.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { providerName } from "../definitions/ProviderArgument.ts"
import { Output } from "../output/Output.ts"
import { Exited } from "../output/Report.ts"
import type { RuleInput } from "../rules/RuleOptions.ts"
import { layerTelemetry } from "../Telemetry.ts"

export interface RunInput extends RuleInput {
  readonly connections: ReadonlyArray<string>
  readonly providers: ReadonlyArray<string>
  readonly unmatched: "allow" | "deny"
  readonly ask: boolean
  readonly record: Option.Option<string>
  readonly strict: boolean
  readonly maxUses: Option.Option<number>
  /** In milliseconds. */
  readonly expires: Option.Option<number>
  readonly profile: Option.Option<ProfileHandle>
  readonly hooks: ReadonlyArray<Hook>
  readonly noJava: boolean
  readonly baseUrl: boolean
  readonly contain: boolean
  readonly noContain: boolean
  readonly write: ReadonlyArray<string>
  readonly hide: ReadonlyArray<string>
  readonly allowPorts: ReadonlyArray<number>
  readonly command: ReadonlyArray<string>
}

const hasRules = ({ allow, deny, readOnly, rules }: RunInput): boolean =>
  allow.length > 0 || deny.length > 0 || readOnly || Option.isSome(rules)

const invalid = (...problems: ReadonlyArray<Problem>) =>
  failWith(({ InvalidRequestError }) => InvalidRequestError.of(problems))

/** Parses `openai=work`, at most once per provider. */
export const parseConnections = (pairs: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const chosen = new Map<ProviderName, ConnectionName>()
    const wrong = (message: string) => invalid({ path: "--connection", message })
    for (const pair of pairs) {
      const [provider = "", name = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]
      if (!pair.includes("=") || provider === "" || !isConnectionName(name)) {
        return yield* wrong(`invalid value "${pair}": expected <provider>=<name>`)
      }
      const named = yield* providerName(provider)
      if (chosen.has(named)) return yield* wrong(`more than one connection given for ${provider}`)
      chosen.set(named, name)
    }
    return chosen
  })

const readTable = Effect.fnUntraced(function*(profile: ProfileHandle | undefined) {
  const { send } = yield* DaemonClient
  const headers = { accept: "application/json", ...(profile === undefined ? {} : { "credsvc-profile": profile }) }
  const response = yield* send({ method: "GET", path: routesPath, headers, body: undefined })
  return readRoutes(yield* readResponse(response)) ?? (yield* notOurs(response))
})

/** Rejects unknown providers and connections, and rules for hosts that belong to no provider. */
export const checkChosen = Effect.fnUntraced(function*(
  { connections, providers, rules }: {
    readonly connections: RegisteredLimits["connections"]
    readonly providers: ReadonlyArray<string>
    readonly rules: RuleSets
  },
  { routes }: ProxyRoutes,
  send: Send
) {
  if (rules.length > 0) {
    const { checkRouted } = yield* Effect.promise(() => import("../rules/RuleOptions.ts"))
    yield* checkRouted(rules, routes)
  }
  const chosen = Object.entries(connections)
  const known = new Set<string>(routes.map((route) => route.provider))
  const unrouted = [...providers, ...Object.keys(connections)].filter((provider) => !known.has(provider))
  if (unrouted.length + chosen.length === 0) return
  const { ConnectionsGroup } = yield* Effect.promise(() => import("../../api/ConnectionsGroup.ts"))
  const stored = groupClient(ConnectionsGroup, send)
  for (const provider of unrouted) {
    // Some providers have routes only with a connection. This fails for an unknown one.
    yield* stored.list({ query: { provider: yield* providerName(provider) } })
  }
  for (const [provider, connection] of chosen) {
    yield* stored.get({ params: { provider: yield* providerName(provider), connection }, query: {} })
  }
})

/**
 * Checks the chosen providers, connections and rules before the command starts, while the user can still act on a
 * problem.
 */
const check = Effect.fnUntraced(function*(
  { connections, providers: limited, rules }: RegisteredLimits,
  { policies = [], rules: given = [] }: Pick<RunRegistration, "policies" | "rules">,
  table: ProxyRoutes
) {
  const output = yield* Output
  const { send } = yield* DaemonClient
  const { routes } = table
  const providers = limited ?? []
  const own = [...given, ...rules.filter(({ policy }) => policy !== undefined && policies.includes(policy))]
  yield* checkChosen({ connections, providers, rules: own }, table, send)
  const unconnected = providers.filter((provider) =>
    !Object.hasOwn(connections, provider) && !routes.some((route) => route.provider === provider && route.connected)
  )
  for (const provider of unconnected) {
    yield* output.warn(`${provider} has no connection. Create one with: credsvc login ${provider}`)
  }
  if (!routes.some((route) => route.connected)) {
    yield* output.note("No connections yet. Create one with: credsvc login <provider>")
  }
})

/** Rejects options that need the proxy: without one, credsvc can neither block nor route the command's requests. */
const checkBaseUrl = ({ hooks, noJava, unmatched }: RunInput) => {
  const without = (path: string, message: string) => invalid({ path, message })
  if (unmatched === "deny") {
    return without(
      "--unmatched",
      "deny requires the proxy, which --base-url does not use: the command could reach every host"
    )
  }
  if (hooks.length > 0) return without("--hook", "configures clients for the proxy, which --base-url does not use")
  if (noJava) return without("--no-java", "has no effect with --base-url, which does not set JAVA_TOOL_OPTIONS")
  return Effect.void
}

/** Rejects options of contained runs for a run that is not contained. */
const checkUncontained = ({ allowPorts, hide, write }: RunInput) => {
  const given = [["--write", write], ["--hide", hide], ["--allow-port", allowPorts]] as const
  const unused = given.find(([, values]) => values.length > 0)
  return unused === undefined
    ? Effect.void
    : invalid({ path: unused[0], message: "has an effect with --contain only" })
}

/** Whether the run is contained. Rejects options that contradict that. */
const checkContained = Effect.fnUntraced(function*(input: RunInput, defaults: RunDefaults) {
  if (input.contain && input.noContain) {
    return yield* invalid({ path: "--no-contain", message: "cannot be combined with --contain" })
  }
  const contained = input.contain || (defaults.contain && !input.noContain)
  if (!contained) yield* checkUncontained(input)
  return contained
})

/** What a contained run may see and do. */
const containedInput = Effect.fnUntraced(function*(input: RunInput, defaults: RunDefaults, runDirectory: string) {
  const { home } = yield* Paths
  const daemon = (yield* (yield* DaemonClient).address).url
  const allowedPorts = [...new Set([...input.allowPorts, ...defaults.allowPorts])]
  if (allowedPorts.includes(Number(daemon.port))) {
    return yield* invalid({ path: "--allow-port", message: `${daemon.port} is the port of the daemon` })
  }
  return {
    credsvcHome: home,
    runDirectory,
    write: input.write,
    hide: input.hide,
    writeIfPresent: defaults.write,
    hideIfPresent: defaults.hide,
    allowedPorts,
    hasAuthority: !input.baseUrl
  }
})

const namingOption = ({ message, option }: ContainError) => invalid({ path: option, message })

/** Starts the namespaces of a contained run. */
const startContained = Effect.fnUntraced(function*(...given: Parameters<typeof containedInput>) {
  const input = yield* containedInput(...given)
  const { containedRun } = yield* Effect.promise(() => import("../../run/ContainedRun.ts"))
  return yield* containedRun(input).pipe(Effect.catch(namingOption))
})

const behindProxy = Effect.fnUntraced(function*(
  { baseUrl, command, hooks, noJava }: RunInput,
  run: RegisteredLimits,
  starting: Fiber.Fiber<Containment, InvalidRequestError | DaemonUnavailableError> | undefined,
  askedGit: Effect.Effect<ReadonlyArray<string>>
) {
  const output = yield* Output
  const proxy = yield* ForwardProxy
  const environment = yield* RunEnvironment
  const containment = starting && (yield* Fiber.join(starting))
  const opening = containment &&
    (yield* Effect.forkScoped(containment.listen(proxy.routed().ports), { startImmediately: true }))
  const create = (hooks: ReadonlyArray<Hook>) => environment.from(process.env, { java: !noJava, hooks }, askedGit)
  const { notices, variables } = yield* (containment === undefined || hooks.includes("chromium")
    ? create(hooks)
    // Contained browsers need no hook. Without certificates for them, everything else still works.
    : create([...hooks, "chromium"]).pipe(Effect.catch(() => create(hooks)))).pipe(
      Effect.catch(({ message }) => invalid({ path: "--hook", message }))
    )
  for (const notice of notices) yield* output.note(notice)
  if (baseUrl && proxy.baseUrls.length === 0) {
    yield* output.note(
      "No SDK of your providers is known to read its address from a variable. Begin URLs with $CREDSVC_BASE_URL/<host>/"
    )
  }
  if (containment !== undefined && opening !== undefined) {
    proxy.accept(yield* Fiber.join(opening))
    for (const notice of containment.noticesFor(command)) yield* output.warn(notice)
  }
  yield* returnMemoryWhenIdle
  const [program = "", ...args] = command
  return yield* runChild(
    program,
    args,
    { ...variables, [runMark]: run.name },
    containment === undefined
      ? undefined
      : (command, args, env, events) => containment.launch(command, args, { ...env, [containMark]: "1" }, events)
  )
})

const optionOf: Readonly<Record<string, string>> = {
  providers: "--provider",
  connections: "--connection",
  rules: "--policy",
  ask: "--ask"
}

/** Names the options of a command instead of the fields of its request. */
export const namingOptions = ({ problems }: InvalidRequestError) =>
  invalid(...problems.map(({ message, path }) => ({ path: optionOf[path.split("/")[1] ?? ""] ?? path, message })))

/** Passes SIGTERM to the command, as if another program had sent it to this process, once the run is stopped. */
const followNotices = Effect.fnUntraced(function*(notices: RunNotices, name: RunName) {
  const output = yield* Output
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      notices.listen((notice) => {
        if (notice === "frozen") {
          const message =
            "this run gets no more credentials, because of --strict and a misplaced placeholder of it or a run inside it"
          Effect.runFork(
            output.tell(
              `credsvc: ${message}. Find the cause with credsvc log --run ${name}, then start the command again`
            )
          )
        }
        if (notice !== "stopped") return
        Effect.runFork(output.tell("credsvc: this run was stopped with credsvc stop"))
        process.kill(process.pid, "SIGTERM")
      })
    ),
    (stop) => Effect.sync(stop)
  )
})

/** Registers a run with the limits of its options, and checks these. `contained`: whether the daemon may rely on that. */
export const register = Effect.fnUntraced(function*(
  { ask = false, connections, expiresAt, maxUses, policies = [], providers, rules = [], strict = false, unmatched }:
    & Pick<
      RunRegistration,
      "connections" | "unmatched" | "rules" | "policies" | "maxUses" | "expiresAt" | "ask" | "strict"
    >
    & { readonly providers: ReadonlyArray<ProviderName> },
  contained: boolean
) {
  const runId = builtins.crypto.randomBytes(18).toString("base64url")
  const inside = process.env[runMark]
  // An outer run may impose its profile, so its routes are known only afterwards.
  const reading = inside === undefined
    ? yield* Effect.forkScoped(readTable(undefined), { startImmediately: true })
    : undefined
  const { notices, renewed, run, used } = yield* registerRun(runId, {
    providers: providers.length > 0 ? providers : null,
    connections,
    unmatched,
    rules,
    ...(policies.length === 0 ? {} : { policies }),
    ...(ask ? { ask } : {}),
    maxUses: maxUses ?? null,
    expiresAt: expiresAt ?? null,
    strict,
    pid: process.pid,
    contained,
    ...(inside === undefined ? {} : { inside })
  }).pipe(Effect.catchTag("InvalidRequestError", namingOptions))
  yield* followNotices(notices, run.name)
  const routes = yield* reading === undefined ? readTable(run.profile) : Fiber.join(reading)
  yield* check(run, { rules, policies }, routes)
  return { run, source: { profile: run.profile, runId, renewed, notices, used }, routes }
})

/** The daemon returned no routes to the proxy. */
export const noRoutes = ({ detail }: CredentialRefusedError) =>
  failWith(({ DaemonUnavailableError }) => new DaemonUnavailableError({ url: "", detail }))

/** Formats `GET api.openai.com/v1/models (openai): 200`, or the reason why the proxy refused the request. */
export const lineOf = ({ host, method, path, provider, refusal, status }: ProxyEvent): string =>
  [method, host + path, provider === undefined ? "" : `(${provider})`].filter((part) => part !== "").join(" ") +
  (refusal === undefined ? `: ${status}` : `: refused with ${refusal.status} ${refusal.error}: ${refusal.message}`)

/** Warns about a misplaced placeholder. `log` is the command that shows it in the request log. */
export const warnMisplaced =
  (output: Output["Service"], log: string, sandbox?: string) => (found: FoundPlaceholder): void => {
    const message = `${sandbox === undefined ? "" : `${sandbox}: `}${describeMisplaced(found, found.host)}`
    Effect.runFork(
      output.warn(`${message}. The program is configured wrong, or discloses its credentials. See: ${log}`)
    )
  }

/** Exits as the command did, after printing why it was not started. */
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

const runCommand = Effect.fnUntraced(
  function*(input: RunInput) {
    if (input.command[0] === "") {
      return yield* invalid({ path: "<command>", message: "must name a program, as in: credsvc run -- npm start" })
    }
    withholdMemory()
    prepareHeap()
    const client = yield* DaemonClient
    const log = yield* ClientLog
    const proxied = callSite("proxy")
    const chosen = yield* parseConnections(input.connections)
    const named = yield* Effect.forEach(input.providers, providerName)
    const rules = hasRules(input)
      ? yield* (yield* Effect.promise(() => import("../rules/RuleOptions.ts"))).readRules(input)
      : []
    const recording = Option.isSome(input.record)
      ? yield* (yield* Effect.promise(() => import("../rules/Recording.ts"))).openRecording(input.record.value)
      : undefined
    if (input.ask && rules.length === 0 && input.policies.length === 0) {
      return yield* invalid({
        path: "--ask",
        message: "has an effect with rules only: add --allow, --read-only, --rules or --policy"
      })
    }
    if (input.baseUrl) yield* checkBaseUrl(input)
    const defaults = (yield* (yield* ConfigFile).read).run
    const runDirectory = yield* RunDirectory.make
    const contained = yield* checkContained(input, defaults)
    // The namespaces start, and git responds, while the daemon does and the proxy is prepared.
    const starting = contained
      ? yield* Effect.forkScoped(startContained(input, defaults, runDirectory), { startImmediately: true })
      : undefined
    const askedGit = yield* Effect.forkScoped(
      input.baseUrl ? Effect.succeed([]) : gitProxyKeys(process.env, process.cwd()),
      { startImmediately: true }
    )
    const { routes, run, source } = yield* register(
      {
        providers: named,
        connections: Object.fromEntries(chosen),
        unmatched: input.unmatched,
        rules,
        policies: input.policies,
        strict: input.strict,
        ask: input.ask,
        maxUses: Option.getOrNull(input.maxUses),
        expiresAt: Option.getOrNull(Option.map(input.expires, (ms) => DateTime.makeUnsafe(Date.now() + ms)))
      },
      contained
    )
    const { connections, maxUses, outerRules, providers, unmatched } = run
    const ask = input.ask
      ? yield* (yield* Effect.promise(() => import("../rules/Asking.ts"))).startAsking(source)
      : undefined

    const proxy = Layer.provideMerge(
      RunEnvironment.layerIn(runDirectory),
      ForwardProxy.layerNoDeps({
        routes,
        providers: providers ?? undefined,
        connections,
        unmatched,
        rules: run.rules,
        approval: ask === undefined ? undefined : { ask, outerRules },
        recorder: recording?.recorder,
        counted: maxUses !== null,
        strict: run.strict,
        baseUrl: input.baseUrl,
        daemonUrl: (yield* client.address).url,
        parentProxy: parentProxy(process.env),
        contained: starting && Fiber.join(starting),
        onEvent: (event) => log.note(proxied, lineOf(event)),
        onMisplaced: warnMisplaced(yield* Output, `credsvc log --run ${run.name}`)
      })
    ).pipe(Layer.provide(CredentialSource.layerDaemon(source)))
    const ended = yield* behindProxy(input, run, starting, Fiber.join(askedGit)).pipe(
      Effect.scoped,
      Effect.provide(proxy),
      Effect.provide(layerTelemetry("run")),
      Effect.catchTag("CredentialRefusedError", noRoutes),
      // The proxy has closed, so no request is missing.
      Effect.ensuring(recording?.write ?? Effect.void)
    )
    yield* exitLike(ended)
  },
  Effect.scoped,
  Effect.provide(ConfigFile.layerNoDeps)
)

export const run = (input: RunInput) =>
  runCommand(input).pipe(provideDaemon({ profile: Option.getOrUndefined(input.profile) }))
