/**
 * A command on another machine, started by ssh, whose clients reach a proxy of this machine through a port that ssh forwards.
 *
 * A first ssh connection forwards the port and runs a script on the other machine, whose shell reads the script from stdin. The
 * script writes the files of the session into a new directory, waits for the end of its input, and removes the directory. Nothing
 * secret is an argument of a process. The command runs in a second session on the same connection. However this process ends, the
 * command ends and the directory is removed.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { runMark } from "../config/RunMark.ts"
import { withoutOwnSecrets } from "../config/Settings.ts"
import { builtins } from "../platform/builtins.ts"
import { shellQuoted } from "../platform/ShellQuote.ts"
import type { ForwardProxy } from "../proxy/ForwardProxy.ts"
import * as ProxyEnvironment from "./ProxyEnvironment.ts"
import { type Ended, runChild } from "./RunChild.ts"

export interface SshSessionInput {
  readonly host: string
  /** The command line for the shell of the other machine. Empty for an interactive shell. */
  readonly command: string
  /** Options of ssh_config(5), as `Name=value`. */
  readonly options: ReadonlyArray<string>
  readonly terminal: boolean
  readonly runDirectory: string
  readonly proxy: ForwardProxy["Service"]
}

/** How long the other machine may take to remove the files. */
const END_MILLISECONDS = 5000

/** Chooses a port above those that systems assign to outgoing connections. */
const randomPort = (): number => 61_001 + builtins.crypto.randomInt(4000)

/**
 * Whether the command has ended by itself. ssh exits with 255 if the connection is lost. With a code greater than 128, a signal
 * to this process may have ended ssh alone, after which a command without a terminal continues.
 */
const isComplete = (ended: Ended): boolean => ended.exitCode <= 128

/** Ends the processes of the command if this process, its ssh or the connection ends before the command. */
const END_SESSION = `end_session() {
  [ -z "\${ended:-}" ] && [ -s "$directory/pid" ] || return
  kill -s HUP -- "-$(cat "$directory/pid")" 2>/dev/null && sleep 1 && kill -s KILL -- "-$(cat "$directory/pid")" 2>/dev/null
}`

/**
 * Creates the directory in the home directory, because in `/tmp` other users could create it again after the session, while programs
 * still use it. Uses `/tmp` if the path of the home directory has characters that settings cannot contain.
 */
const makeDirectory = (name: string): string =>
  `directory=$HOME/.${name}
case $directory in *[!A-Za-z0-9/._@%+,=-]*) false ;; esac && mkdir "$directory" 2>/dev/null || directory=/tmp/${name}
[ -O "$directory" ] || mkdir "$directory" || exit 1`

const ENTER = `echo $$ >"$(dirname "$0")/pid"
. "$(dirname "$0")/env"
if [ -s "$CREDSVC_SSH_DIRECTORY/command" ]; then exec "\${SHELL:-/bin/sh}" -c "$(cat "$CREDSVC_SSH_DIRECTORY/command")"; fi
exec "\${SHELL:-/bin/sh}" -l
`

/** Both ssh and the programs that its configuration names get the user's environment, but no secret of credsvc. */
const environment = (): Record<string, string> => withoutOwnSecrets(process.env)

/** Writes the files locally, and creates the script that writes them on the other machine. */
const prepare = ({ command, proxy, runDirectory }: SshSessionInput) => {
  const id = builtins.crypto.randomBytes(12).toString("hex")
  const name = `credsvc-ssh-${id}`
  /** Stands for the directory on the other machine, which that machine chooses. */
  const directory = `/${name}`
  const port = randomPort()
  const local = path.join(runDirectory, "remote")
  fs.mkdirSync(local, { mode: 0o700 })
  const url = new URL(proxy.proxyUrl)
  url.port = String(port)
  const { patterns, ports } = proxy.routed()
  const { variables } = ProxyEnvironment.make({
    parent: {},
    proxyUrl: url.origin.replace("//", `//${url.username}:${url.password}@`),
    port,
    java: false,
    caPem: proxy.caPem,
    runDirectory: local,
    mountedAt: directory,
    gitProxyKeys: [],
    placeholders: proxy.placeholders,
    patterns,
    ports,
    extraCaCerts: proxy.extraCaCerts()
  })
  const exported = { ...variables, CREDSVC_SSH_DIRECTORY: directory }
  delete (exported as Record<string, string>)[runMark]
  const files = [
    ...fs.readdirSync(local, { recursive: true, encoding: "utf8" })
      .filter((name) => fs.statSync(path.join(local, name)).isFile())
      .map((name) => [name, fs.readFileSync(path.join(local, name), "utf8")] as const),
    [
      "env",
      Object.entries(exported).map(([name, value]) => `export ${name}=${shellQuoted(value)}\n`).join("")
    ] as const,
    ["enter", ENTER] as const,
    ["command", command] as const
  ]
  const directories = [...new Set(files.map(([name]) => path.dirname(name)))].filter((name) => name !== ".")
  const end = `CREDSVC_${id}`
  /** The line that the script prints when the files exist. */
  const ready = `credsvc-ready-${id}`
  const script = [
    "umask 077",
    makeDirectory(name),
    "trap 'end_session; rm -rf \"$directory\"' EXIT",
    "trap 'exit 129' HUP INT TERM",
    END_SESSION,
    ...directories.map((name) => `mkdir -p "$directory/${name}"`),
    ...files.map(([name, text]) =>
      `sed "s|${directory}|$directory|g" >"$directory/${name}" <<'${end}'\n${text.replace(/\n$/, "")}\n${end}`
    ),
    `echo ${ready}`,
    "read -r ended",
    ""
  ].join("\n")
  // Starts the session's command on the other machine. Some login shells have no `for` or `$(…)`.
  const enter =
    `exec sh -c 'for file in "$HOME/.${name}/enter" /tmp/${name}/enter; do [ ! -e "$file" ] || exec sh "$file"; done'`
  return { enter, port, ready, script }
}

const optionsOf = (settings: ReadonlyArray<string>): ReadonlyArray<string> =>
  settings.flatMap((setting) => ["-o", setting])

/** Runs the command, and returns how it ended. */
export const sshSession = Effect.fnUntraced(function*(input: SshSessionInput) {
  const { host, options, proxy, runDirectory, terminal } = input
  const { enter, port, ready, script } = prepare(input)
  const control = `ControlPath=${path.join(runDirectory, "ssh")}`
  const shared = [control, "RemoteCommand=none", ...options]
  let hasEnded = false
  const connection = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const forward = `127.0.0.1:${port}:127.0.0.1:${proxy.port}`
      const settings = ["ControlMaster=yes", "ControlPersist=no", "ExitOnForwardFailure=yes", ...shared]
      const args = [...optionsOf(settings), "-T", "-R", forward, "--", host, "exec sh"]
      return builtins.childProcess.spawn("ssh", args, { env: environment(), stdio: ["pipe", "pipe", "inherit"] })
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resume(Effect.void)
        const timer = setTimeout(() => child.kill("SIGTERM"), END_MILLISECONDS)
        child.once("exit", () => {
          clearTimeout(timer)
          resume(Effect.void)
        })
        child.stdin.end(hasEnded ? "ended\n" : "")
      })
  )
  const failed = yield* Effect.callback<Ended | undefined>((resume) => {
    let output = ""
    const fail = (problem: string, exitCode: number) => resume(Effect.succeed({ problem, exitCode }))
    connection.on(
      "error",
      (cause: NodeJS.ErrnoException) => fail(`ssh cannot be started (${cause.code}); install OpenSSH`, 127)
    )
    connection.once(
      "exit",
      (code) =>
        fail(`ssh could not connect to ${host} and forward a port; see its message above`, code === 0 ? 1 : code ?? 255)
    )
    connection.stdin.on("error", () => {})
    connection.stdout.setEncoding("latin1").on("data", (text: string) => {
      output = (output + text).slice(-4096)
      if (output.includes(ready)) resume(Effect.succeed(undefined))
    })
    connection.stdin.write(script)
  })
  if (failed !== undefined) return failed
  const args = [...optionsOf(["ControlMaster=no", ...shared]), terminal ? "-t" : "-T", "--", host, enter]
  const ended = yield* runChild("ssh", args, environment())
  hasEnded = isComplete(ended)
  return ended
})
