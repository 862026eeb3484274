/** Who may use the proxy of a run: credential, else uid, else nobody (D1). */
import type * as Net from "node:net"
import { fieldOf } from "../http/HeaderFields.ts"
import { builtins } from "../platform/builtins.ts"

/** Answers whether the peer of a connection is a process of our own user, as the kernel knows it. */
export type IsOwnUser = (socket: Net.Socket, answer: (own: boolean) => void) => void

const kAdmitted = Symbol("admitted")
const kAsked = Symbol("asked")

type AskedSocket = Net.Socket & { [kAdmitted]?: boolean; [kAsked]?: Array<(admitted: boolean) => void> }

export class RunAdmission {
  readonly user = "credsvc"
  /** Of this run. What presents it is admitted. */
  readonly credential: string = builtins.crypto.randomBytes(32).toString("base64url")
  readonly #expected: Buffer
  readonly #isOwnUser: IsOwnUser

  constructor(isOwnUser: IsOwnUser) {
    this.#isOwnUser = isOwnUser
    this.#expected = Buffer.from(Buffer.from(`${this.user}:${this.credential}`).toString("base64"))
  }

  /** `headers` are flat pairs. The kernel is asked once for each connection. A wrong credential is not made good by the uid. */
  decide(headers: ReadonlyArray<string>, socket: AskedSocket, answer: (admitted: boolean) => void): void {
    const given = fieldOf(headers, "proxy-authorization")
    if (given !== undefined) {
      const match = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(given)
      const offered = Buffer.from(match?.[1] ?? "")
      answer(
        offered.length === this.#expected.length && builtins.crypto.timingSafeEqual(offered, this.#expected)
      )
      return
    }
    if (socket[kAdmitted] !== undefined) {
      answer(socket[kAdmitted])
      return
    }
    const asked = socket[kAsked]
    if (asked !== undefined) {
      asked.push(answer)
      return
    }
    socket[kAsked] = [answer]
    this.#isOwnUser(socket, (own) => {
      socket[kAdmitted] = own
      for (const waiting of socket[kAsked] ?? []) waiting(own)
      delete socket[kAsked]
    })
  }
}
