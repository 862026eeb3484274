/**
 * The flags that every command takes, before and after its name.
 *
 * They are read from the arguments before anything else runs, because a failure to parse the rest must already be told
 * in the form that they ask for. What the framework has to know of them is in `GlobalFlagDeclarations`.
 */
import * as Context from "effect/Context"

export class GlobalFlags extends Context.Service<GlobalFlags, {
  /** Exactly one JSON document on stdout, also on failure. */
  readonly json: boolean
  /** No banners and no status messages; data is printed all the same. */
  readonly quiet: boolean
  readonly noColor: boolean
  /** Debug messages to stderr. */
  readonly verbose: boolean
  /** Undefined: the log of the home directory. Empty: none. */
  readonly logFile: string | undefined
}>()("credsvc/cli/GlobalFlags") {}

/** Flags of `run` that take a value, so that the value is not mistaken for the command. */
const runValues = new Set(["--connection", "--provider", "--unmatched", "--profile", "--hook", "--log-file"])

/** Where our own arguments end. `run` ends them at its first word, so that `--` may be left out. */
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

/** Takes the global flags out of the arguments. What follows `--` is not looked at. */
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
    const toggled = /^--(json|quiet|no-color|verbose)(?:=(true|false))?$/.exec(argument)
    if (toggled !== null) {
      toggles[toggled[1] as keyof typeof toggles] = toggled[2] !== "false"
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
