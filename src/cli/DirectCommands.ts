/**
 * A fast path for the commands that scripts run most often: parses their usual forms without the command tree, whose
 * framework takes as long to load as the rest of such a command.
 *
 * Any other form goes to the tree, which knows every form and reports every usage error. Tests verify that both parse
 * the usual forms alike.
 */
import * as Option from "effect/Option"
import type { LogFormat } from "../config/Settings.ts"
import { defaultConnectionName, isConnectionName } from "../domain/Names.ts"
import { atHome } from "./AtHome.ts"
import type { RunInput } from "./commands/Run.ts"

type Values = Readonly<Record<string, string | true>>

interface Plain {
  readonly words: ReadonlyArray<string>
  readonly flags: Values
}

/** Words that the tree accepts as an explicit value of a Boolean flag. */
const literal = /^(?:true|1|y|yes|on|false|0|n|no|off)$/i

/** Splits arguments into words and the known flags, each at most once. Returns `undefined` for anything else. */
const plain = (
  args: ReadonlyArray<string>,
  known: { readonly toggles: ReadonlyArray<string>; readonly values: ReadonlyArray<string> }
): Plain | undefined => {
  const words: Array<string> = []
  const flags: Record<string, string | true> = {}
  for (let at = 0; at < args.length; at++) {
    const argument = args[at]!
    if (!argument.startsWith("-")) {
      words.push(argument)
      continue
    }
    if (Object.hasOwn(flags, argument)) return undefined
    if (known.toggles.includes(argument)) {
      if (literal.test(args[at + 1] ?? "")) return undefined
      flags[argument] = true
    } else if (known.values.includes(argument)) {
      const value = args[++at]
      if (value === undefined || value === "" || value.startsWith("-")) return undefined
      flags[argument] = value
    } else {
      return undefined
    }
  }
  return { words, flags }
}

const readGet = (args: ReadonlyArray<string>) => {
  const read = plain(args, { toggles: ["--show-secret"], values: ["--connection", "--field"] })
  const [provider, ...more] = read?.words ?? []
  if (read === undefined || provider === undefined || provider === "" || more.length > 0) return undefined
  const { "--connection": connection = defaultConnectionName, "--field": field } = read.flags
  if (typeof connection !== "string" || !isConnectionName(connection)) return undefined
  return {
    provider,
    connection,
    field: Option.fromUndefinedOr(field as string | undefined),
    showSecret: read.flags["--show-secret"] === true
  }
}

const readRun = (args: ReadonlyArray<string>): RunInput | undefined => {
  const end = args.indexOf("--")
  if (end === -1 || end === args.length - 1) return undefined
  const read = plain(args.slice(0, end), {
    toggles: ["--contain", "--no-contain"],
    values: ["--connection", "--provider", "--unmatched"]
  })
  if (read === undefined || read.words.length > 0) return undefined
  const { "--connection": connection, "--provider": provider, "--unmatched": unmatched = "allow" } = read.flags
  if (unmatched !== "allow" && unmatched !== "deny") return undefined
  return {
    connections: connection === undefined ? [] : [connection as string],
    providers: provider === undefined ? [] : [provider as string],
    unmatched,
    allow: [],
    deny: [],
    readOnly: false,
    rules: Option.none(),
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
    contain: read.flags["--contain"] === true,
    noContain: read.flags["--no-contain"] === true,
    write: [],
    hide: [],
    allowPorts: [],
    command: args.slice(end + 1)
  }
}

const readServe = (args: ReadonlyArray<string>) => {
  const read = plain(args, { toggles: [], values: ["--host", "--port", "--log-format"] })
  if (read === undefined || read.words.length > 0) return undefined
  const { "--host": host = "127.0.0.1", "--log-format": logFormat, "--port": port = "7998" } = read.flags as Readonly<
    Record<string, string>
  >
  if (!/^(?:0|[1-9]\d{0,4})$/.test(port) || Number(port) > 65_535) return undefined
  if (logFormat !== undefined && logFormat !== "text" && logFormat !== "json") return undefined
  return {
    host,
    port: Number(port),
    logFormat: Option.fromUndefinedOr<LogFormat | undefined>(logFormat),
    frontSocket: Option.none(),
    frontGroup: Option.none(),
    tlsCert: Option.none(),
    tlsKey: Option.none(),
    drain: Option.none(),
    reload: false
  }
}

export const directCommand = (args: ReadonlyArray<string>) => {
  const [name, ...rest] = args
  if (name === "get") {
    const input = readGet(rest)
    return input === undefined ? undefined : atHome(() => import("./commands/Get.ts").then(({ get }) => get(input)))
  }
  if (name === "run") {
    const input = readRun(rest)
    return input === undefined ? undefined : atHome(() => import("./commands/Run.ts").then(({ run }) => run(input)))
  }
  if (name === "list" && rest.length === 0) {
    return atHome(() => import("./commands/List.ts").then(({ list }) => list({ filter: Option.none(), all: false })))
  }
  if (name === "daemon" && rest[0] === "serve") {
    const input = readServe(rest.slice(1))
    return input === undefined
      ? undefined
      : atHome(() => import("./commands/DaemonServe.ts").then(({ serve }) => serve(input)))
  }
  return undefined
}
