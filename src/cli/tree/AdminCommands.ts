import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { codeLifetime, IdentityName } from "../../domain/Identity.ts"
import { ProfileHandle } from "../../domain/Profile.ts"
import { calls, duration, lazy, prints } from "./CommandParts.ts"

const identity = Argument.String("identity").pipe(
  Argument.withSchema(IdentityName),
  Argument.withDescription("Identity name, as shown by `credsvc admin identities`")
)

const load = () => import("../commands/Admin.ts")

export const admin = Command.make("admin").pipe(
  Command.withDescription(
    "Administer a daemon that other machines use: enroll their callers, and disable them. Only on the machine of the daemon"
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
