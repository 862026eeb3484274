/** A proxy that speaks SOCKS 5 (RFC 1928), and leads every connection to one port of this machine. */
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"
import { listen } from "./TestServer.ts"

const hostIn = (request: Buffer): readonly [host: string, end: number] => {
  const kind = request[3]
  if (kind === 1) return [[...request.subarray(4, 8)].join("."), 8]
  if (kind === 3) return [request.toString("latin1", 5, 5 + request[4]!), 5 + request[4]!]
  return [request.subarray(4, 20).toString("hex"), 20]
}

/** Starts the proxy. `reply`: 0 to connect, or the code of a refusal. */
export const make = (port: number, reply = 0) =>
  Effect.gen(function*() {
    /** The destinations that clients asked for, as `host:port`. */
    const asked: Array<string> = []
    /** `user:password` of each client that sent them. */
    const users: Array<string> = []
    const serve = (client: Net.Socket) => {
      client.on("error", () => {}).once("data", (greeting: Buffer) => {
        const wantsUser = greeting.subarray(2).includes(2)
        client.write(Buffer.from([5, wantsUser ? 2 : 0]))
        const connect = () =>
          client.once("data", (request: Buffer) => {
            const [host, end] = hostIn(request)
            asked.push(`${host}:${request.readUInt16BE(end)}`)
            client.write(Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]))
            if (reply !== 0) return client.end()
            const server = builtins.net.connect(port, "127.0.0.1")
            client.pipe(server.on("error", () => client.destroy())).pipe(client)
          })
        if (!wantsUser) return connect()
        client.once("data", (login: Buffer) => {
          const user = login.toString("latin1", 2, 2 + login[1]!)
          users.push(`${user}:${login.toString("latin1", 3 + login[1]!)}`)
          client.write(Buffer.from([1, 0]))
          connect()
        })
      })
    }
    return { ...yield* listen(builtins.net.createServer(serve)), asked, users }
  })
