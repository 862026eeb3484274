/** The proxy for sandboxes: it keeps the table of sandboxes current, and serves the clients of each by a router. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import type * as Net from "node:net"
import * as CertificateAuthority from "../../certificates/CertificateAuthority.ts"
import type { ConfigFile, ConfigFileError } from "../../config/file/ConfigFile.ts"
import type { PublishedError } from "../../domain/Errors.ts"
import type { ServedSandbox } from "../../domain/wire/Sandbox.ts"
import type { ParentProxy } from "../../outbound/UpstreamDialer.ts"
import { callAt } from "../../platform/process/CallAt.ts"
import { PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import { runContext } from "../exchange/RunContext.ts"
import { HEAD_MILLISECONDS } from "../listen/Engine.ts"
import { Listener } from "../listen/Listener.ts"
import { Router } from "../listen/Router.ts"
import { askKernel, type AskOwner } from "../listen/RunAdmission.ts"
import type { FoundPlaceholder } from "../placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "../ProxyEvent.ts"
import { type CredentialRefusedError, CredentialSource } from "../routing/CredentialSource.ts"
import { ResolveBatch } from "../routing/ResolveBatch.ts"
import { runServices } from "../RunServices.ts"
import { SandboxAdmission, UNCONFIRMED } from "./SandboxAdmission.ts"
import { listenOn, MAX_CONNECTIONS, type SandboxSocket } from "./SandboxSockets.ts"
import { SandboxSource } from "./SandboxSource.ts"
import { SandboxTable } from "./SandboxTable.ts"

/** How often the proxy asks whether sandboxes of open connections still exist. */
const POLL_MILLISECONDS = 1000

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

/** Keeps the table current. `end` closes sandboxes whose tokens are no longer valid. */
const makeTableUpdates = (table: SandboxTable, end: (sandboxes: ReadonlyArray<ServedSandbox>) => void) => {
  let calls = 0
  /** The number of the latest call whose response is in the table. A poll may end after a call that began later. */
  let applied = 0
  let stopWaiting = (): void => {}
  /** Ends the sandboxes that have expired, and waits for the next expiry. */
  const expire = (): void => {
    stopWaiting()
    end(table.expire(Date.now()))
    if (table.nextExpiry !== undefined) stopWaiting = callAt(table.nextExpiry, expire)
  }
  return {
    /** Reads the sandboxes from the daemon. */
    updateFrom: (read: SandboxSource["Service"]["read"]) =>
      Effect.suspend(() => {
        const number = ++calls
        return Effect.map(read(table.version), (list) => {
          if (list !== undefined && number > applied) {
            applied = number
            end(table.update(list))
          }
          expire()
        })
      }),
    close: () => stopWaiting()
  }
}

/** Creates the router of a sandbox, which keeps its registration with the daemon until it is closed. */
const makeRouter = Effect.fnUntraced(function*(
  sandbox: ServedSandbox,
  { daemonUrl, onEvent, onMisplaced, parentProxy }: SandboxProxyOptions,
  onChange: () => void
) {
  const { authority: { keyPem, ...root }, connections, name, providers, rules, strict, unmatched } = sandbox
  const source = yield* SandboxSource
  const authority = CertificateAuthority.openStored({ ...root, keyPem: Redacted.value(keyPem) })
  const own = yield* Scope.fork(yield* Effect.scope)
  const { services } = yield* Layer.buildWithScope(source.credentials(sandbox), own).pipe(
    Effect.tap((context) =>
      Scope.addFinalizer(own, Effect.sync(Context.get(context, CredentialSource).onChange(onChange)))
    ),
    Effect.flatMap((context) => Effect.provide(runServices({ providers, connections }, () => authority), context)),
    Effect.provideService(Scope.Scope, own),
    Effect.onError(() => Scope.close(own, Exit.void))
  )
  const settings = {
    unmatched,
    rules,
    strict,
    daemonUrl,
    parentProxy,
    onEvent: (event: ProxyEvent) => onEvent?.(name, event),
    onMisplaced: (found: FoundPlaceholder) => onMisplaced?.(sandbox, found)
  }
  const context = runContext(settings, services, { client: "sandbox", ownPorts: () => new Set() })
  return { router: new Router(context), closed: Scope.close(own, Exit.void) }
})

/** Who owns the client's end of a connection: for some sockets this is known, and for the others the kernel is asked. */
const makeSocketOwners = (fromKernel: AskOwner) => {
  /**
   * The connections to Unix sockets. Their missing addresses do not identify them, because a TCP connection that was reset
   * has none either.
   */
  const local = new WeakSet<Net.Socket>()
  const remote = new WeakSet<Net.Socket>()
  return {
    add: (accepted: Net.Socket, socket: SandboxSocket): void => {
      if (socket._tag === "unix") local.add(accepted)
      else if (socket.tokenRequired) remote.add(accepted)
    },
    askOwner: ((socket, report) => {
      // Only this user can open a Unix socket of this proxy.
      if (local.has(socket)) return report("own")
      if (remote.has(socket)) return report("unknown")
      fromKernel(socket, report)
    }) satisfies AskOwner
  }
}

const make = Effect.fnUntraced(function*(options: SandboxProxyOptions) {
  const source = yield* SandboxSource
  const run = Effect.runCallbackWith(yield* Effect.context<ConfigFile | SandboxSource | Scope.Scope>())
  const table = new SandboxTable()
  const updates = makeTableUpdates(table, (sandboxes) => admission.end(sandboxes))
  yield* Effect.addFinalizer(() => Effect.sync(() => updates.close()))
  const refreshes = new ResolveBatch<undefined, boolean>((_request, done) => {
    run(updates.updateFrom(source.read), { onExit: (exit) => done(Exit.isSuccess(exit)) })
  })
  const updateSoon = () => void run(Effect.ignore(updates.updateFrom(source.poll)))
  const owners = makeSocketOwners(askKernel(yield* PeerOwner, run))
  const admission = new SandboxAdmission({
    table,
    only: options.only,
    askOwner: owners.askOwner,
    refresh: (done) => refreshes.ask("", undefined, { settled: done }),
    openRouter: (sandbox, done) => {
      run(makeRouter(sandbox, options, updateSoon), {
        onExit: (exit) =>
          done(
            Exit.isSuccess(exit)
              ? { router: exit.value.router, close: () => void run(exit.value.closed) }
              : routerRefusal(exit.cause)
          )
      })
    }
  })
  const listener = new Listener({
    admit: admission.admit,
    maxConnections: MAX_CONNECTIONS,
    onEvent: (event) => options.onEvent?.("", event)
  })
  yield* updates.updateFrom(source.read)
  const initialCount = table.size
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      admission.close()
      listener.close()
    })
  )
  yield* updates.updateFrom(source.poll).pipe(
    // Without a daemon no sandbox can change, except that it expires.
    Effect.ignore,
    Effect.repeat(Schedule.spaced(options.pollMilliseconds ?? POLL_MILLISECONDS)),
    Effect.forkScoped
  )
  const addresses = yield* Effect.forEach(
    options.sockets,
    (socket) =>
      listenOn(socket, options.handshakeMilliseconds ?? HEAD_MILLISECONDS, (accepted) => {
        owners.add(accepted, socket)
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
