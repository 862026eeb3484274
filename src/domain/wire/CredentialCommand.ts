/**
 * Credential commands: programs of the user that print a credential, such as `op read`. A connection has a command only
 * if its user gave it to the login; no provider definition can contain a command.
 */
import * as Schema from "effect/Schema"
import { named, wire, withDefault } from "./Wire.ts"

// oxlint-disable-next-line no-control-regex -- a person confirms the command as text, and NUL ends an argument
const argumentPattern = /^[^\u0000-\u001f\u007f-\u009f]*$/u

const argument = Schema.String.check(
  Schema.isMaxLength(4096),
  Schema.isPattern(argumentPattern, { expected: "text without control characters" })
)

const pointer = Schema.String.check(
  Schema.isMaxLength(256),
  Schema.isPattern(/^(?:\/(?:[^~/]|~[01])*)+$/u, { expected: "a JSON pointer such as /data/token" })
)

export const CommandOutput = Schema.Literals(["text", "json", "credential_process"]).pipe(named(
  "CommandOutput",
  "`text`: the first line is the key. `json`: an object with the fields. `credential_process`: the JSON that the AWS " +
    "command line expects from its `credential_process`, version 1"
))

export const CredentialCommand = wire("CredentialCommand", "A program of the user that prints a credential", {
  argv: [
    Schema.NonEmptyArray(argument).check(
      Schema.isMaxLength(64),
      Schema.makeFilter(
        ([program]: readonly [string, ...ReadonlyArray<string>]) => /^(?:\/|[A-Za-z]:[\\/])/.test(program),
        { expected: "an argument list that begins with an absolute path" }
      )
    ),
    "The program and its arguments, run without a shell. The program is an absolute path, so that no other program in " +
    "`PATH` can replace it"
  ],
  output: [withDefault(CommandOutput, "text"), "What the program prints. The default is `text`"],
  values: [
    withDefault(Schema.Record(Schema.String, pointer), {}),
    "Maps a field to a JSON pointer into the output. When absent, each field is the member of that name at the top level"
  ],
  expiry: [Schema.optionalKey(pointer), "JSON pointer to the time of expiry, or to the lifetime in seconds"],
  lifetime: [
    Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 31_536_000 }))),
    "The lifetime in seconds if the output states no expiry; without either, the credential is used until it is refused"
  ]
})
export type CredentialCommand = typeof CredentialCommand.Type
