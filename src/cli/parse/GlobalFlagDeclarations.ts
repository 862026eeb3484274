/** Declares the flags of `GlobalFlags` to the framework, for help text and suggestions. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Param from "../tree/Param.ts"

export const declarations = [
  GlobalFlag.Setting("json")({ flag: Param.toggle("json", "Print one JSON document, even on failure") }),
  GlobalFlag.Setting("quiet")({ flag: Param.toggle("quiet", "Suppress summaries and status messages") }),
  GlobalFlag.Setting("no-color")({ flag: Param.toggle("no-color", "Disable colors") }),
  GlobalFlag.Setting("verbose")({ flag: Param.toggle("verbose", "Write debug messages to stderr") }),
  GlobalFlag.Setting("log-file")({
    flag: Param.single(
      Flag.withDefault(Flag.String("log-file"), ""),
      "Path of the rotated debug log; an empty value disables it (default: ~/.credsvc/client/logs/credsvc.log)",
      "<path>"
    )
  })
] as const
