/** The secrets that one run or sandbox has sent, by host. The responses of that host may repeat them. */
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { CompiledSecret, SecretSearch } from "../../http/scrub/SecretSearch.ts"
import { MIN_SECRET_LENGTH } from "../../http/scrub/SecretSpellings.ts"
import { setNewest } from "../../platform/BoundedMap.ts"

/** The maximum number of hosts, because the client chooses among those that a provider's pattern matches. */
const MAX_HOSTS = 256
/** The number of secrets that are kept for a host. Responses may still repeat earlier ones, such as a token from before a refresh. */
const MAX_EARLIER = 16
/** The maximum number of issued tokens to keep for a host, because the client decides how many it requests. */
const MAX_ISSUED = 256
/** The maximum number of compiled secrets to keep; each takes up to 100 KB. */
const MAX_COMPILED = 512

const areSame = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  some === others || (some.length === others.length && some.every((secret, at) => secret === others[at]))

/** The secrets that one host got. */
interface HostSecrets {
  /** The secrets as keys, the most recently sent last. */
  readonly secrets: Map<string, true>
  /** As keys, the tokens that the host has issued, and may repeat before a request has them. */
  readonly issued: Map<string, true>
  /** The secrets of the last request, because the next one usually has the same. */
  latest: ReadonlyArray<string>
  search: SecretSearch | undefined
  /**
   * Whether a secret was found in compressed content when it could no longer be removed. Later requests then ask for
   * content without a coding.
   */
  wantsIdentity: boolean
}

export class SentSecrets {
  readonly #hosts = new Map<string, HostSecrets>()
  /** The compiled form of each secret, which all searches share. */
  readonly #compiled = new Map<string, CompiledSecret>()
  /** The last search and its secrets, because the hosts of a provider get the same ones. */
  #last: { readonly secrets: ReadonlyArray<string>; readonly search: SecretSearch } | undefined

  /** Remembers secrets for the authority. Returns a search for these and the earlier ones; undefined if there is nothing to search for. */
  searchWith(authority: string, secrets: ReadonlyArray<string>): SecretSearch | undefined {
    if (secrets.length === 0 && !this.#hosts.has(authority)) return undefined
    const host = this.#host(authority)
    this.#add(host, secrets)
    return host.search ??= this.#searchFor([...new Set([...host.issued.keys(), ...host.secrets.keys()])])
  }

  /** Adds tokens that the authority has issued to the client. */
  addIssued(authority: string, tokens: ReadonlyArray<string>): void {
    const host = this.#host(authority)
    host.search = undefined
    for (const token of tokens) setNewest(host.issued, token, true, MAX_ISSUED)
  }

  #host(authority: string): HostSecrets {
    const known = this.#hosts.get(authority)
    if (known !== undefined) return known
    const host: HostSecrets = {
      secrets: new Map(),
      issued: new Map(),
      latest: [],
      search: undefined,
      wantsIdentity: false
    }
    setNewest(this.#hosts, authority, host, MAX_HOSTS)
    return host
  }

  #add(host: HostSecrets, secrets: ReadonlyArray<string>): void {
    if (areSame(secrets, host.latest)) return
    host.latest = secrets
    const limit = Math.max(MAX_EARLIER, secrets.length)
    for (const secret of secrets) {
      if (secret.length < MIN_SECRET_LENGTH) continue
      if (!host.secrets.has(secret)) host.search = undefined
      setNewest(host.secrets, secret, true, limit)
    }
  }

  /** Remembers that this authority repeated a secret in compressed content, so that later requests ask for content without a coding. */
  askForIdentity(authority: string): void {
    const host = this.#hosts.get(authority)
    if (host !== undefined) host.wantsIdentity = true
  }

  wantsIdentity(authority: string): boolean {
    return this.#hosts.get(authority)?.wantsIdentity === true
  }

  #searchFor(secrets: ReadonlyArray<string>): SecretSearch | undefined {
    if (secrets.length === 0) return undefined
    const last = this.#last
    if (last !== undefined && areSame(last.secrets, secrets)) return last.search
    if (this.#compiled.size > MAX_COMPILED) this.#compiled.clear()
    const search = new SecretSearch(secrets.map((secret) => this.#compile(secret)), PLACEHOLDER)
    this.#last = { secrets, search }
    return search
  }

  #compile(secret: string): CompiledSecret {
    const found = this.#compiled.get(secret) ?? new CompiledSecret(secret, PLACEHOLDER)
    this.#compiled.set(secret, found)
    return found
  }
}
