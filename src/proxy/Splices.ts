/** Relays bytes between client and upstream after a WebSocket handshake. */
import type { Duplex } from "node:stream"

/** How long an upstream may be silent after the client has half-closed. */
const HALF_CLOSED_MILLISECONDS = 300_000

export class Splices {
  readonly #open = new Set<Duplex>()

  /** Relays until both directions have ended. TCP keep-alive detects lost peers. */
  readonly join = (client: Duplex, upstream: Duplex): void => {
    let silence: NodeJS.Timeout | undefined
    this.#open.add(client)
    const release = () => {
      clearTimeout(silence)
      this.#open.delete(client)
      client.destroy()
      upstream.destroy()
    }
    client.once("end", () => {
      silence = setTimeout(release, HALF_CLOSED_MILLISECONDS)
      upstream.on("data", () => silence?.refresh())
    })
    client.on("error", release)
    upstream.on("error", release)
    client.once("close", release)
    upstream.once("close", release)
    client.pipe(upstream)
    upstream.pipe(client)
  }

  close(): void {
    for (const client of this.#open) client.destroy()
  }
}
