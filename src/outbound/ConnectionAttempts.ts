/**
 * Connects to the first of several addresses that responds (RFC 8305 section 5). Attempts overlap: a slow address delays
 * only the next attempt, and no attempt is given up before the time for all of them is over.
 */
import type * as Dns from "node:dns"
import type * as Net from "node:net"

/** The Connection Attempt Delay that RFC 8305 section 8 recommends. */
const DELAY_MILLISECONDS = 250

/** The failure of attempts that have used up their time. */
export const TIMED_OUT = new Error("no address responded in time")

/** Orders addresses alternately by family, beginning with the family of the first address (RFC 8305 section 4). */
export const alternatingFamilies = (addresses: ReadonlyArray<Dns.LookupAddress>): ReadonlyArray<Dns.LookupAddress> => {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family)
  const second = addresses.filter(({ family }) => family !== addresses[0]?.family)
  return addresses.flatMap((_, i) => [first[i] ?? [], second[i] ?? []]).flat()
}

/** Returns the first socket that is connected. Fails with the error of the last attempt, or with `TIMED_OUT`. */
export const firstConnected = (attempts: ReadonlyArray<() => Net.Socket>, timeout: number): Promise<Net.Socket> =>
  new Promise((resolve, reject) => {
    const open = new Set<Net.Socket>()
    let started = 0
    let delay: NodeJS.Timeout | undefined
    const end = (): void => {
      clearTimeout(timer)
      clearTimeout(delay)
      started = attempts.length
      for (const socket of open) socket.destroy()
      open.clear()
    }
    const timer = setTimeout(() => {
      end()
      reject(TIMED_OUT)
    }, timeout)
    const next = (): void => {
      clearTimeout(delay)
      if (started === attempts.length) return
      const socket = attempts[started++]!()
      open.add(socket)
      delay = setTimeout(next, DELAY_MILLISECONDS)
      const failed = (error: Error): void => {
        // Later errors of an abandoned attempt are ignored.
        if (!open.delete(socket)) return
        if (started < attempts.length) next()
        else if (open.size === 0) {
          end()
          reject(error)
        }
      }
      socket.on("error", failed)
      socket.once("connect", () => {
        if (!open.delete(socket)) return
        socket.off("error", failed)
        end()
        resolve(socket)
      })
    }
    if (attempts.length > 0) return next()
    end()
    reject(new Error("no address"))
  })
