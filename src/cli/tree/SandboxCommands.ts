import * as Command from "effect/cli/Command"
import { createParams, envParams, proxyParams, sshParams } from "./CommandInputs.ts"
import { calls, chosen, described, lazy, prints, printsDocument, programArguments } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

const load = () => import("../commands/sandbox/Sandbox.ts")

export const sandbox = Command.make("sandbox").pipe(
  described(
    "Allow programs in containers and on other machines to use some of your credentials, through `credsvc proxy`",
    "credsvc sandbox create dev --provider github-token",
    "Allow programs in containers and on other machines to use your credentials"
  ),
  Command.withSubcommands([
    Command.make("create", createParams, lazy(() => load().then((m) => m.create))).pipe(
      calls(["sandboxes.create", "proxy.routes"]),
      printsDocument("the sandbox, and the directory of its files"),
      described(
        "Create a sandbox with a token and a certificate authority, which expire with the sandbox",
        `
  credsvc sandbox create dev --provider github-token --provider openai
  credsvc sandbox create ci --provider openai --unmatched deny --expires 1h
  credsvc sandbox create triage --provider github-token --allow 'GET api.github.com/repos/acme/**'`
      )
    ),
    operationCommand("sandboxes.list", {
      examples: "credsvc sandbox list",
      text: ({ sandboxes }, output) =>
        output.data(output.table(sandboxes, {
          SANDBOX: ({ name }) => name,
          STATUS: ({ frozen_at, status }) =>
            frozen_at === null
              ? { text: status, style: status === "active" ? "green" : "yellow" }
              : { text: "frozen", style: "red" },
          PROVIDERS: ({ connections, providers }) => chosen(providers, connections),
          "OTHER HOSTS": ({ unmatched }) => unmatched,
          EXPIRES: ({ expires_at }) => output.time(expires_at)
        }))
    }),
    Command.make("env", envParams, lazy(() => import("../commands/sandbox/SandboxEnv.ts").then((m) => m.env))).pipe(
      calls(["sandboxes.access", "proxy.routes"]),
      printsDocument("the token, the files and the variables of the sandbox"),
      described(
        "Print the variables for programs in a sandbox, including its token; recorded in the audit log",
        `
  eval "$(credsvc sandbox env dev)"
  docker run --env-file <(credsvc sandbox env dev --format docker) …`,
        "Print the variables for programs in a sandbox"
      )
    ),
    Command.make("rotate", { name: Param.sandboxArgument }, lazy(() => load().then((m) => m.rotate))).pipe(
      calls(["sandboxes.rotate"]),
      printsDocument("the sandbox, and the directory of its files"),
      described(
        "Replace the token of a sandbox; the previous token is refused immediately",
        "credsvc sandbox rotate dev"
      )
    ),
    Command.make("delete", { name: Param.sandboxArgument, yes: Param.yes }, lazy(() => load().then((m) => m.remove)))
      .pipe(
        calls(["sandboxes.remove"]),
        prints("sandboxes.remove"),
        described("Delete a sandbox and its files; its programs lose access immediately", "credsvc sandbox delete dev")
      )
  ])
)

export const proxy = Command.make(
  "proxy",
  proxyParams,
  lazy(() => import("../commands/sandbox/Proxy.ts").then((m) => m.proxy))
).pipe(
  calls(["sandboxes.list", "sandboxes.served"]),
  described(
    "Serve sandboxes in the foreground: a proxy that adds your credentials to the requests of their programs. Clients " +
      "use http://NAME:TOKEN@host:port, as printed by `credsvc sandbox env`",
    `
  credsvc proxy  # All sandboxes, on 127.0.0.1:7999
  credsvc proxy --sandbox dev  # One sandbox, on a Unix socket to mount into a container
  credsvc proxy --listen 172.17.0.1:7999  # For containers on Docker's default bridge`,
    "Serve sandboxes: a proxy that adds your credentials to requests"
  )
)

export const ssh = Command.make("ssh", sshParams, lazy(() => import("../commands/sandbox/Ssh.ts").then((m) => m.ssh)))
  .pipe(
    programArguments,
    calls(["runs.register", "proxy.routes", "connections.get", "connections.list"], "127", "128+n", "…"),
    described(
      "Run a command on another machine over ssh. The command's requests pass through a proxy on this machine, which adds your " +
        "credentials. Nothing is installed on the other machine, and the proxy ends with the command",
      `
  credsvc ssh devbox  # An interactive shell
  credsvc ssh --provider github-token devbox -- git -C project pull`,
      "Run a command on another machine with your credentials added to its requests"
    )
  )
