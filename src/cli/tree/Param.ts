/** The flags and arguments that the commands of the tree are made of. */
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { PolicyName } from "../../domain/rules/RuleSchemas.ts"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { SandboxName } from "../../domain/wire/Sandbox.ts"
import { parseDuration } from "../parse/TimeArguments.ts"

/** The input of the handler of a command with these flags and arguments. */
export type InputOf<Params extends Command.Command.Config> = Command.Command.Config.Infer<Params>

type Given<A> = Flag.Flag<A> | string

const given = <A>(flag: Given<A>) => (typeof flag === "string" ? Flag.String(flag) : flag) as Flag.Flag<A>

/** A flag with one value, required unless it has a default. With a string as `flag`, the flag of this name accepts any text. */
export const single = <A = string>(flag: Given<A>, description: string, metavar?: string) =>
  Flag.withDescription(metavar === undefined ? given(flag) : Flag.withMetavar(given(flag), metavar), description)

/** A required flag. `parse` returns the value of a text, or undefined for an unexpected text. */
export const parsed = <A>(name: string, parse: (text: string) => A | undefined, expected: string) =>
  Flag.String(name).pipe(Flag.filterMap((text) => Option.fromUndefinedOr(parse(text)), () => expected))

/** An optional flag. With a string as `flag`, the flag of this name accepts any text. */
export const optional = <A = string>(flag: Given<A>, description: string, metavar?: string) =>
  single(Flag.optional(given(flag)), description, metavar)

/** An optional flag whose value is a name that the schema accepts. */
export const named = <A>(name: string, schema: Schema.Codec<A, string>, description: string, metavar = "<name>") =>
  optional(Flag.String(name).pipe(Flag.withSchema(schema)), description, metavar)

/** A flag that may be absent or repeated. With a string as `flag`, the flag of this name accepts any text. */
export const repeatable = <A = string>(flag: Given<A>, description: string, metavar?: string) =>
  single(Flag.atLeast(given(flag), 0), description, metavar)

/** A positional argument: any text, or what the schema accepts. */
export const argument: {
  (name: string, description: string): Argument.Argument<string>
  <A>(name: string, description: string, schema: Schema.Codec<A, string>): Argument.Argument<A>
} = (name: string, description: string, schema: Schema.Codec<any, string> = Schema.String) =>
  Argument.String(name).pipe(Argument.withSchema(schema), Argument.withDescription(description))

export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false), Flag.withDescription(description))

export const whole = (name: string, minimum: number, maximum: number) => {
  const isValid = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
  return parsed(
    name,
    (text) => isValid(text) ? Number(text) : undefined,
    `a whole number from ${minimum} to ${maximum}`
  )
}

/** A flag for the path of a file. Rejects an empty path, which would mean the working directory. */
export const path = (name: string, metavar = "<file>") =>
  Flag.String(name).pipe(Flag.filter((text) => text !== "", () => metavar), Flag.withMetavar(metavar))

export const provider = argument("provider", "Provider name, as shown by `credsvc list`")

export const sandboxArgument = argument("name", "Sandbox name, as shown by `credsvc sandbox list`", SandboxName)

export const connectionArgument = argument("connection", "Connection name", ConnectionName)

/** The flag for the name of a connection. Without it, commands use the connection named "default". */
export const connectionFlag = named("connection", ConnectionName, "Connection name (default: default)")

export const connectionOrDefault = Flag.map(connectionFlag, Option.getOrElse(() => defaultConnectionName))

export const lines = (what: string) => single(Flag.withAlias(whole("lines", 1, 99_999), "n"), what, "<count>")

export const assignments = repeatable(
  "connection",
  "Use this connection instead of the provider's default; repeatable",
  "<provider>=<name>"
)

export const unmatched = Flag.Literals("unmatched", ["allow", "deny"]).pipe(
  Flag.withDefault("allow"),
  Flag.withDescription("Allow or deny requests to hosts that belong to no provider (default: allow)")
)

const MINUTE = 60_000
const DAY = 86_400_000

/** A duration in milliseconds, from a minute to this number of days. */
export const duration = (name: string, days = 30) =>
  parsed(
    name,
    (text) => {
      const milliseconds = parseDuration(text) ?? 0
      return milliseconds >= MINUTE && milliseconds <= days * DAY ? milliseconds : undefined
    },
    `a duration from 1m to ${days}d, such as 45m${days === 1 ? " or 8h" : ", 8h or 7d"}`
  ).pipe(Flag.withMetavar("<duration>"))

/** A lifetime of up to a day in seconds. */
export const lifetime = (name: string, standard: number, description: string) =>
  duration(name, 1).pipe(
    Flag.map((milliseconds) => Math.ceil(milliseconds / 1000)),
    Flag.withDefault(standard),
    Flag.withDescription(description)
  )

const SCALES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9 }

/** Parses a number such as `200k`. Returns undefined for other text. */
const parseCount = (text: string): number | undefined => {
  const [, digits, scale = ""] = /^(\d{1,12}(?:\.\d{1,3})?)([kmg]?)$/i.exec(text) ?? []
  const count = Number(digits) * (SCALES[scale.toLowerCase()] ?? 1)
  return Number.isSafeInteger(count) && count > 0 && count <= 1e12 ? count : undefined
}

export const maxTokens = optional(
  parsed("max-tokens", parseCount, "a number of tokens such as 50000, 200k or 1.5m"),
  "Refuse requests to model APIs once their responses have reported this many tokens, such as 200k",
  "<count>"
)

/** Flags that contain rules, or name a file of rules. */
export const ownRuleFlags = {
  allow: repeatable(
    "allow",
    "Of the requests to provider hosts, allow only those that match a rule such as 'GET api.github.com/repos/acme/**'; " +
      "repeatable",
    "<rule>"
  ),
  deny: repeatable("deny", "Refuse requests that match a rule, even if another rule allows them; repeatable", "<rule>"),
  readOnly: toggle(
    "read-only",
    "Of the requests to provider hosts, allow only GET, HEAD and OPTIONS, and GraphQL queries"
  ),
  rules: optional(
    path("rules"),
    "Read rules from a JSON file, in addition to the other flags; no file is read by default"
  )
}

/** Flags that limit the requests to the hosts of providers. */
export const ruleFlags = {
  ...ownRuleFlags,
  policies: repeatable(
    Flag.String("policy").pipe(Flag.withSchema(PolicyName)),
    "Limit requests to those that this policy allows (see `credsvc policy`); repeatable, all policies must allow a request",
    "<name>"
  )
}
export const strict = toggle(
  "strict",
  "Stop adding credentials after a request with a placeholder in a place where no credential belongs"
)

export const yes = toggle("yes", "Do not ask for confirmation; required with --json or without a terminal")
