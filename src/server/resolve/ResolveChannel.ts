/**
 * The daemon's end of the resolve protocol in `domain/wire/ResolveMessages`. The upgrade request passes the same guard
 * as other requests, and must have no browser headers. Its connection must already be admitted.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { RunId } from "../../domain/wire/Resolve.ts"
import {
  markHeader,
  maxQueryBytes,
  readQuery,
  resolvePath,
  resolveProtocol
} from "../../domain/wire/ResolveMessages.ts"
import { CallerAdmission } from "../http/CallerAdmission.ts"
import { refusalOf } from "../http/Guard.ts"
import type { Channel, UpgradeHandler } from "../http/HttpListener.ts"
import { Instance } from "../http/Instance.ts"
import { withoutMountPath } from "../http/MountPath.ts"
import { PeerAdmission } from "../http/PeerAdmission.ts"
import { ChangeMark } from "./ChangeMark.ts"
import type { Ask, Caller, Reply } from "./ResolveReplies.ts"

const idleMillis = 60_000
const isRunId = Schema.is(RunId)

const lineFeed = 10

const switching = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${resolveProtocol}\r\n`

/** Returns the run and profile of an upgrade request, or undefined for a request that our proxy would not send. */
const callerOf = (request: Http.IncomingMessage, target: string, socket: Net.Socket): Caller | undefined => {
  const { headers, headersDistinct, method } = request
  const { "credsvc-profile": profile, "credsvc-run": run } = headers
  if (method !== "GET" || target !== resolvePath || headers.upgrade !== resolveProtocol) return undefined
  if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined) return undefined
  if (Object.values(headersDistinct).some((values) => values !== undefined && values.length > 1)) return undefined
  if (run !== undefined && !isRunId(run)) return undefined
  return { socket, readsMark: headers[markHeader] !== undefined, run, profile: profile?.toString() }
}

/** Removes `Upgrade` from the header fields that the guard checks, because it rejects every upgrade. */
const withoutUpgrade = ({ rawHeaders }: Http.IncomingMessage): ReadonlyArray<string> =>
  rawHeaders.filter((_, at) => rawHeaders[at - at % 2]?.toLowerCase() !== "upgrade")

/** Replies to one query at a time. Closes the socket on a protocol violation. */
const serveQueries = (socket: Net.Socket, caller: Caller, ask: Ask, markPath: string): Channel => {
  let received: Buffer | undefined
  let busy = false
  let finishing = false
  let abandon = (): void => {}

  const reply: Reply = (status, body, mark) => {
    busy = false
    if (typeof body !== "string") { for (const part of [`${status} `, body, "\n"]) socket.write(part) }
    else socket.write(mark === undefined ? `${status} ${body}\n` : `${status} @${mark} ${body}\n`, "utf8")
    if (finishing) socket.end()
  }
  socket.on("data", (chunk: Buffer) => {
    const bytes = received === undefined ? chunk : Buffer.concat([received, chunk])
    const end = bytes.indexOf(lineFeed)
    const isInvalid = busy || bytes.length > maxQueryBytes + 1 || (end !== -1 && end !== bytes.length - 1)
    if (isInvalid) return void socket.destroy()
    received = end === -1 ? bytes : undefined
    if (end === -1) return
    const query = readQuery(bytes.toString("utf8", 0, end))
    if (query === undefined) return void socket.destroy()
    busy = true
    abandon = ask(caller, query, reply)
  })
  socket.on("end", () => socket.destroy())
  socket.on("close", () => {
    if (busy) abandon()
  })
  socket.setTimeout(idleMillis)
  // A callback passed to `setTimeout` would fire only once, possibly while a query is in progress.
  socket.on("timeout", () => {
    if (!busy) socket.destroy()
  })
  socket.write(`${switching}${caller.readsMark ? `${markHeader}: ${encodeURIComponent(markPath)}\r\n` : ""}\r\n`)
  return {
    isIdle: () => !busy && socket.writableLength === 0,
    finish: () => {
      finishing = true
      if (!busy) socket.end()
    }
  }
}

export const make = (
  ask: Ask
): Effect.Effect<UpgradeHandler, never, CallerAdmission | ChangeMark | Instance | PeerAdmission> =>
  Effect.gen(function*() {
    const { path: markPath } = yield* ChangeMark
    const { authorities, mountPath } = yield* Instance
    const admission = yield* PeerAdmission
    const callers = yield* CallerAdmission

    return (request, socket, head) => {
      const { httpVersion, method = "", url = "" } = request
      const target = withoutMountPath(mountPath, url)
      const caller = callerOf(request, target, socket)
      if (caller === undefined || head.length > 0 || httpVersion !== "1.1") return undefined
      if (!admission.isAdmitted(socket)) return undefined
      const requestHead = { httpVersion, method, rawHeaders: withoutUpgrade(request), target }
      // Only a local caller can open a channel, because its queries are not signed.
      if (!callers.isLocal(socket) || refusalOf(requestHead, authorities) !== undefined) return undefined
      return serveQueries(socket, caller, ask, markPath)
    }
  })
