/** An HTTP/2 server for connections that it is handed: sessions of `node:http2` with limits against abuse. */
import type * as Http2 from "node:http2"
import type * as Tls from "node:tls"
import { builtins } from "../../platform/builtins.ts"
import { MAX_HEAD_BYTES } from "../HeaderFields.ts"
import { forgetEndedStreams, joinUnread } from "../NodeQuirks.ts"
import { END_STREAM, SETTINGS_TIMEOUT } from "./FrameCodes.ts"
import { onSession } from "./SendHeaders.ts"

const IDLE_MILLISECONDS = 75_000
const STREAM_WINDOW_BYTES = 256 * 1024
const SESSION_WINDOW_BYTES = 4 * 1024 * 1024
/** How many MiB the streams of a session may buffer before Node resets new ones. */
const SESSION_MEBIBYTES = 64

/** The limits of a session. nghttp2 itself limits outstanding acknowledgements and CONTINUATION frames. */
const LIMITS = {
  settings: {
    enablePush: false,
    // No extended CONNECT (RFC 8441): nothing would inspect a tunnel within the tunnel.
    enableConnectProtocol: false,
    maxConcurrentStreams: 512,
    initialWindowSize: STREAM_WINDOW_BYTES,
    // A longer header list resets the stream. A shorter one that exceeds `MAX_HEAD_BYTES` gets status 431.
    maxHeaderListSize: 2 * MAX_HEAD_BYTES
  },
  maxHeaderListPairs: 2000,
  maxSendHeaderBlockLength: 128 * 1024,
  maxSettings: 32,
  maxSessionMemory: SESSION_MEBIBYTES,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // The limits against rapid resets (CVE-2023-44487): the size of a burst of resets, and the resets per second after it.
  streamResetBurst: 1000,
  streamResetRate: 33
} satisfies Http2.ServerSessionOptions

/** Handles a received stream: its header list as flat pairs, and whether content follows. */
export type StreamHandler = (stream: Http2.ServerHttp2Stream, raw: ReadonlyArray<string>, hasBody: boolean) => void

export class ServerSessions {
  readonly #settingsMilliseconds: number
  readonly #sessions = new Set<Http2.ServerHttp2Session>()

  /** `settingsMilliseconds`: how long a client may take to acknowledge the settings. */
  constructor(settingsMilliseconds: number) {
    this.#settingsMilliseconds = settingsMilliseconds
  }

  serve(socket: Tls.TLSSocket, requested: StreamHandler): void {
    const session = builtins.http2.performServerHandshake(socket, LIMITS)
    forgetEndedStreams(session)
    onSession(session, () => session.setLocalWindowSize(SESSION_WINDOW_BYTES))
    this.#sessions.add(session)
    let open = 0
    let idle: NodeJS.Timeout | undefined
    const becomeIdle = () => {
      clearTimeout(idle)
      idle = setTimeout(() => session.close(), IDLE_MILLISECONDS).unref()
    }
    // Until the client acknowledges the limits, they are not in force (RFC 9113 section 6.5.3), and no other timer ends a silent
    // session.
    const unacknowledged = setTimeout(() => {
      session.destroy(new Error("the settings were not acknowledged"), SETTINGS_TIMEOUT)
    }, this.#settingsMilliseconds)
    session.once("localSettings", () => {
      clearTimeout(unacknowledged)
      if (open === 0) becomeIdle()
    })
    session.on("error", () => {}) // `close` follows
    // A client that half-closes is treated as gone, as in HTTP/1.1: clients that wait for a response keep their side open. Only a
    // write could show whether a client still reads. Such a client sees that its response is incomplete.
    socket.once("end", () => session.destroy())
    session.on("close", () => {
      clearTimeout(unacknowledged)
      clearTimeout(idle)
      this.#sessions.delete(session)
    })
    session.on("stream", (stream, _headers, flags, raw: Array<string>) => {
      clearTimeout(idle)
      joinUnread(stream)
      open++
      stream.once("close", () => {
        open--
        if (open === 0 && !session.closed) becomeIdle()
      })
      requested(stream, raw, (flags & END_STREAM) === 0)
    })
  }

  close(): void {
    for (const session of this.#sessions) session.destroy()
  }
}
