/**
 * A fast path for the commands that scripts run most often: parses their usual forms without the command tree, because
 * its framework takes as long to load as the rest of such a command.
 *
 * Any other form goes to the tree, which knows every form and reports every usage error. Tests verify that both parse
 * the usual forms alike.
 */
import * as Option from "effect/Option"
import { isConnectionName } from "../../domain/wire/Names.ts"
import { atHome } from "../home/LoadedHandler.ts"
import type { RunInput } from "../tree/CommandInputs.ts"
import type { GlobalFlags } from "./GlobalFlags.ts"

type Values = Readonly<Record<string, string | true>>

/** Words that the tree accepts as an explicit value of a Boolean flag. */
const literal = /^(?:true|1|y|yes|on|false|0|n|no|off)$/i

interface Known {
  readonly toggles: ReadonlyArray<string>
  readonly values: ReadonlyArray<string>
}

const globals: Known = { toggles: ["--json", "--quiet", "--no-color", "--verbose"], values: ["--log-file"] }

const knownTo: Readonly<Record<string, Known>> = {
  get: { toggles: ["--show-secret"], values: ["--connection", "--field"] },
  run: { toggles: ["--contain", "--no-contain", "--no-recipe"], values: ["--connection", "--provider", "--unmatched"] },
  list: { toggles: [], values: [] },
  daemon: { toggles: [], values: ["--host", "--port"] }
}

/**
 * Splits arguments into words, known flags, each at most once, and the command line of another program. Returns `undefined` for
 * anything else.
 */
const readPlain = (argv: ReadonlyArray<string>) => {
  const words: Array<string> = []
  const flags: Record<string, string | true> = {}
  const isKnown = (kind: keyof Known, flag: string): boolean =>
    globals[kind].includes(flag) || knownTo[words[0] ?? ""]?.[kind].includes(flag) === true
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!
    if (words[0] === "run" && (argument === "--" || !argument.startsWith("-"))) {
      return { words, flags, program: argv.slice(argument === "--" ? at + 1 : at) }
    }
    if (!argument.startsWith("-")) {
      if (words.length === 0 && !Object.hasOwn(knownTo, argument)) return undefined
      words.push(argument)
      continue
    }
    if (Object.hasOwn(flags, argument)) return undefined
    if (isKnown("toggles", argument)) {
      if (literal.test(argv[at + 1] ?? "")) return undefined
      flags[argument] = true
    } else if (isKnown("values", argument)) {
      const value = argv[++at]
      if (value === undefined || value === "" || value.startsWith("-")) return undefined
      flags[argument] = value
    } else {
      return undefined
    }
  }
  return { words, flags, program: [] }
}
type Plain = NonNullable<ReturnType<typeof readPlain>>

const globalFlagsOf = ({ "--log-file": logFile, ...flags }: Values): GlobalFlags["Service"] => ({
  json: flags["--json"] === true,
  quiet: flags["--quiet"] === true,
  noColor: flags["--no-color"] === true,
  verbose: flags["--verbose"] === true,
  logFile: logFile as string | undefined
})

const readGet = ({ flags, words: [, provider, ...more] }: Plain) => {
  if (provider === undefined || provider === "" || more.length > 0) return undefined
  const { "--connection": connection, "--field": field } = flags
  if (connection !== undefined && (connection === true || !isConnectionName(connection))) return undefined
  return {
    provider,
    connection: Option.fromUndefinedOr(connection),
    field: Option.fromUndefinedOr(field as string | undefined),
    showSecret: flags["--show-secret"] === true
  }
}

const readRun = ({ flags, program }: Plain): RunInput | undefined => {
  if (program.length === 0) return undefined
  const { "--connection": connection, "--provider": provider, "--unmatched": unmatched = "allow" } = flags
  if (unmatched !== "allow" && unmatched !== "deny") return undefined
  return {
    connections: connection === undefined ? [] : [connection as string],
    providers: provider === undefined ? [] : [provider as string],
    unmatched,
    allow: [],
    deny: [],
    readOnly: false,
    rules: Option.none(),
    maxTokens: Option.none(),
    policies: [],
    ask: false,
    record: Option.none(),
    strict: false,
    maxUses: Option.none(),
    expires: Option.none(),
    profile: Option.none(),
    hooks: [],
    baseUrl: false,
    noJava: false,
    contain: flags["--contain"] === true,
    noContain: flags["--no-contain"] === true,
    write: [],
    hide: [],
    allowPorts: [],
    noRecipe: flags["--no-recipe"] === true,
    command: program
  }
}

const readServe = ({ flags, words }: Plain) => {
  if (words.length !== 2 || words[1] !== "serve") return undefined
  const { "--host": host = "127.0.0.1", "--port": port = "7998" } = flags as Readonly<Record<string, string>>
  if (!/^(?:0|[1-9]\d{0,4})$/.test(port) || Number(port) > 65_535) return undefined
  return {
    host,
    port: Number(port),
    frontSocket: Option.none(),
    frontGroup: Option.none(),
    drain: Option.none(),
    reload: false
  }
}

const commandOf = (read: Plain) => {
  const [name] = read.words
  if (name === undefined) return atHome(() => import("../commands/Next.ts").then(({ next }) => next))
  if (name === "get") {
    const input = readGet(read)
    return input && atHome(() => import("../commands/Get.ts").then((m) => m.getConnection(input)))
  }
  if (name === "run") {
    const input = readRun(read)
    return input && atHome(() => import("../commands/Run.ts").then((m) => m.run(input)))
  }
  if (name === "list" && read.words.length === 1) {
    return atHome(() =>
      import("../commands/List.ts").then((m) => m.listProviders({ filter: Option.none(), all: false }))
    )
  }
  if (name === "daemon") {
    const input = readServe(read)
    return input && atHome(() => import("../commands/DaemonServe.ts").then((m) => m.serveDaemon(input)))
  }
  return undefined
}

export const directCommand = (argv: ReadonlyArray<string>) => {
  const read = readPlain(argv)
  const command = read && commandOf(read)
  return command && { flags: globalFlagsOf(read.flags), command }
}
