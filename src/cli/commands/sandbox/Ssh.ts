/** Runs a command on another machine over SSH. The requests of the command pass through a proxy on this machine. */
import * as Effect from "effect/Effect"
import { ConfigFile } from "../../../config/file/ConfigFile.ts"
import { InvalidRequestError } from "../../../domain/Errors.ts"
import { isTerminal } from "../../../platform/process/Terminal.ts"
import { prepareHeap } from "../../../platform/process/V8Flags.ts"
import { ForwardProxy } from "../../../proxy/ForwardProxy.ts"
import * as RunDirectory from "../../../run/RunDirectory.ts"
import { sshSession } from "../../../run/SshSession.ts"
import { provideDaemon } from "../../daemon/DaemonAccess.ts"
import { layerTelemetry } from "../../home/Telemetry.ts"
import { register } from "../../run/Registration.ts"
import { parseConnections } from "../../run/RunOptions.ts"
import { exitLike, noRoutes, proxyOf } from "../../run/RunProxy.ts"
import type { SshInput } from "../../tree/CommandInputs.ts"
import { providerName } from "../provider/ProviderArgument.ts"

const runSsh = Effect.fnUntraced(
  function*(input: SshInput) {
    if (process.platform === "win32") {
      return yield* InvalidRequestError.at("ssh", "is not supported on Windows; use it in WSL")
    }
    prepareHeap()
    const providers = yield* Effect.forEach(input.providers, providerName)
    const chosen = yield* parseConnections(input.connections)
    const connections = Object.fromEntries(chosen)
    const registered = yield* register({ providers, connections, unmatched: input.unmatched, contained: false })
    const runDirectory = yield* RunDirectory.make
    const proxy = yield* proxyOf(registered, { remoteClients: true })
    const ended = yield* Effect.flatMap(ForwardProxy, (proxy) =>
      sshSession({
        host: input.host,
        command: input.command.join(" "),
        options: input.options,
        terminal: input.tty || (input.command.length === 0 && isTerminal(0)),
        runDirectory,
        proxy
      })).pipe(
        Effect.scoped,
        Effect.provide(proxy),
        Effect.provide(layerTelemetry("ssh")),
        Effect.catchTag("CredentialRefusedError", noRoutes)
      )
    yield* exitLike(ended)
  },
  Effect.scoped,
  Effect.provide(ConfigFile.layerNoDeps)
)

export const ssh = (input: SshInput) => runSsh(input).pipe(provideDaemon())
