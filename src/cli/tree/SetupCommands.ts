import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { serveParams, startParams } from "./CommandInputs.ts"
import { bare, calls, described, fails, lazy, printsDocument } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

export const profile = Command.make("profile").pipe(
  described("Create, list and switch profiles (separate sets of connections)", "credsvc profile list"),
  Command.withSubcommands([
    operationCommand("profiles.create", {
      args: {
        handle: Param.argument("handle", "Profile name (default: a generated name)", ProfileHandle).pipe(
          Argument.optional
        )
      },
      description: "Create a profile with its own identity key",
      examples: `
  credsvc profile create
  credsvc profile create work`,
      text: ({ handle }, output) =>
        Effect.andThen(
          output.data(handle),
          output.note(`Created the profile. To make it active: credsvc profile use ${handle}`)
        )
    }),
    operationCommand("profiles.use", {
      description: "Set the active profile",
      examples: "credsvc profile use work",
      text: ({ handle }, output) => output.note(`The active profile is now ${handle}.`)
    }),
    operationCommand("profiles.list", {
      examples: "credsvc profile list",
      text: ({ profiles }, output) =>
        output.data(output.table(profiles, {
          PROFILE: ({ handle }) => handle,
          CREATED: ({ created_at }) => output.time(created_at),
          ACTIVE: ({ active }) => ({ text: active ? "yes" : "", style: "green" })
        }))
    })
  ])
)

export const daemon = Command.make("daemon").pipe(
  described("Manage the background daemon, which other commands start automatically", "credsvc daemon status"),
  Command.withSubcommands([
    Command.make(
      "serve",
      serveParams,
      lazy(() => import("../commands/DaemonServe.ts").then((m) => m.serve))
    ).pipe(
      fails("OperationNotAllowedError", "DaemonUnavailableError"),
      printsDocument("the address, once the daemon listens"),
      described(
        "Run the daemon in the foreground",
        `
  credsvc daemon serve
  credsvc daemon serve --port 0
  credsvc daemon serve --front-socket /run/credsvc/front.sock --front-group www-data`
      )
    ),
    Command.make("start", startParams, lazy(() => import("../commands/Daemon.ts").then((m) => m.start)))
      .pipe(
        calls(["system.health"]),
        printsDocument("the URL of the daemon, and whether it was running"),
        described(
          "Start the daemon in the background",
          `
  credsvc daemon start
  credsvc daemon start --port 0`
        )
      ),
    Command.make("stop", {}, lazy(() => import("../commands/Daemon.ts").then((m) => m.stop))).pipe(
      fails("OperationNotAllowedError"),
      printsDocument("whether the daemon was running, and its process"),
      described("Stop the background daemon", "credsvc daemon stop")
    ),
    Command.make("restart", {}, lazy(() => import("../commands/Daemon.ts").then((m) => m.restart))).pipe(
      calls(["system.health", "runs.list"]),
      printsDocument("the URL of the daemon, and whether it was running"),
      described("Restart the background daemon on the same host and port", "credsvc daemon restart")
    ),
    Command.make("status", {}, lazy(() => import("../commands/Daemon.ts").then((m) => m.status))).pipe(
      calls(["system.health"]),
      printsDocument("the state of the daemon, even without `--json`"),
      described("Print the daemon's status as JSON; exits 0 if it is running, 9 if not", "credsvc daemon status")
    ),
    Command.make(
      "logs",
      { lines: Param.lines("Number of lines (default: 100)").pipe(Flag.withDefault(100)) },
      lazy(() => import("../commands/Daemon.ts").then((m) => m.logs))
    ).pipe(
      fails(),
      printsDocument("the lines"),
      described("Show the end of the daemon log", "credsvc daemon logs -n 20")
    )
  ])
)

export const completion = Command.make(
  "completion",
  {
    shell: Argument.Literals("shell", ["bash", "zsh", "fish"]).pipe(Argument.withDescription("bash, zsh or fish"))
  },
  bare(() => import("../completion/CompletionScripts.ts").then((m) => m.completion))
).pipe(
  fails(),
  described(
    "Print the completion script for a shell. It completes commands and flags and, while the daemon is running, the " +
      "names of providers, connections and profiles",
    `
  credsvc completion bash > ~/.local/share/bash-completion/completions/credsvc
  credsvc completion zsh > ~/.zfunc/_credsvc  # Requires ~/.zfunc in your fpath
  credsvc completion fish > ~/.config/fish/completions/credsvc.fish
  eval "$(credsvc completion bash)"  # For this shell only`,
    "Print the completion script for a shell"
  )
)

export const help = (tree: () => Command.Command.Any) =>
  Command.make("help", {
    command: Param.argument("command", "Command, or topic: run, flows, profiles or security").pipe(Argument.variadic()),
    all: Param.toggle("all", "List all commands")
  }, bare(() => import("../commands/Help.ts").then((m) => m.help(tree)))).pipe(
    fails(),
    described(
      "Show help for a command or a topic",
      `
  credsvc help --all
  credsvc help run
  credsvc help security  # A topic: run, flows, profiles or security`
    )
  )
