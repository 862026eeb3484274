/** The sandboxes of the daemon according to its last response, and the check of the tokens that clients present. */
import type { ServedSandbox, ServedSandboxes } from "../../domain/wire/Sandbox.ts"
import { basicText } from "../../http/HeaderFields.ts"
import { builtins } from "../../platform/builtins.ts"
import type { Refusal } from "../ErrorResponse.ts"

const tokenRefusal = (message: string): Refusal => ({ status: 407, error: "ProxyAuthenticationRequired", message })

/** Parses the value of `Proxy-Authorization`. Returns undefined if it is not a name and a token. */
export const parseProxyCredentials = (field: string) => {
  const [, name, token] = /^([a-z0-9][a-z0-9_-]{0,31}):([A-Za-z0-9_-]{1,128})$/.exec(basicText(field) ?? "") ?? []
  return name === undefined || token === undefined ? undefined : { name, token }
}

const digestOf = (token: string): Buffer => builtins.crypto.createHash("sha256").update(token).digest()

/** Identifies a sandbox with its current token. */
export const keyOf = ({ generation, id }: ServedSandbox): string => `${id}:${generation}`

export class SandboxTable {
  #version: string | undefined
  #sandboxes: ReadonlyMap<string, ServedSandbox> = new Map()

  get version(): string | undefined {
    return this.#version
  }

  get size(): number {
    return this.#sandboxes.size
  }

  /** When the next sandbox expires, in milliseconds since 1970; undefined without sandboxes. */
  get nextExpiry(): number | undefined {
    const times = [...this.#sandboxes.values()].map(({ expiresAt }) => expiresAt.epochMilliseconds)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  named(name: string): ServedSandbox | undefined {
    return this.#sandboxes.get(name)
  }

  /** Applies a response of the daemon, and returns the sandboxes whose tokens are no longer valid. */
  update({ sandboxes, version }: ServedSandboxes): ReadonlyArray<ServedSandbox> {
    const before = this.#sandboxes
    this.#version = version
    this.#sandboxes = new Map(sandboxes.map((sandbox) => [sandbox.name, sandbox]))
    return [...before.values()].filter((old) => {
      const current = this.#sandboxes.get(old.name)
      return current === undefined || keyOf(current) !== keyOf(old)
    })
  }

  /** Removes expired sandboxes, and returns them. */
  expire(now: number): ReadonlyArray<ServedSandbox> {
    const expired = [...this.#sandboxes.values()].filter(({ expiresAt }) => expiresAt.epochMilliseconds <= now)
    if (expired.length === 0) return []
    this.#sandboxes = new Map([...this.#sandboxes].filter(([, sandbox]) => !expired.includes(sandbox)))
    return expired
  }

  /** Verifies a client's sandbox name and token, in constant time even for unknown names. Returns the sandbox or a refusal. */
  verify({ name, token }: NonNullable<ReturnType<typeof parseProxyCredentials>>): ServedSandbox | Refusal {
    const sandbox = this.#sandboxes.get(name)
    const digest = digestOf(token)
    const expected = Buffer.from(sandbox?.tokenHash ?? "0".repeat(64), "hex")
    const isEqual = builtins.crypto.timingSafeEqual(digest, expected)
    if (sandbox !== undefined && isEqual) return sandbox
    return tokenRefusal(
      `the token does not belong to a sandbox named "${name}", or is no longer valid; see credsvc sandbox list, and get ` +
        `the current token with credsvc sandbox env ${name}`
    )
  }
}

export const tokenMissing = tokenRefusal(
  "this proxy needs the token of a sandbox: use http://NAME:TOKEN@host:port as the URL of the proxy, as printed by " +
    "credsvc sandbox env NAME"
)

export const sandboxGone = (name: string) =>
  tokenRefusal(`the sandbox "${name}" was deleted or has expired; create it again with credsvc sandbox create ${name}`)

export const wrongSandbox = (name: string) =>
  tokenRefusal(
    `this proxy serves only the sandbox "${name}", and the token belongs to another sandbox; get the right token with ` +
      `credsvc sandbox env ${name}`
  )
