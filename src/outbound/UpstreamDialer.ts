/**
 * Opens upstream connections: plain TCP for tunnels, verified TLS for requests that may carry a credential. A name is resolved
 * once, all its addresses are checked, and only checked addresses are dialed, which prevents DNS rebinding.
 */
import type * as Dns from "node:dns"
import * as fs from "node:fs"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { Upstream } from "../config/file/ConfigDocument.ts"
import { isBypassed, proxyUrl } from "../config/ProxyAddress.ts"
import { plural } from "../domain/text/Plural.ts"
import { builtins } from "../platform/builtins.ts"
import {
  type AddressPolicy,
  addressRefusal,
  classify,
  type ContainedClient,
  isOwnMachine,
  isPrivateHost,
  type Purpose
} from "./AddressRules.ts"
import { type Authority, formatAuthority, parseAuthority } from "./Authority.ts"
import { firstConnected, ordered, TIMED_OUT } from "./ConnectionAttempts.ts"
import { describe, DialError } from "./DialError.ts"
import { connectThrough, hostOf, needsAddress } from "./ProxyHop.ts"
import { systemNames } from "./SystemNames.ts"
import * as TrustStore from "./TrustStore.ts"

/** The proxy that the environment names, which may be the only way out of the network. */
export interface ParentProxy {
  readonly url: string
  readonly noProxy: ReadonlyArray<string>
}

export interface DialerOptions {
  /** Reads the settings, for each connection. */
  readonly upstream: () => Upstream | Promise<Upstream>
  /** The proxy that is used if the configuration names none. */
  readonly parentProxy?: ParentProxy | undefined
  /** The local ports that must not be reached through the proxy: the daemon's and the proxy's own. */
  readonly ownPorts: () => ReadonlySet<number>
  /**
   * The client, if its tunnels must not lead to this machine or to private networks. Otherwise the command of a contained run could
   * reach services of this machine, or the proxy of another run, which would admit it.
   */
  readonly client?: ContainedClient | undefined
  readonly connectTimeout?: number | undefined
  readonly lookup?: ((host: string) => Promise<Addresses>) | undefined
}

const isLocalName = (target: Authority): boolean =>
  target.host === "localhost" || target.host.endsWith(".localhost") ||
  (target.kind !== "name" && isOwnMachine(target.host))

type Addresses = ReadonlyArray<Dns.LookupAddress>

/** The address of an authority, or undefined if it has a name. */
const addressOf = ({ host, kind }: Authority): Addresses | undefined =>
  kind === "name" ? undefined : [{ address: host, family: kind === "ipv6" ? 6 : 4 }]

const check = (addresses: Addresses, port: number, policy: AddressPolicy): void => {
  for (const { address } of addresses) {
    const refusal = addressRefusal(address, port, policy)
    if (refusal !== undefined) throw refusal
  }
}

const MAX_SESSIONS = 256
/** The delay of the first TCP keep-alive probe. Event streams and WebSockets have no other timeout. */
const KEEP_ALIVE_MILLISECONDS = 60_000

const NO_PROTOCOL = "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL"

/** The trusted roots, and the configured files without a readable certificate. */
interface Trust {
  readonly key: string
  readonly value: Tls.SecureContext
  readonly unreadable: ReadonlyArray<string>
}

/** A text that changes whenever a file of certificates, or its readability, may have changed. */
const stampOf = (file: string): string => {
  try {
    return String(fs.statSync(file).mtimeMs)
  } catch (error) {
    return describe(error)
  }
}

/** The error for an upstream that is not trusted. Names the files of roots that could not be read. */
const untrusted = (name: string, reason: string, { unreadable }: Trust): DialError =>
  new DialError(
    "untrusted",
    `TLS verification of ${name} failed ${reason}`.trimEnd() + (unreadable.length === 0
      ? ""
      : `; no certificate could be read from ${unreadable.join(", ")}, named by upstream.extra_ca_certs in config.json`)
  )

/** The newest TLS settings, which dialers share: `credsvc proxy` has a dialer for each sandbox, and reading all roots takes long. */
let newest: { readonly ca: ReadonlyArray<string>; readonly value: Tls.SecureContext } | undefined

const contextOf = (ca: ReadonlyArray<string>): Tls.SecureContext => {
  const isSame = newest?.ca.length === ca.length && ca.every((certificate, index) => certificate === newest?.ca[index])
  if (newest === undefined || !isSame) {
    newest = { ca, value: builtins.tls.createSecureContext({ ca: [...ca], minVersion: "TLSv1.2" }) }
  }
  return newest.value
}

/** The resolver of all dialers, so that they ask for each name only once at a time. */
const names = systemNames()

const lookupSystem = (host: string): Promise<Addresses> =>
  names(host).catch((error: unknown) => {
    throw new DialError("unresolved", `the name ${host} could not be resolved (${describe(error)})`)
  })

export const make = (options: DialerOptions) => {
  const timeout = options.connectTimeout ?? 30_000
  const sessions = new Map<string, Buffer>()
  const open = new Set<Net.Socket>()
  const hops = new WeakSet<Net.Socket>()
  let context: Trust | undefined

  const remember = (key: string, ticket: Buffer): void => {
    if (sessions.size >= MAX_SESSIONS) sessions.clear()
    sessions.set(key, ticket)
  }

  const track = <S extends Net.Socket>(socket: S): S => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
    return socket
  }

  const trustOf = ({ extraCaCerts }: Upstream): Trust => {
    const key = extraCaCerts.map((file) => `${file}:${stampOf(file)}`).join("\n")
    if (context?.key !== key) {
      const { certificates, unreadable } = TrustStore.rootsOf(extraCaCerts)
      const ca = TrustStore.distinct([...certificates, ...TrustStore.systemRoots(), ...TrustStore.nodeRoots()])
      context = { key, value: contextOf(ca), unreadable }
      sessions.clear()
    }
    return context
  }

  const lookup = options.lookup ?? lookupSystem

  const connect = (addresses: Addresses, host: string, port: number, allowHalfOpen: boolean): Promise<Net.Socket> =>
    firstConnected(
      ordered(addresses).map(({ address }) => () =>
        track(builtins.net.connect({
          host: address,
          port,
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: KEEP_ALIVE_MILLISECONDS,
          allowHalfOpen
        }))
      ),
      timeout
    ).catch((error: unknown) => {
      throw error === TIMED_OUT
        ? new DialError("timeout", `${host}:${port} did not respond within ${plural(timeout / 1000, "second")}`)
        : new DialError("unreachable", `${host}:${port} could not be reached (${describe(error)})`)
    })

  const through = async (upstream: Upstream, proxy: string, target: Authority): Promise<Net.Socket> => {
    const socket = await connectThrough(proxy, target, { timeout, secureContext: () => trustOf(upstream).value })
    hops.add(socket)
    return track(socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS))
  }

  /**
   * Opens the tunnel of a contained run through a proxy. The proxy resolves a name again, and the owner of the name could then
   * respond with an address of this machine. So a proxy on this machine gets the checked address instead. If this machine cannot
   * resolve a name, a proxy on another machine resolves it.
   */
  const containedThrough = async (upstream: Upstream, proxy: string, policy: AddressPolicy): Promise<Net.Socket> => {
    const { isConfigured, target } = policy
    const addresses = await lookup(target.host).catch(() => [])
    check(addresses, target.port, policy)
    if (isConfigured || !await isOnThisMachine(proxy)) return through(upstream, proxy, target)
    const remedy =
      `in a contained run, a proxy on this machine must not resolve names; to let it resolve ${target.host}, ` +
      "add the host to upstream.private_hosts in config.json"
    return throughAddress(upstream, proxy, target, addresses, `; ${remedy}`)
  }

  /** Connects through the proxy to one address after the other. */
  const throughAddress = async (
    upstream: Upstream,
    proxy: string,
    target: Authority,
    addresses: Addresses,
    remedy = ""
  ): Promise<Net.Socket> => {
    let failure = new DialError("unresolved", `the name ${target.host} could not be resolved${remedy}`)
    for (const { address, family } of addresses) {
      try {
        return await through(upstream, proxy, {
          host: address,
          port: target.port,
          kind: family === 6 ? "ipv6" : "ipv4"
        })
      } catch (error) {
        if (!(error instanceof DialError)) throw error
        failure = new DialError(error.problem, `${error.message}${remedy}`)
      }
    }
    throw failure
  }

  const isOnThisMachine = async (proxy: string): Promise<boolean> => {
    const url = proxyUrl(proxy)
    const host = url === undefined ? "" : hostOf(url)
    if (builtins.net.isIP(host) !== 0) return isOwnMachine(host)
    const addresses = await lookup(host).catch(() => [])
    return addresses.some(({ address }) => isOwnMachine(address))
  }

  const dial = async (upstream: Upstream, target: Authority, purpose: Purpose): Promise<Net.Socket> => {
    const pinned = upstream.resolve[`${target.host}:${target.port}`]
    const client = purpose === "tunnel" ? options.client : undefined
    const policy: AddressPolicy = {
      target,
      purpose,
      isConfigured: pinned !== undefined || isPrivateHost(upstream.privateHosts, target.host),
      isPinned: pinned !== undefined,
      client,
      ownPorts: options.ownPorts()
    }
    const checked = async (host: Authority): Promise<Addresses> => {
      const addresses = addressOf(host) ?? await lookup(host.host)
      check(addresses, host.port, policy)
      return addresses
    }
    if (pinned !== undefined) {
      const to = parseAuthority(pinned)
      if (to === undefined) {
        throw new DialError(
          "unresolved",
          `invalid upstream.resolve entry for ${target.host}: expected a host with an optional port`
        )
      }
      return connect(await checked(to), to.host, to.port, purpose === "tunnel")
    }
    const isName = target.kind === "name"
    if (!isName && client !== undefined && !policy.isConfigured) {
      throw new DialError(
        "forbidden",
        `${target.host} is an IP address; a ${client} can reach other hosts only by name`
      )
    }
    if (!isName) await checked(target)
    const proxy = upstream.proxy ?? options.parentProxy?.url
    const bypass = upstream.proxy === undefined ? options.parentProxy?.noProxy ?? [] : upstream.noProxy
    if (proxy !== undefined && !isLocalName(target) && !isBypassed(bypass, target)) {
      if (isName && needsAddress(proxy)) return throughAddress(upstream, proxy, target, await checked(target))
      return isName && client !== undefined
        ? containedThrough(upstream, proxy, policy)
        : through(upstream, proxy, target)
    }
    return connect(await checked(target), target.host, target.port, purpose === "tunnel")
  }

  /**
   * Connects with TLS 1.2 or later and verifies the name against the roots of the system, of Node and of the configuration.
   * `protocols` are offered by ALPN; the socket's `alpnProtocol` is the selected one.
   */
  const tls = async (
    target: Authority,
    purpose: Purpose,
    protocols: ReadonlyArray<string> = ["http/1.1"]
  ): Promise<Tls.TLSSocket> => {
    const key = formatAuthority(target)
    const upstream = await options.upstream()
    const trust = trustOf(upstream)
    const socket = await dial(upstream, target, purpose)
    return new Promise((resolve, reject) => {
      // Changed settings invalidate the sessions of the previous context.
      const session = context === trust ? sessions.get(key) : undefined
      // Resumption skips verification, so only sessions of verified connections may be stored.
      let verified = false
      let early: Buffer | undefined
      const secured = track(builtins.tls.connect({
        socket,
        ...(target.kind === "name" ? { servername: target.host } : { host: target.host }),
        secureContext: trust.value,
        rejectUnauthorized: true,
        ALPNProtocols: [...protocols],
        ...(session === undefined ? {} : { session })
      }))
      if (hops.has(socket)) hops.add(secured)
      // Node 24 crashes if a TCP socket is destroyed just before its TLS socket, so only the TLS socket is destroyed.
      open.delete(socket)
      const timer = setTimeout(() => {
        secured.destroy()
        reject(
          new DialError(
            "timeout",
            `${key} did not complete the TLS handshake within ${plural(timeout / 1000, "second")}`
          )
        )
      }, timeout)
      const failed = (error: Error) => {
        clearTimeout(timer)
        secured.destroy()
        const code = describe(error)
        if (code === NO_PROTOCOL) {
          reject(new DialError("protocol", `${key} does not support ${protocols.join(" or ")}`))
          return
        }
        // Node sets `authorizationError` only when the verification fails.
        reject(
          (secured.authorizationError as unknown) === null
            ? new DialError("unreachable", `the TLS handshake with ${key} failed (${code})`)
            : untrusted(key, `(${code})`, trust)
        )
      }
      secured.once("error", failed)
      secured.on("session", (ticket) => {
        if (!verified) early = ticket
        else if (context === trust) remember(key, ticket)
      })
      secured.once("secureConnect", () => {
        clearTimeout(timer)
        secured.off("error", failed)
        // Node verifies too, unless a flag of the process turns that off.
        if (!secured.authorized) {
          secured.destroy()
          reject(untrusted(key, "", trust))
          return
        }
        verified = true
        if (early !== undefined && context === trust) remember(key, early)
        resolve(secured)
      })
    })
  }

  return {
    tcp: async (target: Authority, purpose: Purpose) => dial(await options.upstream(), target, purpose),
    tls,
    /** Whether the peer of a socket of this dialer has a public address, or an unknown one behind a proxy. */
    isPublic: (socket: Net.Socket) => hops.has(socket) || classify(socket.remoteAddress ?? "") === "public",
    /** Reads the trusted roots before a connection needs them. Reading takes as long as a round trip. */
    prepare: () => {
      const read = async () => trustOf(await options.upstream())
      // A connection that needs the roots reports the failure.
      read().catch(() => {})
    },
    close: () => {
      for (const socket of open) socket.destroy()
    }
  }
}
export type UpstreamDialer = ReturnType<typeof make>
