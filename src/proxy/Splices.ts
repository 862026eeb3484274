/** Relays bytes between client and upstream after a WebSocket handshake. */
import type { Duplex, Transform } from "node:stream"
import type { CredentialUse, OpenUse } from "./routing/CredentialUses.ts"

/** How long an upstream may be silent after the client has half-closed. */
const HALF_CLOSED_MILLISECONDS = 300_000

export class Splices {
  readonly #open = new Map<Duplex, CredentialUse | undefined>()

  /** Relays until both directions have ended. TCP keep-alive detects lost peers. `filter` changes what the client receives. */
  readonly join = (client: Duplex, upstream: Duplex, use: CredentialUse | undefined, filter?: Transform): void => {
    let silence: NodeJS.Timeout | undefined
    this.#open.set(client, use)
    const release = () => {
      clearTimeout(silence)
      this.#open.delete(client)
      client.destroy()
      upstream.destroy()
      filter?.destroy()
    }
    client.once("end", () => {
      silence = setTimeout(release, HALF_CLOSED_MILLISECONDS)
      upstream.on("data", () => silence?.refresh())
    })
    client.on("error", release)
    upstream.on("error", release)
    client.once("close", release)
    upstream.once("close", () => {
      // What the filter still holds reaches the client first.
      if (filter === undefined || !upstream.readableEnded || client.writableFinished) release()
      else client.once("finish", release)
    })
    client.pipe(upstream)
    if (filter === undefined) upstream.pipe(client)
    else upstream.pipe(filter.on("error", release)).pipe(client)
  }

  get uses(): ReadonlyArray<OpenUse> {
    return [...this.#open].flatMap(([client, use]) =>
      use === undefined ? [] : [{ use, withdraw: () => client.destroy() }]
    )
  }

  close(): void {
    for (const client of this.#open.keys()) client.destroy()
  }
}
