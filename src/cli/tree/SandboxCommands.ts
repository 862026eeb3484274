import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { SandboxName } from "../../domain/wire/Sandbox.ts"
import { calls, chosen, described, lazy, prints, printsDocument, programArguments } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

const name = Argument.String("name").pipe(Argument.withSchema(SandboxName))
const existing = name.pipe(Argument.withDescription("Sandbox name, as shown by `credsvc sandbox list`"))

const load = () => import("../commands/sandbox/Sandbox.ts")

const isAddress = (text: string): boolean => {
  const port = /^(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})$/.exec(text)?.[1]
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535
}

export const sandbox = Command.make("sandbox").pipe(
  described(
    "Allow programs in containers and on other machines to use some of your credentials, through `credsvc proxy`",
    "credsvc sandbox create dev --provider github-token",
    "Allow programs in containers and on other machines to use your credentials"
  ),
  Command.withSubcommands([
    Command.make("create", {
      name: name.pipe(Argument.withDescription("Sandbox name: 1 to 32 lower-case letters, digits, '_' or '-'")),
      providers: Flag.String("provider").pipe(
        Flag.atLeast(1),
        Flag.withMetavar("<name>"),
        Flag.withDescription("A provider whose credentials the sandbox can use; repeatable, at least one")
      ),
      connections: Param.assignments,
      unmatched: Param.unmatched,
      ...Param.ruleFlags,
      strict: Param.strict,
      expires: Param.duration("expires").pipe(
        Flag.withDefault(8 * 3_600_000),
        Flag.withDescription("Lifetime of the sandbox, from 1m to 30d (default: 8h)")
      )
    }, lazy(() => load().then((m) => m.create))).pipe(
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
        output.data(output.table(
          ["SANDBOX", "STATUS", "PROVIDERS", "OTHER HOSTS", "EXPIRES"],
          sandboxes.map(({ connections, expires_at, frozen_at, name, providers, status, unmatched }) => [
            name,
            frozen_at === null
              ? { text: status, style: status === "active" ? "green" : "yellow" }
              : { text: "frozen", style: "red" },
            chosen(providers, connections),
            unmatched,
            output.time(expires_at)
          ])
        ))
    }),
    Command.make("env", {
      name: existing,
      format: Param.optional(
        Flag.Literals("format", ["shell", "docker", "compose", "devcontainer", "srt", "github-actions"]),
        "shell: export lines for eval (default); docker: for --env-file; compose: for env_file; devcontainer and srt: " +
          "JSON settings; github-actions: for $GITHUB_ENV"
      ),
      address: Flag.String("address").pipe(
        Flag.filter(isAddress, () => "<host>:<port>, with a port from 1 to 65535"),
        Flag.optional,
        Flag.withMetavar("<host:port>"),
        Flag.withDescription("Address of the proxy for the programs (default: 127.0.0.1:7999; proxy:7999 for compose)")
      ),
      directory: Param.optional(
        Param.path("directory", "<path>"),
        "Path at which the programs see a copy of the directory `mount` of the sandbox (default: /credsvc)"
      )
    }, lazy(() => import("../commands/sandbox/SandboxEnv.ts").then((m) => m.env))).pipe(
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
    Command.make("rotate", { name: existing }, lazy(() => load().then((m) => m.rotate))).pipe(
      calls(["sandboxes.rotate"]),
      printsDocument("the sandbox, and the directory of its files"),
      described("Replace the token of a sandbox; the previous token is refused at once", "credsvc sandbox rotate dev")
    ),
    Command.make("delete", { name: existing, yes: Param.yes }, lazy(() => load().then((m) => m.remove))).pipe(
      calls(["sandboxes.remove"]),
      prints("sandboxes.remove"),
      described("Delete a sandbox and its files; its programs lose access at once", "credsvc sandbox delete dev")
    )
  ])
)

export const proxy = Command.make("proxy", {
  sandbox: Param.optional(
    Flag.String("sandbox").pipe(Flag.withSchema(SandboxName)),
    "Serve only this sandbox. Programs of your user then need no token, except with --listen",
    "<name>"
  ),
  socket: Param.optional(
    Param.path("socket", "<path>"),
    "Listen on a Unix socket that only you can open (default with --sandbox: in the sandbox's files)"
  ),
  port: Param.optional(
    Param.whole("port", 0, 65_535),
    "Listen on this port of 127.0.0.1; 0 picks a free port (default without --sandbox: 7999)",
    "<port>"
  ),
  listen: Param.optional(
    "listen",
    "Listen on another address of this machine, such as the address of a bridge to containers",
    "<address:port>"
  ),
  tlsCert: Param.optional(
    Param.path("tls-cert"),
    "With --listen: certificate in PEM; clients then use an https:// address of the proxy"
  ),
  tlsKey: Param.optional(Param.path("tls-key"), "With --listen: private key of the certificate in PEM"),
  allowPublic: Param.toggle("allow-public", "With --listen and TLS: allow an address that other networks may reach")
}, lazy(() => import("../commands/sandbox/Proxy.ts").then((m) => m.proxy))).pipe(
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

export const ssh = Command.make("ssh", {
  providers: Param.repeatable("provider", "Inject credentials for this provider only; repeatable", "<name>"),
  connections: Param.assignments,
  unmatched: Param.unmatched,
  options: Flag.String("option").pipe(
    Flag.withAlias("o"),
    Flag.atLeast(0),
    Flag.withMetavar("<name=value>"),
    Flag.withDescription("An option for ssh, as in ssh_config(5), such as Port=2222; repeatable")
  ),
  tty: Param.toggle("tty", "Give the command a terminal; an interactive shell always gets one"),
  host: Param.argument("host", "The other machine, as for ssh: a name or user@name"),
  command: Param.argument(
    "command",
    "The command, which the shell of the other machine executes (default: an interactive shell)"
  ).pipe(Argument.variadic())
}, lazy(() => import("../commands/sandbox/Ssh.ts").then((m) => m.ssh))).pipe(
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
