// @ts-check
/**
 * The program in the namespaces of a contained run: it opens the listening sockets, hands them to the proxy outside, and starts the
 * command. Its argument is `InsideSettings` as JSON.
 *
 * The run has a copy of this file, which loads only modules of Node. It holds no secret.
 */
"use strict"

const { spawn } = require("child_process")
const dgram = require("dgram")
const fs = require("fs")
const net = require("net")

/**
 * @typedef {import("../InsideMessages.ts").FromInside} FromInside
 * @typedef {import("../InsideMessages.ts").InsideSocket} InsideSocket
 * @typedef {import("../InsideMessages.ts").ToInside} ToInside
 * @typedef {import("net").Server | import("dgram").Socket} Handle
 */

/** @type {import("../InsideMessages.ts").InsideSettings} */
const settings = JSON.parse(process.argv[2] ?? "")

/** Closes file descriptors inherited from the user's shell and bwrap. Node sets close-on-exec on its own. */
const closeInherited = () => {
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

/**
 * Why the command cannot be executed: the error that execvp(3) would report, or undefined.
 *
 * @type {(command: string, env: Readonly<Record<string, string>>) => string | undefined}
 */
const problemOf = (command, env) => {
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
    } catch (/** @type {any} */ error) {
      if (error.code === "EACCES") problem = "EACCES"
    }
  }
  return command.includes("\0") ? "ERR_INVALID_ARG_VALUE" : problem
}

/** @type {(message: FromInside, handle?: Handle) => Promise<void>} */
const send = (message, handle) => new Promise((resolve) => void process.send?.(message, handle, {}, () => resolve()))

/**
 * Sends a socket once `listen` has opened it, or reports that its port is unavailable.
 *
 * @param {Handle} socket
 * @param {InsideSocket} purpose
 * @param {(opened: () => void) => void} listen
 * @returns {Promise<void>}
 */
const offer = (socket, purpose, listen) =>
  new Promise((resolve) => {
    socket.once("error", () => resolve(send({ type: "unavailable", ...purpose })))
    listen(() => resolve(send({ type: "socket", ...purpose }, socket).then(() => void socket.close())))
  })

/** @type {(host: string, purpose: InsideSocket) => Promise<void>} */
const offerServer = (host, purpose) => {
  const server = net.createServer()
  return offer(server, purpose, (opened) => server.listen({ host, port: purpose.port, backlog: 4096 }, opened))
}

const offerNames = () => {
  const socket = dgram.createSocket("udp4")
  return offer(socket, { use: "names", port: 53 }, (opened) => socket.bind(53, settings.address, opened))
}

/** @param {ReadonlyArray<number>} ports */
const listen = async (ports) => {
  await Promise.all(ports.map((port) => offerServer(settings.address, { use: "direct", port })))
  await send({ type: "listening" })
}

/** @param {Extract<ToInside, { type: "start" }>} message */
const start = ({ args, command, env }) => {
  const [program = "", ...options] = settings.withoutCapabilities
  /** @type {(message: FromInside) => void} */
  const end = (message) => void send(message).then(() => process.exit(0))
  const problem = problemOf(command, env)
  if (problem !== undefined) return end({ type: "failed", code: problem })
  // Listens before the command starts, because the command may stop itself at once.
  process.on("SIGCHLD", () => void send({ type: "changed" }))
  try {
    const child = spawn(program, [...options, command, ...args], { env, stdio: "inherit" })
    child.on("error", (/** @type {NodeJS.ErrnoException} */ { code = "unknown error" }) => {
      if (child.pid === undefined) end({ type: "failed", code })
    })
    if (child.pid !== undefined) void send({ type: "started", pid: child.pid })
    child.once("exit", (code, signal) => end({ type: "exited", code, signal }))
  } catch (/** @type {any} */ error) {
    end({ type: "failed", code: error.code ?? "unknown error" })
  }
}

// These signals are meant for the command, which gets them from the terminal or from `run`.
for (const name of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGTSTP"]) {
  process.on(name, () => {})
}
// Without `run` there is no network. If this program exits, bwrap ends the rest. Node may not report the disconnect while it passes
// a socket.
process.on("disconnect", () => process.exit(1))
setInterval(() => {
  if (!process.connected) process.exit(1)
}, 2000).unref()
process.on("message", (/** @type {ToInside} */ message) => {
  if (message.type === "listen") void listen(message.ports)
  else start(message)
})
closeInherited()
Promise.all(settings.allowedPorts.map((port) => offerServer("127.0.0.1", { use: "allowed", port })))
  .then(() => Promise.all([offerServer("127.0.0.1", { use: "proxy", port: 0 }), offerNames()]))
  .then(() => listen(settings.ports))
