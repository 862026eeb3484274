/** The proxy for sandboxes: the sockets that it listens on, and their lifetime. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as fs from "node:fs"
import type * as Net from "node:net"
import * as path from "node:path"
import * as CertificateAuthority from "../../certificates/CertificateAuthority.ts"
import { ConfigFile, type ConfigFileError } from "../../config/file/ConfigFile.ts"
import type { PublishedError } from "../../domain/Errors.ts"
import type { ServedSandbox } from "../../domain/wire/Sandbox.ts"
import { classify } from "../../outbound/AddressRules.ts"
import type { ParentProxy } from "../../outbound/UpstreamDialer.ts"
import { builtins } from "../../platform/builtins.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import { callAt } from "../../platform/process/CallAt.ts"
import { PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { isServed } from "../../platform/sockets/ServedSocket.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import { runContext } from "../exchange/RunContext.ts"
import { HEAD_MILLISECONDS } from "../listen/Engine.ts"
import { BACKLOG, CONNECTION_OPTIONS, Listener } from "../listen/Listener.ts"
import { Router } from "../listen/Router.ts"
import { askKernel, type AskOwner } from "../listen/RunAdmission.ts"
import type { FoundPlaceholder } from "../placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "../ProxyEvent.ts"
import { type CredentialRefusedError, CredentialSource } from "../routing/CredentialSource.ts"
import { ResolveBatch } from "../routing/ResolveBatch.ts"
import { runServices } from "../RunServices.ts"
import { SandboxAdmission, UNCONFIRMED } from "./SandboxAdmission.ts"
import { SandboxSource } from "./SandboxSource.ts"
import { SandboxTable } from "./SandboxTable.ts"

/** How often the proxy asks whether sandboxes of open connections still exist. */
const POLL_MILLISECONDS = 1000
/** The limit for the connections of all sandboxes together. */
const MAX_CONNECTIONS = 4096

export type SandboxSocket =
  | { readonly _tag: "unix"; readonly path: string }
  | {
    readonly _tag: "tcp"
    readonly host: string
    readonly port: number
    /** Refuses clients without a token even if they are processes of this user. */
    readonly tokenRequired: boolean
    /** A certificate and its key as PEM, for clients that connect to the proxy by `https://`. */
    readonly tls?: { readonly cert: string; readonly key: string } | undefined
  }

export interface SandboxProxyOptions {
  readonly sockets: ReadonlyArray<SandboxSocket>
  /** The only sandbox to serve, whose clients need no token if they are processes of this user. */
  readonly only?: string | undefined
  readonly daemonUrl?: URL | undefined
  readonly parentProxy?: ParentProxy | undefined
  readonly onEvent?: ((sandbox: string, event: ProxyEvent) => void) | undefined
  readonly onMisplaced?: ((sandbox: ServedSandbox, found: FoundPlaceholder) => void) | undefined
  readonly pollMilliseconds?: number | undefined
  readonly handshakeMilliseconds?: number | undefined
}

/** A socket cannot be opened. The message says why and what to do. */
export class ListenError extends Data.TaggedError("ListenError")<{ readonly message: string }> {}

/** Whether machines outside of private networks may reach an address on which the proxy listens. */
export const isReachable = (host: string): boolean => classify(host) === "public" || /^[0:.]+$/.test(host)

/**
 * Frees a path for a Unix socket of this user: removes the socket of a process that was killed. Fails if other users
 * could replace the socket.
 */
const prepareUnixSocket = Effect.fnUntraced(function*(file: string) {
  const fail = (message: string) => Effect.fail(new ListenError({ message }))
  if (Buffer.byteLength(file) > 100) {
    return yield* fail(`${file} is too long for a Unix socket: use a path of at most 100 bytes`)
  }
  yield* Effect.mapError(
    SecureFiles.checkPath(path.dirname(file)),
    (error) => new ListenError({ message: `${error.message}; choose a directory that only you can write to` })
  )
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return
  if (!stat.isSocket()) return yield* fail(`${file} exists and is not a socket: choose another path`)
  if (stat.uid !== process.geteuid?.()) return yield* fail(`${file} belongs to another user: choose another path`)
  if (yield* isServed(file)) {
    return yield* fail(`another process listens on ${file}: end it, or choose another path`)
  }
  fs.rmSync(file, { force: true })
})

const describeListen = (socket: SandboxSocket, cause: NodeJS.ErrnoException): string => {
  const where = socket._tag === "unix" ? socket.path : `${socket.host}:${socket.port}`
  if (cause.code === "EADDRINUSE") return `${where} is in use by another process: end it, or choose another port`
  if (cause.code === "EADDRNOTAVAIL") return `${where} is not an address of this machine`
  return `${where} cannot be opened (${cause.code ?? cause.message})`
}

/** Listens until the scope closes, and returns the address. */
const listenOn = Effect.fnUntraced(function*(
  socket: SandboxSocket,
  handshakeTimeout: number,
  accept: (socket: Net.Socket) => void
) {
  if (socket._tag === "unix") yield* prepareUnixSocket(socket.path)
  const server = socket._tag === "tcp" && socket.tls !== undefined
    ? yield* Effect.try({
      try: () =>
        builtins.tls.createServer({ ...CONNECTION_OPTIONS, ...socket.tls, minVersion: "TLSv1.2", handshakeTimeout })
          // Node leaves the connection open after the time limit.
          .on("tlsClientError", (_, client) => client.destroy())
          .on("secureConnection", (secured) => {
            secured.on("error", () => secured.destroy())
            accept(secured)
          }),
      catch: () =>
        new ListenError({ message: "the files of --tls-cert and --tls-key are not a certificate and its key" })
    })
    : builtins.net.createServer(CONNECTION_OPTIONS, accept)
  // The listener counts a connection only after its TLS handshake.
  if (socket._tag === "tcp" && socket.tls !== undefined) server.maxConnections = MAX_CONNECTIONS
  yield* Effect.acquireRelease(
    Effect.callback<void, ListenError>((resume) => {
      server.once("error", (cause) => resume(Effect.fail(new ListenError({ message: describeListen(socket, cause) }))))
      const where = socket._tag === "unix" ? { path: socket.path } : { host: socket.host, port: socket.port }
      // The umask of every entry point makes the socket accessible to its owner only, from the moment it exists.
      server.listen({ ...where, backlog: BACKLOG }, () => resume(Effect.void))
    }),
    () => Effect.sync(() => server.close())
  )
  if (socket._tag === "unix") {
    if ((fs.lstatSync(socket.path).mode & 0o077) !== 0) fs.chmodSync(socket.path, 0o600)
    return socket.path
  }
  const { address, family, port } = server.address() as Net.AddressInfo
  return `${family === "IPv6" ? `[${address}]` : address}:${port}`
})

/** The refusal for a sandbox whose router could not be created. It contains no details of a defect. */
const routerRefusal = (cause: Cause.Cause<PublishedError | ConfigFileError | CredentialRefusedError>): Refusal => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  if (failure === undefined) {
    return { ...requestRefusal(502, "credsvc failed to set up this sandbox"), error: "UnexpectedError" }
  }
  const error = failure._tag === "CredentialRefusedError" ? failure.error : failure._tag
  if (error === "DaemonUnavailableError") return UNCONFIRMED
  return error === "ConfigFileError"
    ? { status: 502, error, message: "config.json is invalid; run: credsvc doctor" }
    : { status: 502, error, message: `the daemon does not serve this sandbox (${error})` }
}

const make = Effect.fnUntraced(function*(options: SandboxProxyOptions) {
  const source = yield* SandboxSource
  const config = yield* ConfigFile
  const scope = yield* Effect.scope
  const run = Effect.runCallbackWith(yield* Effect.context<never>())
  const asked = askKernel(yield* PeerOwner, run)
  const table = new SandboxTable()

  let calls = 0
  /** The number of the latest call whose response is in the table. A poll may end after a call that began later. */
  let applied = 0
  const update = (read: typeof source.read) =>
    Effect.suspend(() => {
      const number = ++calls
      return Effect.map(read(table.version), (list) => {
        if (list !== undefined && number > applied) {
          applied = number
          admission.end(table.update(list))
        }
        expire()
      })
    })
  let stopWaiting = (): void => {}
  /** Ends the sandboxes that have expired, and waits for the next expiry. */
  const expire = (): void => {
    stopWaiting()
    admission.end(table.expire(Date.now()))
    if (table.nextExpiry !== undefined) stopWaiting = callAt(table.nextExpiry, expire)
  }
  yield* Scope.addFinalizer(scope, Effect.sync(() => stopWaiting()))
  const refreshes = new ResolveBatch<undefined, boolean>((_request, done) => {
    run(update(source.read), { onExit: (exit) => done(Exit.isSuccess(exit)) })
  })
  /**
   * The connections to Unix sockets. Their missing addresses do not identify them, because a TCP connection that was reset
   * has none either.
   */
  const local = new WeakSet<Net.Socket>()
  const remote = new WeakSet<Net.Socket>()
  const askOwner: AskOwner = (socket, report) => {
    // Only this user can open a Unix socket of this proxy.
    if (local.has(socket)) return report("own")
    if (remote.has(socket)) return report("unknown")
    asked(socket, report)
  }

  const updateSoon = () => void run(Effect.ignore(update(source.poll)))

  /** Creates the router of a sandbox, which keeps its registration with the daemon until it is closed. */
  const makeRouter = Effect.fnUntraced(function*(sandbox: ServedSandbox) {
    const { authority: { keyPem, ...root }, connections, name, providers, rules, strict, unmatched } = sandbox
    const authority = CertificateAuthority.open({ ...root, keyPem: Redacted.value(keyPem) })
    const own = yield* Scope.fork(scope)
    const { services } = yield* Layer.buildWithScope(source.credentials(sandbox), own).pipe(
      Effect.tap((context) =>
        Scope.addFinalizer(own, Effect.sync(Context.get(context, CredentialSource).onChange(updateSoon)))
      ),
      Effect.flatMap((context) => Effect.provide(runServices({ providers, connections }, () => authority), context)),
      Effect.provideService(ConfigFile, config),
      Effect.provideService(Scope.Scope, own),
      Effect.onError(() => Scope.close(own, Exit.void))
    )
    const settings = {
      unmatched,
      rules,
      strict,
      daemonUrl: options.daemonUrl,
      parentProxy: options.parentProxy,
      onEvent: (event: ProxyEvent) => options.onEvent?.(name, event),
      onMisplaced: (found: FoundPlaceholder) => options.onMisplaced?.(sandbox, found)
    }
    const context = runContext(settings, services, { client: "sandbox", ownPorts: () => new Set() })
    return { router: new Router(context), close: () => void run(Scope.close(own, Exit.void)) }
  })

  const admission = new SandboxAdmission({
    table,
    only: options.only,
    askOwner,
    refresh: (done) => refreshes.ask("", undefined, { settled: done }),
    openRouter: (sandbox, done) => {
      run(makeRouter(sandbox), {
        onExit: (exit) => done(Exit.isSuccess(exit) ? exit.value : routerRefusal(exit.cause))
      })
    }
  })
  const listener = new Listener({
    admit: admission.admit,
    maxConnections: MAX_CONNECTIONS,
    onEvent: (event) => options.onEvent?.("", event)
  })
  yield* update(source.read)
  const initialCount = table.size
  yield* Scope.addFinalizer(
    scope,
    Effect.sync(() => {
      admission.close()
      listener.close()
    })
  )
  yield* update(source.poll).pipe(
    // Without a daemon no sandbox can change, except that it expires.
    Effect.ignore,
    Effect.repeat(Schedule.spaced(options.pollMilliseconds ?? POLL_MILLISECONDS)),
    Effect.forkScoped
  )
  const addresses = yield* Effect.forEach(
    options.sockets,
    (socket) =>
      listenOn(socket, options.handshakeMilliseconds ?? HEAD_MILLISECONDS, (accepted) => {
        if (socket._tag === "unix") local.add(accepted)
        else if (socket.tokenRequired) remote.add(accepted)
        listener.accept(accepted)
      })
  )
  return {
    /** Where the proxy listens: paths of Unix sockets, and addresses with ports. */
    addresses,
    /** The number of sandboxes that existed when the proxy started. */
    initialCount
  }
})

export class SandboxProxy
  extends Context.Service<SandboxProxy, Effect.Success<ReturnType<typeof make>>>()("credsvc/proxy/sandbox/SandboxProxy")
{
  static readonly layer = (options: SandboxProxyOptions) => Layer.effect(SandboxProxy, make(options))
}
