/** Decides who may use the proxy of a run: a client with the run's credential, or a process of the run's user. */
import type * as Net from "node:net"
import { fieldOf } from "../http/HeaderFields.ts"
import { builtins } from "../platform/builtins.ts"
import type { Ownership } from "../platform/PeerOwner.ts"

/** Reports which user is at the far end of a connection, as the kernel knows it. */
export type AskOwner = (socket: Net.Socket, report: (owner: Ownership) => void) => void

const kOwner = Symbol("owner of the far end")
const kWaiting = Symbol("waiting for the owner of the far end")

type AskedSocket = Net.Socket & { [kOwner]?: Ownership; [kWaiting]?: Array<(owner: Ownership) => void> }

export class RunAdmission {
  readonly user = "credsvc"
  /** Of this run. A client of the forward proxy that presents it is admitted. */
  readonly credential: string = builtins.crypto.randomBytes(32).toString("base64url")
  readonly #expected: Buffer
  readonly #askOwner: AskOwner

  constructor(askOwner: AskOwner) {
    this.#askOwner = askOwner
    this.#expected = Buffer.from(Buffer.from(`${this.user}:${this.credential}`).toString("base64"))
  }

  /** `headers` are flat pairs. A wrong credential is not made good by the user of the process. */
  decide(headers: ReadonlyArray<string>, socket: AskedSocket, report: (admitted: boolean) => void): void {
    const given = fieldOf(headers, "proxy-authorization")
    if (given === undefined) return this.#ownerOf(socket, (owner) => report(owner === "own"))
    const match = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(given)
    const offered = Buffer.from(match?.[1] ?? "")
    report(offered.length === this.#expected.length && builtins.crypto.timingSafeEqual(offered, this.#expected))
  }

  /**
   * Reports whether a client that presented a credential which other users can read may use it: on Linux a process of the
   * run's user, elsewhere anyone, because the kernel does not tell. `unknown` is refused: a client that has ended its side
   * of the connection is not in the kernel's table any more.
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
