/** Decides who may use the proxy of a run: a client with the run's credential, or a process of the run's user. */
import type * as Net from "node:net"
import { fieldOf } from "../http/HeaderFields.ts"
import { builtins } from "../platform/builtins.ts"
import type { Ownership } from "../platform/PeerOwner.ts"

export type AskOwner = (socket: Net.Socket, report: (owner: Ownership) => void) => void

const kOwner = Symbol("owner of the client end")
const kWaiting = Symbol("waiting for the owner of the client end")

type AskedSocket = Net.Socket & { [kOwner]?: Ownership; [kWaiting]?: Array<(owner: Ownership) => void> }

export class RunAdmission {
  readonly user = "credsvc"
  /** The credential of this run. The forward proxy admits every client that presents it. */
  readonly credential: string = builtins.crypto.randomBytes(32).toString("base64url")
  readonly #expected: Buffer
  readonly #askOwner: AskOwner

  constructor(askOwner: AskOwner) {
    this.#askOwner = askOwner
    this.#expected = Buffer.from(Buffer.from(`${this.user}:${this.credential}`).toString("base64"))
  }

  /** Decides about a client of the forward proxy. A wrong credential is refused even if the process belongs to the run's user. */
  decide(headers: ReadonlyArray<string>, socket: AskedSocket, report: (admitted: boolean) => void): void {
    const given = fieldOf(headers, "proxy-authorization")
    if (given === undefined) return this.#ownerOf(socket, (owner) => report(owner === "own"))
    const match = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(given)
    const offered = Buffer.from(match?.[1] ?? "")
    report(offered.length === this.#expected.length && builtins.crypto.timingSafeEqual(offered, this.#expected))
  }

  /**
   * Decides about a client with a credential that other users can read. Only Linux reports the owner. `unknown` is refused: the
   * kernel's table no longer has a client that has closed its side.
   */
  decideUser(socket: AskedSocket, report: (admitted: boolean) => void): void {
    this.#ownerOf(socket, (owner) => report(owner === "own" || owner === "unsupported"))
  }

  /** Asks the kernel once for each connection. */
  #ownerOf(socket: AskedSocket, report: (owner: Ownership) => void): void {
    const known = socket[kOwner]
    if (known !== undefined) return report(known)
    const waiting = socket[kWaiting]
    if (waiting !== undefined) return void waiting.push(report)
    socket[kWaiting] = [report]
    this.#askOwner(socket, (owner) => {
      socket[kOwner] = owner
      for (const waiter of socket[kWaiting] ?? []) waiter(owner)
      delete socket[kWaiting]
    })
  }
}
