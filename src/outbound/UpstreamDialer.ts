/**
 * Opens upstream connections: plain TCP for tunnels, verified TLS for requests that may carry a credential. A name is resolved
 * once, all its addresses are checked, and only checked addresses are dialed, which prevents DNS rebinding.
 */
import type * as Dns from "node:dns"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import type { Upstream } from "../config/file/ConfigDocument.ts"
import { isBypassed, proxyUrl } from "../config/ProxyAddress.ts"
import { plural } from "../domain/text/Plural.ts"
import { builtins } from "../platform/builtins.ts"
import {
  addressClass,
  type AddressPolicy,
  addressRefusal,
  type ContainedClient,
  isOwnMachine,
  isPrivateHost,
  type Purpose
} from "./AddressRules.ts"
import { type Authority, parseAuthority } from "./Authority.ts"
import { alternatingFamilies, firstConnected, TIMED_OUT } from "./ConnectionAttempts.ts"
import { describeError, DialError } from "./DialError.ts"
import { connectThrough, hostOf, needsAddress } from "./ProxyHop.ts"
import { systemNames } from "./SystemNames.ts"
import { beginHandshake, finishHandshake } from "./TlsHandshake.ts"
import { TrustedRoots } from "./TrustedRoots.ts"

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

/** A connection to a host through the proxy of the network. */
interface Hop {
  readonly upstream: Upstream
  readonly proxy: string
  readonly target: Authority
}

const isLocalName = (target: Authority): boolean =>
  target.host === "localhost" || target.host.endsWith(".localhost") ||
  (target.kind !== "name" && isOwnMachine(target.host))

type Addresses = ReadonlyArray<Dns.LookupAddress>

/** The address of an authority, or undefined if it has a name. */
const addressOf = ({ host, kind }: Authority): Addresses | undefined =>
  kind === "name" ? undefined : [{ address: host, family: kind === "ipv6" ? 6 : 4 }]

/** Throws unless the policy allows all these addresses. */
const requireAllowed = (addresses: Addresses, port: number, policy: AddressPolicy): void => {
  for (const { address } of addresses) {
    const refusal = addressRefusal(address, port, policy)
    if (refusal !== undefined) throw refusal
  }
}

/** The delay of the first TCP keep-alive probe. Event streams and WebSockets have no other timeout. */
const KEEP_ALIVE_MILLISECONDS = 60_000

/** The resolver of all dialers, so that they ask for each name only once at a time. */
const resolveName = systemNames()

const lookupSystem = (host: string): Promise<Addresses> =>
  resolveName(host).catch((error: unknown) => {
    throw new DialError("unresolved", `the name ${host} could not be resolved (${describeError(error)})`)
  })

/** The address that `upstream.resolve` names for a host. */
const pinnedAuthority = (pinned: string, host: string): Authority => {
  const authority = parseAuthority(pinned)
  if (authority !== undefined) return authority
  throw new DialError(
    "unresolved",
    `invalid upstream.resolve entry for ${host}: expected a host with an optional port`
  )
}

export class UpstreamDialer {
  readonly #options: DialerOptions
  readonly #timeout: number
  readonly #lookup: (host: string) => Promise<Addresses>
  readonly #roots = new TrustedRoots()
  readonly #open = new Set<Net.Socket>()
  /** The connections through a proxy, whose peer has an unknown address. */
  readonly #hops = new WeakSet<Net.Socket>()

  constructor(options: DialerOptions) {
    this.#options = options
    this.#timeout = options.connectTimeout ?? 30_000
    this.#lookup = options.lookup ?? lookupSystem
  }

  /** Connects by TCP. */
  async tcp(target: Authority, purpose: Purpose): Promise<Net.Socket> {
    return this.#dial(await this.#options.upstream(), target, purpose)
  }

  /**
   * Connects with TLS 1.2 or later and verifies the name against the roots of the system, of Node and of the configuration.
   * `protocols` are offered by ALPN; the socket's `alpnProtocol` is the selected one.
   */
  async tls(
    target: Authority,
    purpose: Purpose,
    protocols: ReadonlyArray<string> = ["http/1.1"]
  ): Promise<Tls.TLSSocket> {
    const upstream = await this.#options.upstream()
    const trust = this.#roots.trustWith(upstream.extraCaCerts)
    const socket = await this.#dial(upstream, target, purpose)
    const options = { target, protocols, roots: this.#roots, trust, timeout: this.#timeout }
    const secured = this.#track(beginHandshake(socket, options))
    if (this.#hops.has(socket)) this.#hops.add(secured)
    // Node 24 crashes if a TCP socket is destroyed just before its TLS socket, so only the TLS socket is destroyed.
    this.#open.delete(socket)
    return finishHandshake(secured, options)
  }

  /** Whether the peer of a socket of this dialer has a public address, or an unknown one behind a proxy. */
  isPublic(socket: Net.Socket): boolean {
    return this.#hops.has(socket) || addressClass(socket.remoteAddress ?? "") === "public"
  }

  /** Reads the trusted roots before a connection needs them. Reading takes as long as a round trip. */
  prepare(): void {
    const read = async () => this.#roots.trustWith((await this.#options.upstream()).extraCaCerts)
    // A connection that needs the roots reports the failure.
    read().catch(() => {})
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
  }

  #track<S extends Net.Socket>(socket: S): S {
    this.#open.add(socket)
    socket.once("close", () => this.#open.delete(socket))
    return socket
  }

  async #dial(upstream: Upstream, target: Authority, purpose: Purpose): Promise<Net.Socket> {
    const pinned = upstream.resolve[`${target.host}:${target.port}`]
    const client = purpose === "tunnel" ? this.#options.client : undefined
    const policy: AddressPolicy = {
      target,
      purpose,
      isConfigured: pinned !== undefined || isPrivateHost(upstream.privateHosts, target.host),
      isPinned: pinned !== undefined,
      client,
      ownPorts: this.#options.ownPorts()
    }
    if (pinned !== undefined) return this.#connect(pinnedAuthority(pinned, target.host), policy)
    if (target.kind !== "name") {
      if (client !== undefined && !policy.isConfigured) {
        throw new DialError(
          "forbidden",
          `${target.host} is an IP address; a ${client} can reach other hosts only by name`
        )
      }
      await this.#addressesOf(target, policy)
    }
    const proxy = this.#proxyFor(upstream, target)
    return proxy === undefined ? this.#connect(target, policy) : this.#connectByProxy(upstream, proxy, policy)
  }

  /** The addresses of a host, all of which the policy allows. */
  async #addressesOf(host: Authority, policy: AddressPolicy): Promise<Addresses> {
    const addresses = addressOf(host) ?? await this.#lookup(host.host)
    requireAllowed(addresses, host.port, policy)
    return addresses
  }

  async #connect(to: Authority, policy: AddressPolicy): Promise<Net.Socket> {
    const { host, port } = to
    const addresses = await this.#addressesOf(to, policy)
    const attempts = alternatingFamilies(addresses).map(({ address }) => () =>
      this.#track(builtins.net.connect({
        host: address,
        port,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MILLISECONDS,
        allowHalfOpen: policy.purpose === "tunnel"
      }))
    )
    return firstConnected(attempts, this.#timeout).catch((error: unknown) => {
      throw error === TIMED_OUT
        ? new DialError("timeout", `${host}:${port} did not respond within ${plural(this.#timeout / 1000, "second")}`)
        : new DialError("unreachable", `${host}:${port} could not be reached (${describeError(error)})`)
    })
  }

  /** The proxy of the network on the way to a host, if any. */
  #proxyFor(upstream: Upstream, target: Authority): string | undefined {
    const { parentProxy } = this.#options
    const [proxy, bypass] = upstream.proxy === undefined
      ? [parentProxy?.url, parentProxy?.noProxy ?? []]
      : [upstream.proxy, upstream.noProxy]
    return proxy === undefined || isLocalName(target) || isBypassed(bypass, target) ? undefined : proxy
  }

  async #connectByProxy(upstream: Upstream, proxy: string, policy: AddressPolicy): Promise<Net.Socket> {
    const { client, target } = policy
    const hop = { upstream, proxy, target }
    if (target.kind !== "name") return this.#through(hop)
    if (needsAddress(proxy)) return this.#throughAddress(hop, await this.#addressesOf(target, policy))
    return client === undefined ? this.#through(hop) : this.#containedThrough(hop, policy)
  }

  async #through({ proxy, target, upstream }: Hop): Promise<Net.Socket> {
    const secureContext = () => this.#roots.trustWith(upstream.extraCaCerts).context
    const socket = await connectThrough(proxy, target, { timeout: this.#timeout, secureContext })
    this.#hops.add(socket)
    return this.#track(socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS))
  }

  /**
   * Opens the tunnel of a contained run through a proxy. The proxy resolves a name again, and the owner of the name could then
   * respond with an address of this machine. So a proxy on this machine gets the checked address instead. If this machine cannot
   * resolve a name, a proxy on another machine resolves it.
   */
  async #containedThrough(hop: Hop, policy: AddressPolicy): Promise<Net.Socket> {
    const { proxy, target } = hop
    const addresses = await this.#lookup(target.host).catch(() => [])
    requireAllowed(addresses, target.port, policy)
    if (policy.isConfigured || !await this.#isOnThisMachine(proxy)) return this.#through(hop)
    const remedy =
      `in a contained run, a proxy on this machine must not resolve names; to let it resolve ${target.host}, ` +
      "add the host to upstream.private_hosts in config.json"
    return this.#throughAddress(hop, addresses, `; ${remedy}`)
  }

  /** Connects through the proxy to one address after the other. */
  async #throughAddress(hop: Hop, addresses: Addresses, remedy = ""): Promise<Net.Socket> {
    const { host, port } = hop.target
    let failure = new DialError("unresolved", `the name ${host} could not be resolved${remedy}`)
    for (const { address, family } of addresses) {
      try {
        return await this.#through({ ...hop, target: { host: address, port, kind: family === 6 ? "ipv6" : "ipv4" } })
      } catch (error) {
        if (!(error instanceof DialError)) throw error
        failure = new DialError(error.problem, `${error.message}${remedy}`)
      }
    }
    throw failure
  }

  async #isOnThisMachine(proxy: string): Promise<boolean> {
    const url = proxyUrl(proxy)
    const host = url === undefined ? "" : hostOf(url)
    if (builtins.net.isIP(host) !== 0) return isOwnMachine(host)
    const addresses = await this.#lookup(host).catch(() => [])
    return addresses.some(({ address }) => isOwnMachine(address))
  }
}
