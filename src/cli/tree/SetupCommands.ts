/** The commands `profile …`, `daemon …`, `recipes …`, `completion` and `help`. */
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { serveParams, startParams } from "./CommandInputs.ts"
import { bare, command, group, lazy } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

export const profile = group("profile", {
  description: "Create, list and switch profiles (separate sets of connections)",
  examples: "credsvc profile list"
}, [
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

export const daemon = group("daemon", {
  description: "Manage the background daemon, which other commands start automatically",
  examples: "credsvc daemon status"
}, [
  command("serve", {
    params: serveParams,
    handler: lazy(() => import("../commands/DaemonServe.ts").then((m) => m.serveDaemon)),
    fails: ["OperationNotAllowedError", "DaemonUnavailableError"],
    document: "the address, once the daemon listens",
    description: "Run the daemon in the foreground",
    examples: `
  credsvc daemon serve
  credsvc daemon serve --port 0
  credsvc daemon serve --front-socket /run/credsvc/front.sock --front-group www-data`
  }),
  command("start", {
    params: startParams,
    handler: lazy(() => import("../commands/Daemon.ts").then((m) => m.startDaemonProcess)),
    calls: ["system.health"],
    document: "the URL of the daemon, and whether it was running",
    description: "Start the daemon in the background",
    examples: `
  credsvc daemon start
  credsvc daemon start --port 0`
  }),
  command("stop", {
    handler: lazy(() => import("../commands/Daemon.ts").then((m) => m.stopDaemon)),
    fails: ["OperationNotAllowedError"],
    document: "whether the daemon was running, and its process",
    description: "Stop the background daemon",
    examples: "credsvc daemon stop"
  }),
  command("restart", {
    handler: lazy(() => import("../commands/Daemon.ts").then((m) => m.restartDaemon)),
    calls: ["system.health", "runs.list"],
    document: "the URL of the daemon, and whether it was running",
    description: "Restart the background daemon on the same host and port",
    examples: "credsvc daemon restart"
  }),
  command("status", {
    handler: lazy(() => import("../commands/Daemon.ts").then((m) => m.daemonStatus)),
    calls: ["system.health"],
    document: "the state of the daemon, even without `--json`",
    description: "Print the daemon's status as JSON; exits 0 if it is running, 9 if not",
    examples: "credsvc daemon status"
  }),
  command("logs", {
    params: { lines: Param.lines("Number of lines (default: 100)").pipe(Flag.withDefault(100)) },
    handler: lazy(() => import("../commands/Daemon.ts").then((m) => m.daemonLogs)),
    document: "the lines",
    description: "Show the end of the daemon log",
    examples: "credsvc daemon logs -n 20"
  })
])

export const completion = command("completion", {
  params: {
    shell: Argument.Literals("shell", ["bash", "zsh", "fish"]).pipe(Argument.withDescription("bash, zsh or fish"))
  },
  handler: bare(() => import("../completion/CompletionScripts.ts").then((m) => m.completion)),
  description:
    "Print the completion script for a shell. It completes commands and flags and, while the daemon is running, the " +
    "names of providers, connections and profiles",
  summary: "Print the completion script for a shell",
  examples: `
  credsvc completion bash > ~/.local/share/bash-completion/completions/credsvc
  credsvc completion zsh > ~/.zfunc/_credsvc  # Requires ~/.zfunc in your fpath
  credsvc completion fish > ~/.config/fish/completions/credsvc.fish
  eval "$(credsvc completion bash)"  # For this shell only`
})

export const help = (tree: () => Command.Command.Any) =>
  command("help", {
    params: {
      command: Param.argument("command", "Command, or topic: run, flows, profiles or security").pipe(
        Argument.variadic()
      ),
      all: Param.toggle("all", "List all commands")
    },
    handler: bare(() => import("../commands/Help.ts").then((m) => m.help(tree))),
    description: "Show help for a command or a topic",
    examples: `
  credsvc help --all
  credsvc help run
  credsvc help security  # A topic: run, flows, profiles or security`
  })

export const recipes = group("recipes", {
  description:
    "Show the recipes that `credsvc run` applies to programs such as coding agents. Files in ~/.credsvc/recipes are " +
    "your own recipes",
  summary: "Show what `credsvc run` applies to programs such as coding agents",
  examples: "credsvc recipes show claude"
}, [
  command("show", {
    params: {
      name: Param.argument("recipe", "Name of the recipe or of the program")
    },
    handler: lazy(() => import("../commands/ShowRecipe.ts").then((m) => m.showRecipe)),
    fails: ["InvalidRequestError"],
    document: "the recipe",
    description: "Print a recipe, as a JSON file",
    examples: `
  credsvc recipes show claude
  credsvc recipes show codex > codex.json  # Start a recipe of your own, to be saved as ~/.credsvc/recipes/codex.json`
  })
])
