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
import * as path from "node:path"
import { DaemonClient } from "../../client/DaemonClient.ts"
import type { RegisteredLimits } from "../../client/RunDocuments.ts"
import { ConfigFile } from "../../config/file/ConfigFile.ts"
import { Paths } from "../../config/Paths.ts"
import { containMark, runMark } from "../../config/RunMark.ts"
import type { Containment } from "../../contain/Containment.ts"
import type { ContainError } from "../../contain/ContainPlan.ts"
import type { DaemonUnavailableError, InvalidRequestError } from "../../domain/Errors.ts"
import { systemDirectories } from "../../platform/files/FindProgram.ts"
import { returnMemoryWhenIdle } from "../../platform/process/IdleMemory.ts"
import { prepareHeap } from "../../platform/process/V8Flags.ts"
import { ForwardProxy } from "../../proxy/ForwardProxy.ts"
import { gitProxyKeys } from "../../run/ClientSettings.ts"
import { type Hook, withoutProxies } from "../../run/ProxyEnvironment.ts"
import type { AppliedRecipe } from "../../run/recipes/AppliedRecipe.ts"
import { allRecipes, movedLogins, recipeOf } from "../../run/recipes/Recipes.ts"
import { runChild } from "../../run/RunChild.ts"
import * as RunDirectory from "../../run/RunDirectory.ts"
import { RunEnvironment } from "../../run/RunEnvironment.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { layerTelemetry } from "../home/Telemetry.ts"
import { Output } from "../output/Output.ts"
import { exposedKeys } from "../run/ExposedKeys.ts"
import { register } from "../run/Registration.ts"
import { checkBaseUrl, checkContained, hasRules, invalid, parseConnections } from "../run/RunOptions.ts"
import { exitLike, noRoutes, proxyOf } from "../run/RunProxy.ts"
import type { RunInput } from "../tree/CommandInputs.ts"
import { providerName } from "./provider/ProviderArgument.ts"

/** Checks the options of a run, and reads what they name. */
const prepare = Effect.fnUntraced(function*(input: RunInput) {
  if (input.command[0] === "") {
    return yield* invalid({ path: "<command>", message: "must name a program, as in: credsvc run -- npm start" })
  }
  prepareHeap()
  const connections = Object.fromEntries(yield* parseConnections(input.connections))
  const providers = yield* Effect.forEach(input.providers, providerName)
  const rules = hasRules(input)
    ? yield* (yield* Effect.promise(() => import("../rules/RuleOptions.ts"))).readRules(input)
    : []
  const recording = Option.isSome(input.record)
    ? yield* (yield* Effect.promise(() => import("../rules/Recording.ts"))).openRecording(input.record.value)
    : undefined
  if (input.ask && rules.length === 0 && input.policies.length === 0) {
    return yield* invalid({
      path: "--ask",
      message: "requires a limit: add --allow, --read-only, --max-tokens, --rules or --policy"
    })
  }
  if (input.baseUrl) yield* checkBaseUrl(input)
  const defaults = (yield* (yield* ConfigFile).read).run
  const runDirectory = yield* RunDirectory.make
  const contained = yield* checkContained(input, defaults)
  const known = contained || !input.noRecipe ? yield* allRecipes : []
  return { input, connections, providers, rules, recording, defaults, runDirectory, contained, known }
})
type PreparedRun = Effect.Success<ReturnType<typeof prepare>>

/** Collects what a contained run may see and do. */
const containedInput = Effect.fnUntraced(function*(
  { defaults, input, known, runDirectory }: PreparedRun,
  recipe: AppliedRecipe | undefined
) {
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
    hideIfPresent: [...defaults.hide, ...recipe?.hide ?? []],
    rules: (["rules", "record"] as const).flatMap((name) =>
      Option.toArray(input[name]).map((file) => [`--${name}`, file] as const)
    ),
    logins: movedLogins(known),
    own: recipe?.own ?? [],
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

/** Applies the recipe of the command, if there is one. */
const appliedRecipe = Effect.fnUntraced(function*({ contained, defaults, input, known }: PreparedRun) {
  const { command, noRecipe, write } = input
  const found = noRecipe ? undefined : recipeOf(known, command)
  if (found === undefined) return undefined
  const { applyRecipe } = yield* Effect.promise(() => import("../../run/recipes/AppliedRecipe.ts"))
  const writable = contained ? [process.cwd(), ...write, ...defaults.write] : undefined
  const { home } = yield* Paths
  return yield* Effect.try({
    try: () => applyRecipe({ ...found, command, writable, credsvcHome: home }),
    catch: (cause): Error => Object(cause)
  }).pipe(
    Effect.catch(({ message }) =>
      invalid({ path: `recipe ${found.recipe.name}`, message: `${message}; leave the recipe out with --no-recipe` })
    )
  )
})

/** Creates the variables of the command, and prints the notices about them. */
const commandVariables = Effect.fnUntraced(function*(
  { hooks: chosen, noJava }: RunInput,
  recipe: AppliedRecipe | undefined,
  containment: Containment | undefined,
  askedGit: Effect.Effect<ReadonlyArray<string>>
) {
  const output = yield* Output
  const environment = yield* RunEnvironment
  const hooks = [...chosen, ...recipe?.hooks ?? []]
  const inherited = recipe?.environment ?? process.env
  const parent = containment === undefined ? inherited : withoutProxies(inherited)
  const create = (hooks: ReadonlyArray<Hook>) => environment.from(parent, { java: !noJava, hooks }, askedGit)
  const { notices, variables: made } = yield* (containment === undefined
    ? create(hooks)
    // A contained run includes the hooks for MCP servers and browsers, and starts even if the hook for browsers fails.
    : create([...hooks, "mcp", "chromium"]).pipe(Effect.catch(() => create([...hooks, "mcp"])))).pipe(
      Effect.catch(({ message }) => invalid({ path: "--hook", message }))
    )
  const { notice, variables } = recipe?.finish(made, (file) =>
    containment === undefined ? file : containment.sourceOf(file)) ??
    { notice: undefined, variables: made }
  for (const text of notice === undefined ? notices : [notice, ...notices]) yield* output.note(text)
  return variables
})

/** Warns about keys in the variables of the command, and removes them from those of a contained command. */
const withoutExposedKeys = Effect.fnUntraced(function*(
  variables: Readonly<Record<string, string>>,
  placeholders: Parameters<typeof exposedKeys>[1],
  isContained: boolean
) {
  const exposed = yield* exposedKeys(variables, placeholders)
  if (exposed.length === 0) return variables
  const names = exposed.join(", ")
  const ways = "Store them with: credsvc scan --import"
  yield* (yield* Output).warn(
    isContained
      ? `The contained command does not get these keys from the environment: ${names}. ${ways}`
      : `The command can read keys in the environment: ${names}. ${ways}, or leave them out with: ` +
        `env -u ${exposed.join(" -u ")} credsvc run …`
  )
  return isContained
    ? Object.fromEntries(Object.entries(variables).filter(([name]) => !exposed.includes(name)))
    : variables
})

const behindProxy = Effect.fnUntraced(function*(
  input: RunInput,
  recipe: AppliedRecipe | undefined,
  starting: Fiber.Fiber<Containment, InvalidRequestError | DaemonUnavailableError> | undefined,
  { askedGit, run }: { readonly askedGit: Effect.Effect<ReadonlyArray<string>>; readonly run: RegisteredLimits }
) {
  const output = yield* Output
  const proxy = yield* ForwardProxy
  const containment = starting && (yield* Fiber.join(starting))
  const opening = containment &&
    (yield* Effect.forkScoped(containment.listen(proxy.routed().ports), { startImmediately: true }))
  const command = recipe?.command ?? input.command
  const variables = yield* commandVariables(input, recipe, containment, askedGit)
  if (input.baseUrl && proxy.baseUrls.length === 0) {
    yield* output.note(
      "credsvc knows no base URL variable of your providers' SDKs. Begin URLs with $CREDSVC_BASE_URL/<host>/"
    )
  }
  if (containment !== undefined && opening !== undefined) {
    proxy.accept(yield* Fiber.join(opening))
    for (const notice of containment.noticesFor(command)) yield* output.warn(notice)
  }
  const passed = yield* withoutExposedKeys(variables, proxy.placeholders, containment !== undefined)
  yield* returnMemoryWhenIdle
  const [program = "", ...args] = command
  return yield* runChild(
    program,
    args,
    { ...passed, [runMark]: run.name },
    containment &&
      ((command, args, env, events) => containment.launch(command, args, { ...env, [containMark]: "1" }, events))
  )
})

const runCommand = Effect.fnUntraced(
  function*(input: RunInput) {
    const prepared = yield* prepare(input)
    const { connections, contained, providers, recording, rules, runDirectory } = prepared
    const recipe = yield* appliedRecipe(prepared)
    // Starts the namespaces and git in parallel with the daemon and the preparation of the proxy.
    const starting = contained
      ? yield* Effect.forkScoped(startContained(prepared, recipe), { startImmediately: true })
      : undefined
    const askedGit = yield* Effect.forkScoped(
      input.baseUrl
        ? Effect.succeed([])
        : gitProxyKeys(process.env, process.cwd(), contained ? systemDirectories : []),
      { startImmediately: true }
    )
    const registered = yield* register({
      providers,
      connections,
      unmatched: input.unmatched,
      rules,
      policies: input.policies,
      strict: input.strict,
      ask: input.ask,
      program: path.basename(input.command[0]!).slice(0, 64),
      maxUses: Option.getOrNull(input.maxUses),
      expiresAt: Option.getOrNull(Option.map(input.expires, (ms) => DateTime.makeUnsafe(Date.now() + ms))),
      contained
    })
    const { run, source } = registered
    const ask = input.ask
      ? yield* (yield* Effect.promise(() => import("../rules/Asking.ts"))).startAsking(source)
      : undefined

    const proxy = Layer.provideMerge(
      RunEnvironment.layerIn(runDirectory),
      yield* proxyOf(registered, {
        approval: ask === undefined ? undefined : { ask, outerRules: run.outerRules },
        recorder: recording?.recorder,
        baseUrl: input.baseUrl,
        logins: recipe?.logins,
        contained: starting && Fiber.join(starting)
      })
    )
    const ended = yield* behindProxy(input, recipe, starting, { askedGit: Fiber.join(askedGit), run }).pipe(
      Effect.scoped,
      Effect.provide(proxy),
      Effect.provide(layerTelemetry("run")),
      Effect.catchTag("CredentialRefusedError", noRoutes),
      // By now the proxy has closed, so the recording has every request.
      Effect.ensuring(recording?.write ?? Effect.void)
    )
    yield* exitLike(ended)
  },
  Effect.scoped,
  Effect.provide(ConfigFile.layerNoDeps)
)

/** Runs a command behind a proxy. */
export const run = (input: RunInput) =>
  runCommand(input).pipe(provideDaemon({ profile: Option.getOrUndefined(input.profile) }))
