/**
 * The program that runs in the namespaces of a contained run: it opens the listening sockets, hands them to the proxy outside, and
 * starts the command.
 *
 * Its text is written into the run directory, so its functions must not refer to anything outside of themselves. It runs on every
 * version of Node that credsvc supports, and holds no secret.
 */
import type * as ChildProcess from "node:child_process"
import type * as Dgram from "node:dgram"
import type * as Fs from "node:fs"
import type * as Net from "node:net"

export interface InsideSettings {
  /** The address that accepts the connections of programs that use no proxy. */
  readonly address: string
  /** The ports on that address. */
  readonly ports: ReadonlyArray<number>
  /** Ports on 127.0.0.1 that lead to the same ports of the machine. */
  readonly allowedPorts: ReadonlyArray<number>
  /** The program and arguments that start the command without capabilities. */
  readonly withoutCapabilities: ReadonlyArray<string>
}

/** A message from `run` to the program. */
export type ToInside =
  | { readonly type: "listen"; readonly ports: ReadonlyArray<number> }
  | {
    readonly type: "start"
    readonly command: string
    readonly args: ReadonlyArray<string>
    readonly env: Readonly<Record<string, string>>
  }

/** A message from the program to `run`. One of type `socket` comes with the socket. */
export type FromInside =
  | { readonly type: "socket"; readonly use: "proxy" | "direct" | "allowed" | "names"; readonly port: number }
  /** A port could not be opened, so nothing in the namespaces can use it. */
  | { readonly type: "unavailable"; readonly use: "proxy" | "direct" | "allowed" | "names"; readonly port: number }
  | { readonly type: "listening" }
  | { readonly type: "started"; readonly pid: number }
  | { readonly type: "failed"; readonly code: string }
  | { readonly type: "changed" }
  | { readonly type: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** Closes file descriptors inherited from the user's shell and bwrap. Node sets close-on-exec on its own. */
const closeInherited = (fs: typeof Fs): void => {
  const closeOnExec = 0o2000000
  for (const name of fs.readdirSync("/proc/self/fd")) {
    const descriptor = Number(name)
    if (descriptor < 3) continue
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync("/proc/self/fdinfo/" + name, "latin1"))?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0) fs.closeSync(descriptor)
    } catch {
      // The descriptor that listed the directory is closed already.
    }
  }
}

/** Why the command cannot be executed: the error that execvp(3) would report, or undefined. */
const problemOf = (fs: typeof Fs, command: string, env: Readonly<Record<string, string>>): string | undefined => {
  const directories = command.includes("/")
    ? [""]
    : (env["PATH"] ?? "/bin:/usr/bin").split(":").map((name) => (name || ".") + "/")
  let problem = "ENOENT"
  for (const directory of directories) {
    try {
      const isDirectory = fs.statSync(directory + command).isDirectory()
      fs.accessSync(directory + command, fs.constants.X_OK)
      if (!isDirectory) return undefined
      problem = "EACCES"
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EACCES") problem = "EACCES"
    }
  }
  return command.includes("\0") ? "ERR_INVALID_ARG_VALUE" : problem
}

/** The program. It gets the functions above as arguments, because a bundler may rename them. */
const inside = (
  load: (name: string) => unknown,
  host: NodeJS.Process,
  close: typeof closeInherited,
  problemIn: typeof problemOf
): void => {
  const fs = load("fs") as typeof Fs
  const net = load("net") as typeof Net
  const settings = JSON.parse(host.argv[2] ?? "") as InsideSettings

  const send = (message: FromInside, handle?: Net.Server | Dgram.Socket): Promise<void> =>
    new Promise((resolve) => host.send!(message, handle, {}, () => resolve()))

  const offer = (use: "proxy" | "direct" | "allowed", address: string, port: number): Promise<void> =>
    new Promise((resolve) => {
      const server = net.createServer()
      server.once("error", () => resolve(send({ type: "unavailable", use, port })))
      server.listen({ host: address, port, backlog: 4096 }, () => {
        resolve(send({ type: "socket", use, port }, server).then(() => void server.close()))
      })
    })
  const offerNames = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = (load("dgram") as typeof Dgram).createSocket("udp4")
      socket.once("error", () => resolve(send({ type: "unavailable", use: "names", port: 53 })))
      socket.bind(53, settings.address, () => {
        resolve(send({ type: "socket", use: "names", port: 53 }, socket).then(() => void socket.close()))
      })
    })
  const listen = async (ports: ReadonlyArray<number>): Promise<void> => {
    await Promise.all(ports.map((port) => offer("direct", settings.address, port)))
    await send({ type: "listening" })
  }

  const start = ({ args, command, env }: Extract<ToInside, { type: "start" }>): void => {
    const problem = problemIn(fs, command, env)
    const [program = "", ...options] = settings.withoutCapabilities
    const fail = (code: string): void => void send({ type: "failed", code }).then(() => host.exit(0))
    if (problem !== undefined) return fail(problem)
    // Listens before the command starts, because the command may stop itself at once.
    host.on("SIGCHLD", () => void send({ type: "changed" }))
    let child: ChildProcess.ChildProcess
    try {
      child = (load("child_process") as typeof ChildProcess).spawn(program, [...options, command, ...args], {
        env,
        stdio: "inherit"
      })
    } catch (error) {
      return fail((error as NodeJS.ErrnoException).code ?? "unknown error")
    }
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) fail(error.code ?? "unknown error")
    })
    if (child.pid !== undefined) void send({ type: "started", pid: child.pid })
    child.once("exit", (code, signal) => void send({ type: "exited", code, signal }).then(() => host.exit(0)))
  }

  // These signals are meant for the command, which gets them from the terminal or from `run`.
  for (const name of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGTSTP"] as const) {
    host.on(name, () => {})
  }
  // Without `run` there is no network. If this program exits, bwrap ends the rest. Node may not report the disconnect while it passes
  // a socket.
  host.on("disconnect", () => host.exit(1))
  setInterval(() => {
    if (!host.connected) host.exit(1)
  }, 2000).unref()
  host.on("message", (message: ToInside) => {
    if (message.type === "listen") void listen(message.ports)
    else start(message)
  })
  close(fs)
  void (async () => {
    await Promise.all(settings.allowedPorts.map((port) => offer("allowed", "127.0.0.1", port)))
    await Promise.all([offer("proxy", "127.0.0.1", 0), offerNames()])
    await listen(settings.ports)
  })()
}

/** The program as a CommonJS file. Its first argument is `InsideSettings` as JSON. */
export const insideProgram = `"use strict";(${String(inside)})(require, process, ${String(closeInherited)}, ${
  String(problemOf)
})\n`
