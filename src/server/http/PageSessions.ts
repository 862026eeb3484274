/**
 * Opens the pages of an exposed daemon to the browser of a local caller.
 *
 * A browser cannot prove the access key. `credsvc ui` can, and opens an address with a code, which works once and within a
 * minute. Other users can read the arguments of the program that opens it, so the code is valid only on a connection of the
 * daemon's user, if the system can tell. The response sets a cookie that identifies the local caller on the pages until the daemon
 * stops. Browsers send cookies to every port of a host, also to ports of other users, so the cookie alone proves nothing. The
 * request must also come over plain loopback, from the daemon's user, and name a loopback host. A request that a reverse proxy
 * forwards for others names another host if the proxy passes on `Host`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Net from "node:net"
import { isPagesCode, pagesCodeMillis } from "../../config/daemon/PagesCode.ts"
import { builtins } from "../../platform/builtins.ts"
import { sha256 } from "../../platform/Digest.ts"
import { ExpiringSet } from "../../platform/ExpiringSet.ts"
import { isLoopback, isOfThisMachine } from "../../platform/sockets/IpAddress.ts"
import { PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { headerFieldsOf, type ReceivedHead } from "./Guard.ts"
import { Instance } from "./Instance.ts"
import { ownerOf } from "./PeerAdmission.ts"
import { isSecure } from "./SecureConnections.ts"

const sessionMillis = 12 * 60 * 60 * 1000
const maxSessions = 64
const pagePrefix = "/ui/"

const make = Effect.gen(function*() {
  const { accessKey, mountPath, port, startedAt } = yield* Instance
  const owner = yield* PeerOwner
  /** The cookie name contains the port, because browsers send cookies to all ports of a host. */
  const name = `credsvc-pages-${port}`
  const cookie = new RegExp(`(?:^|; ?)${name}=([A-Za-z0-9_-]{43})(?:;|$)`)
  const used = new ExpiringSet(2 * pagesCodeMillis + 1, maxSessions)
  const sessions = new ExpiringSet(sessionMillis, maxSessions)

  const isNear = (socket: Net.Socket, { rawHeaders }: ReceivedHead): boolean =>
    isOfThisMachine(socket) && !isSecure(socket) &&
    isLoopback((headerFieldsOf(rawHeaders).get("host") ?? "").toLowerCase().replace(/:\d+$/, ""))

  /** The connections of the daemon's user, as far as the system can tell. */
  const known = new WeakSet<Net.Socket>()
  const isOfUser = Effect.fnUntraced(function*(socket: Net.Socket) {
    if (known.has(socket)) return true
    const found = yield* ownerOf(owner, socket)
    if (found !== "own" && found !== "unsupported") return false
    known.add(socket)
    return true
  })

  return {
    /** Returns the `Set-Cookie` field for a valid code, or undefined if the code is unknown, expired or used. */
    enter: Effect.fnUntraced(function*(socket: Net.Socket, head: ReceivedHead, code: string) {
      const isUser = yield* isOfUser(socket)
      const now = Date.now()
      const isValid = isUser && isNear(socket, head) &&
        !used.has(code, now) && isPagesCode(accessKey, code, { now, startedAt })
      if (!isValid) return undefined
      used.add(code, now)
      const token = builtins.crypto.randomBytes(32).toString("base64url")
      sessions.add(sha256(token), now)
      return `${name}=${token}; Path=${mountPath}${pagePrefix}; Max-Age=${
        sessionMillis / 1000
      }; HttpOnly; SameSite=Strict`
    }),
    /** Tells whether a browser of a local caller requests a page. `route` is the pattern of the path. */
    admits: Effect.fnUntraced(function*(socket: Net.Socket, head: ReceivedHead, route: string) {
      if (!route.startsWith(pagePrefix) || !isNear(socket, head)) return false
      const token = cookie.exec(headerFieldsOf(head.rawHeaders).get("cookie") ?? "")?.[1]
      return token !== undefined && sessions.has(sha256(token), Date.now()) && (yield* isOfUser(socket))
    })
  }
})

export class PageSessions
  extends Context.Service<PageSessions, Effect.Success<typeof make>>()("credsvc/server/PageSessions")
{
  static readonly layerNoDeps = Layer.effect(PageSessions, make)
}
