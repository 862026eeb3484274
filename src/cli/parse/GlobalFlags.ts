/**
 * The flags that every command accepts, before and after its name.
 *
 * They are parsed before the other arguments, because a failure to parse those must already be reported in the requested
 * format. `GlobalFlagDeclarations` declares them to the framework.
 */
import * as Context from "effect/Context"

export class GlobalFlags extends Context.Service<GlobalFlags, {
  readonly json: boolean
  readonly quiet: boolean
  readonly noColor: boolean
  readonly verbose: boolean
  /** The path of the debug log. If undefined, it is in the home directory; if empty, nothing is logged. */
  readonly logFile: string | undefined
}>()("credsvc/cli/GlobalFlags") {}

/**
 * Takes the global flags out of the first `own` arguments. The other arguments belong to the program that a command such as
 * `run` starts.
 */
export const readArguments = (argv: ReadonlyArray<string>, own: number) => {
  const rest = argv.slice(own)
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
  const { "no-color": noColor, ...others } = toggles
  return {
    flags: { ...others, noColor, logFile },
    args: [...args, ...rest.length === 0 || rest[0] === "--" ? rest : ["--", ...rest]]
  }
}
