/**
 * Lets the browser of the local person open the pages of a daemon that others can reach.
 *
 * A browser cannot prove the access key. `credsvc ui` can, and opens an address with a code, which works once and within a
 * minute. Other users can read the arguments of the program that opens it, so the code also needs a connection of the daemon's
 * user, where the system tells. The response sets a cookie that stands for the local person, for the pages and until the daemon stops. Browsers send
 * cookies to every port of a host, so it alone is no proof: the request must also come over plain loopback and name a loopback
 * host, as one that a server in front forwards for others does not if that server passes on their `Host`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Net from "node:net"
import { isPagesCode, pagesCodeMillis } from "../../config/daemon/AccessKey.ts"
import { builtins } from "../../platform/builtins.ts"
import { sha256 } from "../../platform/Digest.ts"
import { isLoopback, isOfThisMachine } from "../../platform/sockets/Loopback.ts"
import { endsOf, PeerOwner } from "../../platform/sockets/PeerOwner.ts"
import { fieldsOf, type RequestHead } from "./Guard.ts"
import { Instance } from "./Instance.ts"
import { isSecure } from "./SecureConnections.ts"

const sessionMillis = 12 * 60 * 60 * 1000
const maxSessions = 64
const pagePrefix = "/ui/"

/** Adds an entry, after those that have expired are deleted, and the oldest one if there are too many. */
const keep = (entries: Map<string, number>, name: string, expires: number, now: number): void => {
  for (const [other, until] of entries) {
    if (until <= now || entries.size >= maxSessions) entries.delete(other)
  }
  entries.set(name, expires)
}

export class PageSessions extends Context.Service<PageSessions, {
  /** The `Set-Cookie` field for a valid code. Undefined for a code that is invalid, old or used. */
  readonly enter: (socket: Net.Socket, head: RequestHead, code: string) => Effect.Effect<string | undefined>

  /** Whether the request to the route with this pattern is one for a page, by a browser of the local person. */
  readonly admits: (socket: Net.Socket, head: RequestHead, route: string) => boolean
}>()("credsvc/server/PageSessions") {
  static readonly layerNoDeps = Layer.effect(
    PageSessions,
    Effect.gen(function*() {
      const { accessKey, mountPath, port, startedAt } = yield* Instance
      const owner = yield* PeerOwner
      /** Browsers do not separate the cookies of ports. */
      const name = `credsvc-pages-${port}`
      const cookie = new RegExp(`(?:^|; ?)${name}=([A-Za-z0-9_-]{43})(?:;|$)`)
      const used = new Map<string, number>()
      const sessions = new Map<string, number>()

      const isNear = (socket: Net.Socket, { rawHeaders }: RequestHead): boolean =>
        isOfThisMachine(socket) && !isSecure(socket) &&
        isLoopback((fieldsOf(rawHeaders).get("host") ?? "").toLowerCase().replace(/:\d+$/, ""))

      const isOwn = (socket: Net.Socket): Effect.Effect<boolean> => {
        const ends = endsOf(socket)
        return ends === undefined
          ? Effect.succeed(false)
          : Effect.map(owner.peer(ends.remote, ends.local), (found) => found === "own" || found === "unsupported")
      }

      return PageSessions.of({
        enter: Effect.fnUntraced(function*(socket, head, code) {
          if (!(yield* isOwn(socket))) return undefined
          const now = Date.now()
          if (!isNear(socket, head) || used.has(code) || !isPagesCode(accessKey, code, { now, startedAt })) {
            return undefined
          }
          keep(used, code, now + 2 * pagesCodeMillis, now)
          const token = builtins.crypto.randomBytes(32).toString("base64url")
          keep(sessions, sha256(token), now + sessionMillis, now)
          return `${name}=${token}; Path=${mountPath}${pagePrefix}; Max-Age=${
            sessionMillis / 1000
          }; HttpOnly; SameSite=Strict`
        }),
        admits: (socket, head, route) => {
          if (!route.startsWith(pagePrefix) || !isNear(socket, head)) return false
          const token = cookie.exec(fieldsOf(head.rawHeaders).get("cookie") ?? "")?.[1]
          const until = token === undefined ? undefined : sessions.get(sha256(token))
          return until !== undefined && until > Date.now()
        }
      })
    })
  )
}
