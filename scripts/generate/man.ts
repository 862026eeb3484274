/** Generates docs/credsvc.1: the man page, from the commands' own help. */
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import { exitCodesOf } from "../../src/cli/CommandFacts.ts"
import { topics } from "../../src/cli/Topics.ts"
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
  ["~/.credsvc/", "The home directory; CREDSVC_HOME names another."],
  ["~/.credsvc/config.json", "Settings."],
  ["~/.credsvc/providers/", "Custom provider definitions, one JSON file each."],
  ["~/.credsvc/server/credsvc.db", "The vault, the connections and the audit log."],
  ["~/.credsvc/server/logs/daemon.log", "The log of the daemon; credsvc daemon logs shows its end."],
  ["~/.credsvc/client/logs/credsvc.log", "The debug log of the command line; credsvc log --raw shows its end."]
]

const environment: ReadonlyArray<readonly [string, string]> = [
  ["CREDSVC_HOME", "The home directory."],
  ["CREDSVC_DAEMON_URL", "The daemon's URL, if it is not that of this home."],
  [
    "CREDSVC_DAEMON_HEADERS",
    "Header fields for an authenticating proxy in front of that URL, one Name: value per line."
  ],
  ["CREDSVC_DAEMON_HEADERS_COMMAND", "The absolute path of a program that prints such fields, and its arguments."],
  ["CREDSVC_SERVER_BASE_URL", "The daemon's public URL, which may have a path."],
  ["CREDSVC_DATABASE_URL", "A PostgreSQL database to use instead of a file of the home directory."],
  ["CREDSVC_DATABASE_URL_FILE", "A file with the URL of the database."],
  ["CREDSVC_MASTER_KEY", "The key of the vault: 32 bytes in base64."],
  ["CREDSVC_MASTER_KEY_FILE", "A file with the key of the vault, instead of CREDSVC_MASTER_KEY."],
  ["CREDSVC_MASTER_KEY_MODE", "auto, local_key or keyring: where the key of the vault is."],
  ["CREDSVC_TLS_CERT_FILE, CREDSVC_TLS_KEY_FILE", "A certificate and its key, with which the daemon serves TLS."],
  ["CREDSVC_PROFILE", "The profile to use instead of the active one."],
  ["CREDSVC_LOG_FORMAT", "text or json: the format of the daemon log."],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "Where to send traces and metrics; see docs/telemetry.md for all OTEL_ variables."],
  ["NO_COLOR, FORCE_COLOR", "Whether output is colored."]
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
    ...list(environment),
    ".SH FILES",
    ...list(files),
    ""
  ].join("\n")
}
