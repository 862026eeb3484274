/**
 * The namespaces of one contained run: starts them, receives their listening sockets, and starts the command in them.
 *
 * The sockets are opened inside and used here. So the proxy of the run is the only way out of the network namespace, and no
 * address of this machine leads to the proxy.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as ChildProcess from "node:child_process"
import type * as Dgram from "node:dgram"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as path from "node:path"
import { builtins } from "../platform/builtins.ts"
import { requireAsset } from "../platform/files/PackageFiles.ts"
import { textOf } from "../platform/files/ReadOrEmpty.ts"
import { withUserCoreFilter } from "../platform/process/CoreFiles.ts"
import { nodeArguments } from "../platform/process/OwnProgram.ts"
import { withUserUmask } from "../platform/process/UserUmask.ts"
import { joinSockets } from "../platform/sockets/Transport.ts"
import { inNamespaces, withoutCapabilities } from "./BwrapCommand.ts"
import {
  ContainError,
  type ContainPlan,
  EMPTY_FILE,
  hiddenWords,
  HOSTS_FILE,
  planOptions,
  RESOLVER_FILE,
  sourceOf
} from "./ContainPlan.ts"
import { type ContainTools, tryNamespaces } from "./ContainSupport.ts"
import { hiddenLists } from "./HiddenPaths.ts"
import type { FromInside, InsideSettings, InsideSocket, ToInside } from "./InsideMessages.ts"
import { createMountPoints, removeMountPoints } from "./MountPoints.ts"
import { replyTo } from "./NameServer.ts"
import { systemCallFilter } from "./SystemCallFilter.ts"

/** The address that every name except `localhost` resolves to. Programs may use all other addresses of 127.0.0.0/8 themselves. */
const ADDRESS = "127.7.9.98"

/** The ports on which programs that use no proxy reach hosts. */
const DIRECT_PORTS = [80, 443]

/** The descriptor of the system call filter, after the standard streams and the channel to the program inside. */
const FILTER_DESCRIPTOR = 4

export interface ContainmentOptions {
  readonly tools: ContainTools
  readonly runDirectory: string
  /** Ports of this machine that the command may use. */
  readonly allowedPorts: ReadonlyArray<number>
}

/** A listening socket for programs that use no proxy. */
export interface DirectSocket {
  readonly port: number
  readonly server: Net.Server
}

/** Reports about a command. Exactly one of the first two functions is called, once. */
export interface CommandEvents {
  /** Called when the command could not be started. `code` is the error code of the operating system. */
  readonly failed: (code: string) => void
  readonly exited: (code: number | null, signal: NodeJS.Signals | null) => void
  /** Called when the command may have stopped or continued. Needed only if the command is not a child process of this one. */
  readonly changed: () => void
}

/** A command that has been started, or is being started. */
export interface Command {
  /** The process ID of the command on this machine, once it has started. */
  readonly pid?: number | undefined
  readonly kill: (signal: NodeJS.Signals) => void
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  textOf(`/proc/${pid}/task/${pid}/children`).trim().split(" ").filter(Boolean).map(Number)

/** The process that has the ID `inner` in its process namespace, among the descendants of `root`; undefined if there is none. */
const descendant = (root: number, inner: number): number | undefined => {
  const waiting = [root]
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const ids = /^NSpid:\s*(.*)$/m.exec(textOf(`/proc/${pid}/status`))?.[1]?.split(/\s+/) ?? []
    if (ids.length > 1 && Number(ids.at(-1)) === inner) return pid
    waiting.push(...childrenOf(pid))
  }
  return undefined
}

const sendSignal = (pid: number | undefined, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(pid, signal)
  } catch {
    // The command has just ended.
  }
}

type Handle = Net.Server | Dgram.Socket

/** Answers the DNS queries that arrive at a socket. */
const resolveNames = (socket: Dgram.Socket): void => {
  socket.on("error", () => {})
  socket.on("message", (query, from) => {
    const reply = replyTo(query, ADDRESS)
    if (reply !== undefined) socket.send(reply, from.port, from.address)
  })
}

const writeFiles = (runDirectory: string, architecture: ContainTools["architecture"]) => {
  const write = (name: string, content: string | Uint8Array): string => {
    const file = path.join(runDirectory, name)
    fs.writeFileSync(file, content, { mode: 0o600 })
    return file
  }
  write(EMPTY_FILE, "")
  write(RESOLVER_FILE, `nameserver ${ADDRESS}\noptions timeout:1 attempts:2\n`)
  write(HOSTS_FILE, `127.0.0.1 localhost ${builtins.os.hostname()}\n::1 localhost\n`)
  const inside = write("inside.cjs", requireAsset("inside.cjs", import.meta.url))
  return { inside, filter: write("filter.bpf", systemCallFilter(architecture)) }
}

interface StartedCommand {
  pid: number | undefined
  /** The signals to send when the process ID is known. */
  readonly waiting: Array<NodeJS.Signals>
  /** Undefined after the end of the command. */
  events: CommandEvents | undefined
}

/** The namespaces of one contained run. */
export class Containment {
  readonly #process: ChildProcess.ChildProcess
  readonly #plan: ContainPlan
  readonly #sockets = new Set<Handle>()
  readonly #connections = new Set<Net.Socket>()
  #proxy: Net.Server | undefined
  #direct: Array<DirectSocket> = []
  readonly #unavailable = new Set<string>()
  /** Called when the requested ports are open. */
  #listening: (() => void) | undefined
  #command: StartedCommand | undefined
  /** Called when the namespaces have ended, unless the command has ended before. */
  #lost: (() => void) | undefined
  #isLost = false

  private constructor(plan: ContainPlan, options: ContainmentOptions) {
    this.#plan = plan
    const { runDirectory, tools } = options
    const files = writeFiles(runDirectory, tools.architecture)
    const settings: InsideSettings = {
      address: ADDRESS,
      ports: DIRECT_PORTS,
      allowedPorts: options.allowedPorts,
      withoutCapabilities: withoutCapabilities(tools)
    }
    const filter = fs.openSync(files.filter, "r")
    try {
      // Signals of the terminal are for the command. bwrap must survive them to report the end of the command.
      const script = "trap '' HUP INT QUIT TERM USR1 USR2; exec \"$0\" \"$@\""
      this.#process = withUserCoreFilter(() =>
        withUserUmask(() =>
          builtins.childProcess.spawn("/bin/sh", [
            "-c",
            script,
            ...inNamespaces(tools, planOptions(plan, FILTER_DESCRIPTOR), [
              process.execPath,
              ...nodeArguments([], [files.inside, JSON.stringify(settings)])
            ])
          ], {
            // Without the user's environment, which would be readable in /proc/1/environ.
            env: { PATH: "/usr/bin:/bin" },
            stdio: ["inherit", "inherit", "inherit", "ipc", filter]
          })
        )
      )
    } finally {
      fs.closeSync(filter)
    }
    this.#process.on(
      "message",
      (message, handle) => this.#received(message as FromInside, handle as Handle | undefined)
    )
    this.#process.on("error", () => this.#end())
    this.#process.on("exit", () => {
      // The last messages may not have been read yet.
      if (this.#process.connected) this.#process.once("disconnect", () => setImmediate(() => this.#end()))
      else setImmediate(() => this.#end())
    })
  }

  /** Starts the namespaces. They end with the scope, and so does everything in them. */
  static readonly start = (
    plan: ContainPlan,
    options: ContainmentOptions
  ): Effect.Effect<Containment, ContainError, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          createMountPoints(plan.mountPoints, options.runDirectory)
          return new Containment(plan, options)
        },
        catch: ContainError.of
      }),
      (containment) => containment.#close
    ).pipe(
      Effect.flatMap((containment) => containment.#ready(options.tools)),
      // A new plan must not take these mount points for directories of the user. After a successful start, they are removed
      // with the run directory.
      Effect.tapError(() => Effect.sync(() => removeMountPoints(options.runDirectory)))
    )

  #ready(tools: ContainTools): Effect.Effect<Containment, ContainError> {
    return Effect.callback((resume) => {
      this.#listening = () => resume(Effect.succeed(this))
      this.#lost = () =>
        resume(Effect.fail(
          tryNamespaces(tools).problem ?? new ContainError({
            option: "--contain",
            message: "bwrap could not prepare the files of the run; see its message above",
            isTransient: true
          })
        ))
      if (this.#isLost) this.#lost()
    })
  }

  get #close(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      for (const socket of this.#sockets) socket.close()
      for (const connection of this.#connections) connection.destroy()
      const closed = () => resume(Effect.void)
      const { exitCode, pid, signalCode } = this.#process
      if (pid === undefined || exitCode !== null || signalCode !== null) return closed()
      this.#process.once("exit", closed)
      this.#process.kill("SIGKILL")
    })
  }

  /** The socket for clients that use the proxy. */
  get proxy(): Net.Server {
    return this.#proxy!
  }

  /** The sockets for programs that use no proxy. */
  get direct(): ReadonlyArray<DirectSocket> {
    return this.#direct
  }

  /** Messages to the user about differences between the run and a run without containment. */
  noticesFor(command: ReadonlyArray<string>): ReadonlyArray<string> {
    return [...this.#unavailable, ...hiddenWords(this.#plan, command)]
  }

  /** The path on this machine of the file that the command sees at a path, or undefined if it is hidden. */
  sourceOf(file: string): string | undefined {
    return sourceOf(this.#plan, file)
  }

  /** Opens further ports for programs that use no proxy. */
  listen(ports: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<DirectSocket>> {
    const more = ports.filter((port) => !this.#direct.some((socket) => socket.port === port))
    if (more.length === 0) return Effect.succeed(this.#direct)
    return Effect.callback((resume) => {
      this.#listening = () => resume(Effect.succeed(this.#direct))
      this.#lost = this.#listening
      this.#send({ type: "listen", ports: more })
    })
  }

  launch(
    command: string,
    args: ReadonlyArray<string>,
    variables: Readonly<Record<string, string>>,
    events: CommandEvents
  ): Command {
    const started: StartedCommand = { pid: undefined, waiting: [], events }
    this.#command = started
    this.#lost = () => events.exited(null, "SIGKILL")
    if (this.#isLost) this.#lost()
    else this.#send({ type: "start", command, args, env: containedEnvironment(variables) })
    return {
      get pid() {
        return started.pid
      },
      kill: (signal) => {
        if (started.pid === undefined) started.waiting.push(signal)
        else if (started.events !== undefined) sendSignal(started.pid, signal)
      }
    }
  }

  #send(message: ToInside): void {
    // A failure means that the namespaces have ended, which is reported separately.
    this.#process.send(message, () => {})
  }

  #received(message: FromInside, handle: Handle | undefined): void {
    const command = this.#command
    switch (message.type) {
      case "socket":
        // Sockets are opened before the command starts, so this one would come from the command.
        return command === undefined && handle !== undefined ? this.#take(message, handle) : void handle?.close()
      case "unavailable":
        this.#unavailable.add(
          message.use === "allowed"
            ? `port ${message.port} cannot be opened in this run`
            : `port ${message.port} cannot be opened in this run: programs that ignore the proxy variables cannot use this port`
        )
        return
      case "listening":
        return this.#proxy === undefined ? this.#end() : this.#listening?.()
      case "started":
        return command === undefined ? undefined : this.#started(command, message.pid)
      case "changed":
        return command?.events?.changed()
      default:
        return this.#ended(message)
    }
  }

  #started(command: StartedCommand, inner: number): void {
    command.pid = descendant(this.#process.pid ?? 0, inner)
    for (const name of command.waiting.splice(0)) sendSignal(command.pid, name)
    command.events?.changed()
  }

  #ended(message: Extract<FromInside, { type: "failed" | "exited" }>): void {
    const events = this.#command?.events
    if (this.#command !== undefined) this.#command.events = undefined
    this.#lost = undefined
    if (message.type === "failed") events?.failed(message.code)
    else events?.exited(message.code, message.signal)
  }

  #take({ port, use }: InsideSocket, handle: Handle): void {
    this.#sockets.add(handle)
    if (!(handle instanceof builtins.net.Server)) resolveNames(handle)
    else if (use === "proxy") this.#proxy = handle
    else if (use === "direct") this.#direct.push({ port, server: handle })
    else {
      const relaying = builtins.net.createServer(
        { allowHalfOpen: true, noDelay: true },
        (client) => this.#relay(client, port)
      )
      this.#sockets.add(relaying.listen(handle))
    }
  }

  /** Connects a client inside with an allowed port of this machine. */
  #relay(client: Net.Socket, port: number): void {
    const upstream = builtins.net.connect({ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true })
    for (const socket of [client, upstream]) {
      this.#connections.add(socket)
      socket.once("close", () => this.#connections.delete(socket))
    }
    joinSockets(client, upstream)
  }

  #end(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#lost?.()
  }
}

const TEMPORARY = new Set(["TMPDIR", "TMP", "TEMP"])

/**
 * The environment of the command, without variables that name sockets which the run does not have, or with which the command could
 * obtain credentials in the name of its CI job. Temporary files go to `/tmp`, of which the run has its own.
 */
export const containedEnvironment = (variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !hiddenLists().withheldVariables.includes(name))
      .map(([name, value]) => [name, TEMPORARY.has(name) ? "/tmp" : value])
  )
