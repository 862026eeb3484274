/** Generates docs/credsvc.1: the man page, from the commands' own help. */
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { topics } from "../../src/cli/commands/Topics.ts"
import { exitCodesOf } from "../../src/cli/tree/CommandFacts.ts"
import { variables } from "../../src/config/Variables.ts"
import { allHelp, isBelowApi } from "./cli.ts"

/** Escapes text for roff, which interprets backslashes, dashes, and dots at the start of a line. */
const roff = (text: string): string =>
  text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "\\[u2026]").replace(/^(?=[.'])/gm, "\\&")

const flagLines = (flag: FlagDoc): ReadonlyArray<string> => [
  ".TP",
  [`--${flag.name}`, ...flag.aliases].map((name) => `\\fB${roff(name)}\\fR`).join(", ") +
  (flag.type === "boolean" ? "" : ` \\fI${roff(flag.type)}\\fR`),
  roff(Option.getOrElse(flag.description, () => ""))
]

const verbatim = (text: string): ReadonlyArray<string> => [".nf", roff(text), ".fi"]

const command = (help: HelpDoc): ReadonlyArray<string> => {
  const name = (help.commandPath ?? []).join(" ")
  const lines = [`.SS ${roff(name)}`, roff(help.description), ".PP", `\\fB${roff(help.usage)}\\fR`]
  for (const argument of help.args ?? []) {
    lines.push(
      ".TP",
      `\\fI${roff(argument.name)}${argument.variadic ? " \\[u2026]" : ""}\\fR`,
      roff(Option.getOrElse(argument.description, () => ""))
    )
  }
  for (const flag of help.flags) lines.push(...flagLines(flag))
  if ((help.examples ?? []).length > 0) {
    const examples = help.examples!.flatMap(({ command, description }) =>
      description === undefined ? [command] : [`# ${description}`, command]
    )
    lines.push(".PP", "Examples:", ".PP", ".RS", ...verbatim(examples.join("\n")), ".RE")
  }
  const codes = exitCodesOf(help.annotations).map(({ code }) => code)
  if (codes.length > 0) lines.push(".PP", `Exit codes: ${roff(codes.join(", "))}.`)
  return lines
}

const files: ReadonlyArray<readonly [string, string]> = [
  ["~/.credsvc/", "The home of credsvc; CREDSVC_HOME names another."],
  ["~/.credsvc/config.json", "Settings."],
  ["~/.credsvc/providers/", "Custom provider definitions, one JSON file each."],
  ["~/.credsvc/server/credsvc.db", "The vault, the connections and the audit log."],
  ["~/.credsvc/server/logs/daemon.log", "The log of the daemon; credsvc daemon logs shows its end."],
  ["~/.credsvc/client/logs/credsvc.log", "The debug log of the command line; credsvc log --raw shows its end."]
]

const list = (entries: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> =>
  entries.flatMap(([term, meaning]) => [".TP", `\\fB${roff(term)}\\fR`, roff(meaning)])

export const man = async (): Promise<string> => {
  const [root, ...commands] = await Effect.runPromise(allHelp)
  const { version } = JSON.parse(fs.readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly version: string
  }
  const codes = new Map(
    commands.flatMap(({ annotations }) => exitCodesOf(annotations)).map(({ code, meaning }) => [code, meaning] as const)
  )
  return [
    `.TH CREDSVC 1 "" "credsvc ${version}" "User Commands"`,
    ".SH NAME",
    `credsvc \\- ${roff(root!.description)}`,
    ".SH SYNOPSIS",
    "\\fBcredsvc\\fR \\fIcommand\\fR [\\fIarguments\\fR]",
    ".SH DESCRIPTION",
    roff(
      "credsvc stores the credentials of APIs, encrypted, in the home directory of one user. A daemon on this machine holds " +
        "them; it starts with the first command that needs it. \"credsvc run\" starts a program behind a proxy that puts the " +
        "real credential into the program's requests, so that the program itself never has it."
    ),
    ".PP",
    roff("Data goes to standard output, everything else to standard error. Every command takes the global flags."),
    ".SH GLOBAL FLAGS",
    ...(root!.globalFlags ?? []).flatMap(flagLines),
    ".SH COMMANDS",
    ...commands.filter((help) => !isBelowApi(help)).flatMap(command),
    ...[...topics].flatMap(([name, text]) => [`.SH ${name.toUpperCase()}`].concat(verbatim(text))),
    ".SH EXIT CODES",
    ...list([...codes].toSorted(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10))),
    ".SH ENVIRONMENT",
    ...list(
      Object.entries(variables).map(([name, [, fallback, meaning]]) =>
        [
          name,
          `${meaning[0]!.toUpperCase()}${meaning.slice(1)}${fallback === "" ? "" : ` (default: ${fallback})`}.`
        ] as const
      )
    ),
    ".SH FILES",
    ...list(files),
    ""
  ].join("\n")
}
