/** The commands `sandbox …`, `proxy` and `ssh`. */
import { createParams, envParams, proxyParams, sshParams } from "./CommandInputs.ts"
import { chosen, command, group, lazy } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

const load = () => import("../commands/sandbox/Sandbox.ts")

export const sandbox = group("sandbox", {
  description:
    "Allow programs in containers and on other machines to use some of your credentials, through `credsvc proxy`",
  summary: "Allow programs in containers and on other machines to use your credentials",
  examples: "credsvc sandbox create dev --provider github-token"
}, [
  command("create", {
    params: createParams,
    handler: lazy(() => load().then((m) => m.createSandbox)),
    calls: ["sandboxes.create", "proxy.routes"],
    document: "the sandbox, and the directory of its files",
    description: "Create a sandbox with a token and a certificate authority, which expire with the sandbox",
    examples: `
  credsvc sandbox create dev --provider github-token --provider openai
  credsvc sandbox create ci --provider openai --unmatched deny --expires 1h
  credsvc sandbox create triage --provider github-token --allow 'GET api.github.com/repos/acme/**'`
  }),
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
  command("env", {
    params: envParams,
    handler: lazy(() => import("../commands/sandbox/SandboxEnv.ts").then((m) => m.env)),
    calls: ["sandboxes.access", "proxy.routes"],
    document: "the token, the files and the variables of the sandbox",
    description: "Print the variables for programs in a sandbox, including its token; recorded in the audit log",
    summary: "Print the variables for programs in a sandbox",
    examples: `
  eval "$(credsvc sandbox env dev)"
  docker run --env-file <(credsvc sandbox env dev --format docker) …`
  }),
  command("rotate", {
    params: { name: Param.sandboxArgument },
    handler: lazy(() => load().then((m) => m.rotateSandbox)),
    calls: ["sandboxes.rotate"],
    document: "the sandbox, and the directory of its files",
    description: "Replace the token of a sandbox; the previous token is refused immediately",
    examples: "credsvc sandbox rotate dev"
  }),
  command("delete", {
    params: { name: Param.sandboxArgument, yes: Param.yes },
    handler: lazy(() => load().then((m) => m.removeSandbox)),
    calls: ["sandboxes.remove"],
    prints: "sandboxes.remove",
    description: "Delete a sandbox and its files; its programs lose access immediately",
    examples: "credsvc sandbox delete dev"
  })
])

export const proxy = command("proxy", {
  params: proxyParams,
  handler: lazy(() => import("../commands/sandbox/Proxy.ts").then((m) => m.proxy)),
  calls: ["sandboxes.list", "sandboxes.served"],
  description:
    "Serve sandboxes in the foreground: a proxy that adds your credentials to the requests of their programs. Clients " +
    "use http://NAME:TOKEN@host:port, as printed by `credsvc sandbox env`",
  summary: "Serve sandboxes: a proxy that adds your credentials to requests",
  examples: `
  credsvc proxy  # All sandboxes, on 127.0.0.1:7999
  credsvc proxy --sandbox dev  # One sandbox, on a Unix socket to mount into a container
  credsvc proxy --listen 172.17.0.1:7999  # For containers on Docker's default bridge`
})

export const ssh = command("ssh", {
  params: sshParams,
  handler: lazy(() => import("../commands/sandbox/Ssh.ts").then((m) => m.ssh)),
  startsProgram: true,
  calls: ["runs.register", "proxy.routes", "connections.get", "connections.list"],
  fails: ["127", "128+n", "…"],
  description:
    "Run a command on another machine over ssh. The command's requests pass through a proxy on this machine, which adds your " +
    "credentials. Nothing is installed on the other machine, and the proxy ends with the command",
  summary: "Run a command on another machine with your credentials added to its requests",
  examples: `
  credsvc ssh devbox  # An interactive shell
  credsvc ssh --provider github-token devbox -- git -C project pull`
})
