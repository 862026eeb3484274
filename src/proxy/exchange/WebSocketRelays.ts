/** Relays bytes between client and upstream after a WebSocket handshake. */
import type { Duplex, Transform } from "node:stream"
import type { CredentialUse, OpenUse } from "../routing/CredentialUses.ts"

/** How long an upstream may be silent after the client has half-closed. */
const HALF_CLOSED_MILLISECONDS = 300_000

interface RelayOptions {
  readonly use: CredentialUse | undefined
  /** Changes what the client sends. */
  readonly messages: Transform | undefined
  /** Changes what the client receives. */
  readonly filter: Transform | undefined
  /** Called once, with the number of bytes from the client and from the upstream. */
  readonly ended: (sent: number, received: number) => void
}

interface Relay {
  readonly use: CredentialUse | undefined
  readonly release: () => void
}

export class WebSocketRelays {
  readonly #open = new Map<Duplex, Relay>()

  /** Relays until both directions have ended. TCP keep-alive detects lost peers. */
  readonly join = (client: Duplex, upstream: Duplex, { ended, filter, messages, use }: RelayOptions): void => {
    let silence: NodeJS.Timeout | undefined
    let sent = 0
    let received = 0
    const release = () => {
      if (!this.#open.delete(client)) return
      clearTimeout(silence)
      client.destroy()
      upstream.destroy()
      filter?.destroy()
      messages?.destroy()
      ended(sent, received)
    }
    this.#open.set(client, { use, release })
    client.on("data", (chunk: Buffer) => sent += chunk.length)
    upstream.on("data", (chunk: Buffer) => received += chunk.length)
    client.once("end", () => {
      silence = setTimeout(release, HALF_CLOSED_MILLISECONDS)
      upstream.on("data", () => silence?.refresh())
    })
    client.on("error", release)
    upstream.on("error", release)
    client.once("close", release)
    upstream.once("close", () => {
      // The client first receives the data that the filter still holds.
      if (filter === undefined || !upstream.readableEnded || client.writableFinished) release()
      else client.once("finish", release)
    })
    if (messages === undefined) client.pipe(upstream)
    else client.pipe(messages).pipe(upstream)
    if (filter === undefined) upstream.pipe(client)
    else upstream.pipe(filter.on("error", release)).pipe(client)
  }

  get uses(): ReadonlyArray<OpenUse> {
    return [...this.#open].flatMap(([client, { use }]) =>
      use === undefined ? [] : [{ use, withdraw: () => client.destroy() }]
    )
  }

  close(): void {
    for (const { release } of this.#open.values()) release()
  }
}
