import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { codeLifetime, IdentityName } from "../../domain/wire/Identity.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { calls, duration, lazy, prints } from "./CommandParts.ts"

const identity = Argument.String("identity").pipe(
  Argument.withSchema(IdentityName),
  Argument.withDescription("Identity name, as shown by `credsvc admin identities`")
)

const providerArgument = Argument.String("provider").pipe(Argument.withDescription("Provider name"))

const grantedConnection = Flag.String("connection").pipe(
  Flag.withSchema(ConnectionName),
  Flag.withDefault(defaultConnectionName),
  Flag.withMetavar("<name>"),
  Flag.withDescription("Connection name (default: default)")
)

const loadGrants = () => import("../commands/Grants.ts")
const load = () => import("../commands/Admin.ts")

export const admin = Command.make("admin").pipe(
  Command.withDescription(
    "Administer a daemon that other machines use: enroll their callers, disable them, and grant them connections. Only on the " +
      "machine of the daemon"
  ),
  Command.withShortDescription("Administer a daemon that other machines use"),
  Command.withExamples([{ command: "credsvc admin enroll-code work" }]),
  Command.withSubcommands([
    Command.make("enroll-code", {
      profile: Argument.String("profile").pipe(
        Argument.withSchema(ProfileHandle),
        Argument.withDescription("The profile whose connections the caller will use")
      ),
      name: Flag.String("name").pipe(
        Flag.withSchema(IdentityName),
        Flag.optional,
        Flag.withMetavar("<name>"),
        Flag.withDescription("Name of the identity (default: the name of the profile, with a number if necessary)")
      ),
      expires: duration("expires", 1).pipe(
        Flag.withDefault(codeLifetime.standard * 1000),
        Flag.withDescription("Lifetime of the code, from 1m to 1d (default: 15m)")
      )
    }, lazy(() => load().then((m) => m.enrollCode))).pipe(
      calls(["identities.createCode"]),
      prints("identities.createCode"),
      Command.withDescription("Print a code with which a caller on another machine enrolls its key, once"),
      Command.withExamples([
        { command: "credsvc admin enroll-code work" },
        { command: "credsvc admin enroll-code work --name laptop --expires 1h" }
      ])
    ),
    Command.make("identities", {}, lazy(() => load().then((m) => m.identities))).pipe(
      calls(["identities.list"]),
      prints("identities.list"),
      Command.withDescription("List the identities of callers on other machines"),
      Command.withExamples([{ command: "credsvc admin identities" }])
    ),
    Command.make("grant", {
      provider: providerArgument,
      grantee: Flag.String("to").pipe(
        Flag.withSchema(ProfileHandle),
        Flag.withMetavar("<profile>"),
        Flag.withDescription("Profile that may use the connection")
      ),
      connection: grantedConnection
    }, lazy(() => loadGrants().then((m) => m.grant))).pipe(
      calls(["grants.create"]),
      prints("grants.create"),
      Command.withDescription(
        "Let another profile use a connection of this one. It can neither show, export nor change it, but callers on other " +
          "machines get the credential with each use and could read it there"
      ),
      Command.withShortDescription("Let another profile use a connection"),
      Command.withExamples([
        { command: "credsvc admin grant openai --to team" },
        { command: "credsvc admin grant openai --connection work --to team" }
      ])
    ),
    Command.make("withdraw", {
      provider: providerArgument,
      grantee: Flag.String("from").pipe(
        Flag.withSchema(ProfileHandle),
        Flag.withMetavar("<profile>"),
        Flag.withDescription("Profile that may no longer use the connection")
      ),
      connection: grantedConnection
    }, lazy(() => loadGrants().then((m) => m.withdraw))).pipe(
      calls(["grants.withdraw"]),
      prints("grants.withdraw"),
      Command.withDescription("Withdraw the use of a connection from another profile; its open requests end"),
      Command.withExamples([{ command: "credsvc admin withdraw openai --from team" }])
    ),
    Command.make("grants", {}, lazy(() => loadGrants().then((m) => m.grants))).pipe(
      calls(["grants.list"]),
      prints("grants.list"),
      Command.withDescription("List the connections that this profile has granted to others or received from them"),
      Command.withExamples([{ command: "credsvc admin grants" }])
    ),
    Command.make("disable", { name: identity }, lazy(() => load().then((m) => m.disable))).pipe(
      calls(["identities.disable"]),
      prints("identities.disable"),
      Command.withDescription("Disable an identity; its next request is refused"),
      Command.withExamples([{ command: "credsvc admin disable laptop" }])
    ),
    Command.make("enable", { name: identity }, lazy(() => load().then((m) => m.enable))).pipe(
      calls(["identities.enable"]),
      prints("identities.enable"),
      Command.withDescription("Enable a disabled identity"),
      Command.withExamples([{ command: "credsvc admin enable laptop" }])
    )
  ])
)

export const enroll = Command.make("enroll", {}, lazy(() => import("../commands/Enroll.ts").then((m) => m.enroll)))
  .pipe(
    calls(["identities.enroll"]),
    prints("identities.enroll"),
    Command.withDescription(
      "Enroll the key of this machine at the daemon of CREDSVC_DAEMON_URL, with a code of its administrator. Asks for the " +
        "code, or reads it from stdin without a terminal"
    ),
    Command.withShortDescription("Enroll the key of this machine at a daemon on another one"),
    Command.withExamples([
      { command: "CREDSVC_DAEMON_URL=https://credsvc.example.com credsvc enroll" }
    ])
  )
