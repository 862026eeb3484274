/** Writes the files of a sandbox, and prints the variables for its programs. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { ConfigFile } from "../../../config/file/ConfigFile.ts"
import { Paths } from "../../../config/Paths.ts"
import { unavailable } from "../../../domain/FailWith.ts"
import type { SandboxName } from "../../../domain/wire/Sandbox.ts"
import { shellQuoted } from "../../../platform/ShellQuote.ts"
import * as RouteTable from "../../../proxy/routing/RouteTable.ts"
import {
  directoryOf,
  MOUNTED_AT,
  prepareDirectory,
  SANDBOX_PORT,
  type SandboxVariables,
  withProxy,
  writeFiles
} from "../../../run/SandboxFiles.ts"
import { call, type ReceivedOf } from "../../api/OperationCall.ts"
import { provideDaemon } from "../../daemon/DaemonAccess.ts"
import { Output } from "../../output/Output.ts"
import { readTable } from "../../run/RoutesFromDaemon.ts"
import type { EnvInput } from "../../tree/CommandInputs.ts"

type Format = Option.Option.Value<EnvInput["format"]>

/**
 * Writes the files of a sandbox. Returns its variables with paths on this machine, and with paths in a container. `name` is the
 * argument of the command, which is validated; the response of the daemon, which may be on another machine, is not.
 */
export const writeSandbox = Effect.fnUntraced(
  function*(name: SandboxName, { certificate, sandbox, token }: ReceivedOf<"sandboxes.access">) {
    // Formats without quotes have the token in a line.
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(Redacted.value(token))) {
      return yield* unavailable(
        "The daemon sent a token of a form that this version does not understand. Check that it has the same version as this program."
      )
    }
    const { sandboxes } = yield* Paths
    const { upstream } = yield* (yield* ConfigFile).read
    const listed = yield* readTable
    const { connections, expires_at, providers } = sandbox
    const filter = { providers, connections }
    const table = RouteTable.make(listed.version, listed.routes, filter)
    yield* prepareDirectory(sandboxes, name, expires_at)
    const directory = directoryOf(sandboxes, name)
    const input = {
      name,
      certificate,
      placeholders: RouteTable.filtered(listed.placeholders, filter),
      patterns: table.patterns,
      ports: table.ports,
      extraCaCerts: upstream.extraCaCerts
    }
    return {
      directory,
      patterns: table.patterns,
      local: writeFiles(directory.local, directory.local, input),
      mount: writeFiles(directory.mount, MOUNTED_AT, input)
    }
  },
  Effect.provide(ConfigFile.layerNoDeps)
)

const lines = (variables: Readonly<Record<string, string>>, line: (name: string, value: string) => string): string =>
  Object.entries(variables).map(([name, value]) => `${line(name, value)}\n`).join("")

interface Parts extends Effect.Success<ReturnType<typeof writeSandbox>> {
  readonly name: string
  readonly home: string
  readonly token: string
  readonly address: string
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const render = (format: Format, { address, directory, home, local, mount, name, patterns, token }: Parts): string => {
  const url = `http://${name}:${token}@${address}`
  switch (format) {
    case "shell":
      return lines(withProxy(local, url), (variable, value) => `export ${variable}=${shellQuoted(value)}`)
    case "docker":
      return lines(
        { ...withProxy(mount, url), CREDSVC_SANDBOX_TOKEN: token },
        (variable, value) => `${variable}=${value}`
      )
    case "compose":
      return lines(
        withProxy(mount, url),
        (variable, value) => `${variable}="${value.replace(/["\\$]/g, (special) => `\\${special}`)}"`
      )
    case "github-actions":
      return lines(withProxy(local, url), (variable, value) => `${variable}=${value}`)
    // Users may share files of these two formats, so the files name the socket, which needs no token.
    case "devcontainer":
      return json({
        runArgs: ["--network=none"],
        mounts: [`source=${directory.mount},target=${MOUNTED_AT},type=bind,readonly`],
        containerEnv: withProxy(mount, `http://127.0.0.1:${SANDBOX_PORT}`),
        postStartCommand: `nohup sh ${MOUNTED_AT}/enter --forward >/dev/null 2>&1 &`
      })
    case "srt":
      return json({
        network: {
          allowedDomains: patterns,
          deniedDomains: [],
          mitmProxy: { socketPath: directory.socket, domains: patterns }
        },
        filesystem: {
          denyRead: [home, "~/.ssh"],
          allowRead: [directory.local],
          allowWrite: ["."],
          denyWrite: []
        }
      })
  }
}

/** The variables for programs that see the mounted files in another directory. */
const relocate = ({ fixed, proxy }: SandboxVariables, directory: string): SandboxVariables => ({
  proxy,
  fixed: Object.fromEntries(
    Object.entries(fixed).map(([name, value]) => [name, value.replaceAll(`${MOUNTED_AT}/`, `${directory}/`)])
  )
})

export const env = Effect.fnUntraced(function*(input: EnvInput) {
  const output = yield* Output
  const access = yield* call("sandboxes.access", { name: input.name })
  const written = yield* writeSandbox(input.name, access)
  const format = Option.getOrElse(input.format, () => "shell" as const)
  const standard = format === "compose" ? `proxy:${SANDBOX_PORT}` : `127.0.0.1:${SANDBOX_PORT}`
  const token = Redacted.value(access.token)
  const parts: Parts = {
    name: input.name,
    home: (yield* Paths).home,
    token,
    address: Option.getOrElse(input.address, () => standard),
    ...written,
    ...Option.match(input.directory, {
      onNone: () => ({}),
      onSome: (directory) => {
        const moved = relocate(written.mount, directory)
        return { local: moved, mount: moved }
      }
    })
  }
  if (output.json) {
    const variables = format === "docker" || format === "compose" || format === "devcontainer"
      ? parts.mount
      : parts.local
    return yield* output.document({
      sandbox: input.name,
      token,
      directory: written.directory.mount,
      socket: written.directory.socket,
      variables: withProxy(variables, `http://${input.name}:${token}@${parts.address}`)
    })
  }
  // A workflow command that, printed on stdout or stderr, makes the runner hide the token in the log.
  if (format === "github-actions") yield* output.draw(`::add-mask::${token}\n`)
  yield* output.raw(render(format, parts))
}, provideDaemon())
