/** Serves sandboxes until the command is stopped. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { DaemonClient } from "../../../client/DaemonClient.ts"
import { ConfigFile } from "../../../config/file/ConfigFile.ts"
import { Paths } from "../../../config/Paths.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../../../domain/Errors.ts"
import type { SandboxName } from "../../../domain/wire/Sandbox.ts"
import { builtins } from "../../../platform/builtins.ts"
import { errorCode } from "../../../platform/ErrorCode.ts"
import { disableCoreFiles } from "../../../platform/process/CoreFiles.ts"
import { prepareHeap } from "../../../platform/process/V8Flags.ts"
import { isLoopbackLiteral } from "../../../platform/sockets/IpAddress.ts"
import { SandboxProxy } from "../../../proxy/sandbox/SandboxProxy.ts"
import { isReachable, type SandboxSocket } from "../../../proxy/sandbox/SandboxSockets.ts"
import { SandboxSource } from "../../../proxy/sandbox/SandboxSource.ts"
import { parentProxy } from "../../../run/NoProxy.ts"
import { directoryOf, SANDBOX_PORT, sweepDirectories } from "../../../run/SandboxFiles.ts"
import { call } from "../../api/OperationCall.ts"
import { pollingClientLayer, provideDaemon } from "../../daemon/DaemonAccess.ts"
import { ClientLog } from "../../home/ClientLog.ts"
import { layerTelemetry } from "../../home/Telemetry.ts"
import { Output } from "../../output/Output.ts"
import { readText } from "../../parse/InputText.ts"
import { logEvent, warnMisplaced } from "../../run/RunProxy.ts"
import type { ProxyInput } from "../../tree/CommandInputs.ts"

/** Parses `172.17.0.1:7999` or `[fd00::1]:7999`. Returns undefined for other text. */
const readAddress = (text: string): { readonly host: string; readonly port: number } | undefined => {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain ?? ""
  const port = Number(digits)
  return builtins.net.isIP(host) === 0 || port > 65_535 ? undefined : { host, port }
}

const readTls = Effect.fnUntraced(function*({ tlsCert, tlsKey }: ProxyInput) {
  if (Option.isNone(tlsCert) && Option.isNone(tlsKey)) return undefined
  if (Option.isNone(tlsCert)) return yield* InvalidRequestError.at("--tls-cert", "is required with --tls-key")
  if (Option.isNone(tlsKey)) return yield* InvalidRequestError.at("--tls-key", "is required with --tls-cert")
  return {
    cert: yield* readText({ file: tlsCert.value, flag: "--tls-cert" }),
    key: yield* readText({ file: tlsKey.value, flag: "--tls-key" })
  }
})

const listenSocket = Effect.fnUntraced(function*(input: ProxyInput, text: string) {
  const address = readAddress(text)
  if (address === undefined) {
    return yield* InvalidRequestError.at("--listen", `invalid value "${text}": expected <IP address>:<port>`)
  }
  const tls = yield* readTls(input)
  if (isReachable(address.host) && (tls === undefined || !input.allowPublic)) {
    return yield* InvalidRequestError.at(
      "--listen",
      `other machines may reach ${address.host}: use a private address, or add --allow-public, --tls-cert and --tls-key`
    )
  }
  return { _tag: "tcp" as const, ...address, tls, tokenRequired: !isLoopbackLiteral(address.host) }
})

const socketsOf = Effect.fnUntraced(function*(input: ProxyInput, sandboxes: string) {
  const sockets: Array<SandboxSocket> = []
  if (Option.isSome(input.socket)) {
    const named = input.socket.value
    const socket = path.resolve(named)
    yield* Effect.try({
      try: () => fs.accessSync(`${path.dirname(socket)}/.`, fs.constants.W_OK | fs.constants.X_OK),
      catch: (cause) => InvalidRequestError.at("--socket", `cannot create ${named} (${errorCode(cause)})`)
    })
    sockets.push({ _tag: "unix", path: socket })
  }
  if (Option.isSome(input.port)) {
    sockets.push({ _tag: "tcp", host: "127.0.0.1", port: input.port.value, tokenRequired: false })
  }
  if (Option.isSome(input.listen)) sockets.push(yield* listenSocket(input, input.listen.value))
  else if (Option.isSome(input.tlsCert) || Option.isSome(input.tlsKey) || input.allowPublic) {
    const option = input.allowPublic ? "--allow-public" : Option.isSome(input.tlsCert) ? "--tls-cert" : "--tls-key"
    return yield* InvalidRequestError.at(option, "requires --listen")
  }
  if (sockets.length > 0) return sockets
  const standard: SandboxSocket = Option.isSome(input.sandbox)
    ? { _tag: "unix", path: directoryOf(sandboxes, input.sandbox.value).socket }
    : { _tag: "tcp", host: "127.0.0.1", port: SANDBOX_PORT, tokenRequired: false }
  return [standard]
})

const serve = Effect.fnUntraced(
  function*(input: ProxyInput) {
    disableCoreFiles()
    prepareHeap()
    const client = yield* DaemonClient
    const output = yield* Output
    const logged = logEvent(yield* ClientLog)
    const { sandboxes } = yield* Paths
    sweepDirectories(sandboxes, Date.now())
    if (Option.isSome(input.sandbox)) {
      yield* requireSandbox(input.sandbox.value)
      const { mount } = directoryOf(sandboxes, input.sandbox.value)
      fs.mkdirSync(mount, { recursive: true, mode: 0o700 })
    }
    const passive = Context.get(yield* Layer.build(pollingClientLayer), DaemonClient)
    const context = yield* Layer.build(
      SandboxProxy.layer({
        sockets: yield* socketsOf(input, sandboxes),
        only: Option.getOrUndefined(input.sandbox),
        daemonUrl: (yield* client.address).url,
        parentProxy: yield* parentProxy(process.env),
        onMisplaced: ({ name, strict }, found) => {
          const log = "credsvc log requests"
          warnMisplaced(output, strict ? `${log}. The sandbox gets no more credentials` : log, name)(found)
        },
        onEvent: (sandbox, event) => logged(event, sandbox)
      }).pipe(Layer.provide([SandboxSource.layer(passive), layerTelemetry("proxy")]))
    ).pipe(Effect.catchTag("ListenError", ({ message }) => Effect.fail(OperationNotAllowedError.of(`${message}.`))))
    const { addresses, initialCount } = Context.get(context, SandboxProxy)
    yield* output.either(() => ({ status: "listening", addresses, pid: process.pid }), () => addresses.join("\n"))
    if (initialCount === 0) {
      yield* output.note("No sandboxes yet. Create one with: credsvc sandbox create <name> --provider <name>")
    }
    return yield* Effect.never
  },
  Effect.scoped,
  Effect.provide(ConfigFile.layerNoDeps)
)

/** Fails before the proxy listens if the sandbox does not exist, and says how to create it. */
const requireSandbox = Effect.fnUntraced(function*(name: SandboxName) {
  const { sandboxes } = yield* call("sandboxes.list")
  const found = sandboxes.find((sandbox) => sandbox.name === name)
  if (found?.status === "active") return
  return yield* OperationNotAllowedError.of(
    `${found === undefined ? "Unknown" : "Expired"} sandbox "${name}". ` +
      `Create it with: credsvc sandbox create ${name} --provider <name>`
  )
})

export const proxy = (input: ProxyInput) => serve(input).pipe(provideDaemon())
