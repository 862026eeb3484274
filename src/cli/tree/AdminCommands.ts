import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { codeLifetime, IdentityName } from "../../domain/wire/Identity.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { calls, described, lazy, prints } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

const grantedConnection = Flag.String("connection").pipe(
  Flag.withSchema(ConnectionName),
  Flag.withDefault(defaultConnectionName),
  Flag.withMetavar("<name>"),
  Flag.withDescription("Connection name (default: default)")
)

const grantee = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(ProfileHandle),
    Flag.withMetavar("<profile>"),
    Flag.withDescription(description)
  )

export const admin = Command.make("admin").pipe(
  described(
    "Administer a daemon that other machines use: enroll their callers, disable them, and grant them connections. Only on the " +
      "machine of the daemon",
    "credsvc admin enroll-code work",
    "Administer a daemon that other machines use"
  ),
  Command.withSubcommands([
    operationCommand("identities.createCode", {
      name: "enroll-code",
      args: {
        profile: Param.argument("profile", "The profile whose connections the caller will use", ProfileHandle),
        name: Param.optional(
          Flag.String("name").pipe(Flag.withSchema(IdentityName)),
          "Name of the identity (default: the name of the profile, with a number if necessary)",
          "<name>"
        ),
        expires_in: Param.duration("expires", 1).pipe(
          Flag.map((millis) => Math.ceil(millis / 1000)),
          Flag.withDefault(codeLifetime.standard),
          Flag.withDescription("Lifetime of the code, from 1m to 1d (default: 15m)")
        )
      },
      summary: "Print a code with which a caller on another machine enrolls its key, once",
      examples: `
  credsvc admin enroll-code work
  credsvc admin enroll-code work --name laptop --expires 1h`,
      text: ({ code, expires_at, name, profile }, output) =>
        Effect.all([
          output.data(code),
          output.note(
            `The code enrolls "${name}" for the profile ${profile}, once. It expires ${output.time(expires_at)}.`
          ),
          output.note("Enter it on the other machine with: CREDSVC_DAEMON_URL=https://… credsvc enroll")
        ], { discard: true })
    }),
    operationCommand("identities.list", {
      name: "identities",
      examples: "credsvc admin identities",
      text: ({ identities }, output) =>
        output.data(output.table(
          ["IDENTITY", "PROFILE", "STATUS", "ENROLLED", "KEY"],
          identities.map(({ created_at, disabled_at, key_id, name, profile }) => [
            name,
            profile,
            disabled_at === null ? { text: "enabled", style: "green" } : { text: "disabled", style: "yellow" },
            output.time(created_at),
            key_id
          ])
        ))
    }),
    operationCommand("grants.create", {
      name: "grant",
      args: {
        provider: Param.provider,
        grantee: grantee("to", "Profile that may use the connection"),
        connection: grantedConnection
      },
      summary: "Let another profile use a connection",
      examples: `
  credsvc admin grant openai --to team
  credsvc admin grant openai --connection work --to team`,
      text: ({ connection, grantee, provider }, output) =>
        Effect.andThen(
          output.note(`The profile ${grantee} may use the connection "${connection}" for ${provider}.`),
          output.note(
            "note: Its callers on other machines get the credential with each use and could read it there. To be sure that nobody has " +
              "it after a withdrawal, replace it at the provider."
          )
        )
    }),
    operationCommand("grants.withdraw", {
      args: {
        grantee: grantee("from", "Profile that may no longer use the connection"),
        connection: grantedConnection
      },
      summary: "Withdraw the use of a connection from another profile",
      examples: "credsvc admin withdraw openai --from team",
      text: ({ connection, grantee, provider }, output) =>
        output.note(`The profile ${grantee} may no longer use the connection "${connection}" for ${provider}.`)
    }),
    operationCommand("grants.list", {
      name: "grants",
      examples: "credsvc admin grants",
      text: ({ grants }, output) =>
        output.data(output.table(
          ["PROVIDER", "CONNECTION", "OWNER", "GRANTED TO", "SINCE"],
          grants.map(({ connection, created_at, grantee, owner, provider }) => [
            provider,
            connection,
            owner,
            grantee,
            output.time(created_at)
          ])
        ))
    }),
    operationCommand("identities.disable", {
      examples: "credsvc admin disable laptop",
      text: ({ name }, output) => output.note(`Disabled the identity ${name}. Its next request is refused.`)
    }),
    operationCommand("identities.enable", {
      examples: "credsvc admin enable laptop",
      text: ({ name }, output) => output.note(`Enabled the identity ${name}.`)
    })
  ])
)

export const enroll = Command.make("enroll", {}, lazy(() => import("../commands/Enroll.ts").then((m) => m.enroll)))
  .pipe(
    calls(["identities.enroll"]),
    prints("identities.enroll"),
    described(
      "Enroll the key of this machine at the daemon of CREDSVC_DAEMON_URL, with a code of its administrator. Asks for the " +
        "code, or reads it from stdin without a terminal",
      "CREDSVC_DAEMON_URL=https://credsvc.example.com credsvc enroll",
      "Enroll the key of this machine at a daemon on another one"
    )
  )
