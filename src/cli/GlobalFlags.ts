/**
 * The flags that every command accepts, before and after its name.
 *
 * They are parsed before anything else, because a failure to parse the other arguments must already be reported in the
 * requested format. `GlobalFlagDeclarations` declares them to the framework.
 */
import * as Context from "effect/Context"

export class GlobalFlags extends Context.Service<GlobalFlags, {
  readonly json: boolean
  readonly quiet: boolean
  readonly noColor: boolean
  readonly verbose: boolean
  /** Undefined: the log in the home directory. Empty: no log. */
  readonly logFile: string | undefined
}>()("credsvc/cli/GlobalFlags") {}

/** Flags of `run` that take a value, so that the value is not mistaken for the command. */
const runValues = new Set([
  "--connection",
  "--provider",
  "--unmatched",
  "--allow",
  "--deny",
  "--rules",
  "--policy",
  "--record",
  "--max-uses",
  "--expires",
  "--profile",
  "--hook",
  "--write",
  "--hide",
  "--allow-port",
  "--log-file"
])

/**
 * Returns the index at which credsvc's own arguments end. For `run` they end at its first word, so `--` is optional.
 */
const ownArguments = (argv: ReadonlyArray<string>): { readonly own: number; readonly rest: ReadonlyArray<string> } => {
  const marker = argv.indexOf("--")
  const end = marker === -1 ? argv.length : marker
  let isRun = false
  for (let at = 0; at < end; at++) {
    const argument = argv[at]!
    if (argument.startsWith("-") && argument !== "-") {
      if (runValues.has(argument)) at++
    } else if (isRun) {
      return { own: at, rest: ["--", ...argv.slice(at)] }
    } else if (argument === "run") {
      isRun = true
    } else {
      break
    }
  }
  return { own: end, rest: argv.slice(end) }
}

export const readArguments = (argv: ReadonlyArray<string>): {
  readonly flags: GlobalFlags["Service"]
  readonly args: ReadonlyArray<string>
} => {
  const { own, rest } = ownArguments(argv)
  const toggles = { json: false, quiet: false, "no-color": false, verbose: false }
  let logFile: string | undefined
  const args: Array<string> = []
  for (let at = 0; at < own; at++) {
    const argument = argv[at]!
    const toggled = /^--(json|quiet|no-color|verbose)(?:=(?:true|yes|on|1|y|(false|no|off|0|n)))?$/.exec(argument)
    if (toggled !== null) {
      toggles[toggled[1] as keyof typeof toggles] = toggled[2] === undefined
    } else if (argument.startsWith("--log-file=")) {
      logFile = argument.slice("--log-file=".length)
    } else if (argument === "--log-file" && at + 1 < own) {
      logFile = argv[++at]
    } else if (/^-n\d+$/.test(argument)) {
      args.push("-n", argument.slice(2))
    } else {
      args.push(argument)
    }
  }
  return {
    flags: {
      json: toggles.json,
      quiet: toggles.quiet,
      noColor: toggles["no-color"],
      verbose: toggles.verbose,
      logFile
    },
    args: [...args, ...rest]
  }
}
