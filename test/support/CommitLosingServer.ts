/** A proxy in front of PostgreSQL that can lose the response to an UPDATE or to its COMMIT. */
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"

/** The tags with which PostgreSQL responds to an UPDATE, and to a COMMIT that has taken effect. */
const updated = Buffer.from("UPDATE 1\0")
const committed = Buffer.from("COMMIT\0")

/** Serves the database of the URL on a Unix socket in a subdirectory. The URL must name the directory of a Unix socket. */
export const loseCommits = async (directory: string, url: string) => {
  const [, target = ""] = /host=([^&]+)/.exec(url) ?? []
  const name = fs.readdirSync(target).find((file) => /^\.s\.PGSQL\.\d+$/.test(file)) ?? ""
  const own = path.join(directory, "database")
  fs.mkdirSync(own, { mode: 0o700 })
  const sockets = new Set<net.Socket>()
  let armed: "UPDATE" | "COMMIT" | undefined
  let isStalled = false
  const server = net.createServer((client) => {
    const database = net.connect(path.join(target, name))
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on("error", () => {}).on("close", () => {
        sockets.delete(socket)
        client.destroy()
        database.destroy()
      })
    }
    client.on("data", (chunk) => database.write(chunk))
    if (isStalled) { for (const socket of [client, database]) socket.pause() }
    let hasUpdated = false
    database.on("data", (chunk) => {
      if (chunk.includes(updated)) hasUpdated = true
      const hasCommitted = chunk.includes(committed)
      if (hasUpdated && (armed === "UPDATE" || (armed === "COMMIT" && hasCommitted))) {
        armed = undefined
        client.destroy()
      } else client.write(chunk)
      if (hasCommitted) hasUpdated = false
    })
  })
  await new Promise<void>((resolve) => server.listen(path.join(own, name), resolve))
  return {
    url: url.replace(target, own),
    /**
     * Ends the connection in place of a response: that to the next UPDATE, which is then rolled back, or that to the COMMIT
     * of the next UPDATE, which has taken effect.
     */
    loseNext: (statement: "UPDATE" | "COMMIT") => void (armed = statement),
    /** Passes no more bytes in either direction, and accepts connections like a server that is stopped. */
    stall: () => {
      isStalled = true
      for (const socket of sockets) socket.pause()
    },
    resume: () => {
      isStalled = false
      for (const socket of sockets) socket.resume()
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    }
  }
}

export type CommitLosingServer = Awaited<ReturnType<typeof loseCommits>>
