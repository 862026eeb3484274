/** An OTLP/HTTP receiver that decodes what it receives, JSON or protobuf, by the field numbers of opentelemetry-proto. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import { builtins } from "../../src/platform/builtins.ts"

export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly parentSpanId: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: number
  readonly status: string
}

export interface Received {
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  /** The body, decompressed. */
  readonly text: string
  readonly resource: Readonly<Record<string, unknown>>
  readonly spans: ReadonlyArray<ReceivedSpan>
  readonly metrics: ReadonlyArray<string>
}

/** How the receiver treats a request: with a status, or without a response. */
export type Treatment = number | "silence"

export interface OtlpReceiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  readonly spans: () => ReadonlyArray<ReceivedSpan>
  /** The number of requests, also of those without a response. */
  readonly requests: () => number
  treatment: Treatment
}

/** The fields of a protobuf message by their numbers. */
type Message = ReadonlyMap<number, ReadonlyArray<Buffer | bigint>>

const readMessage = (bytes: Buffer): Message => {
  const fields = new Map<number, Array<Buffer | bigint>>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n;; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error("a protobuf message is incomplete")
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    if (at > bytes.length) throw new Error("a protobuf message is incomplete")
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const type = tag & 7
    const value = type === 0 ? varint() : type === 1 ? take(8) : type === 2 ? take(Number(varint())) : take(4)
    fields.set(tag >> 3, [...fields.get(tag >> 3) ?? [], value])
  }
  return fields
}

const messages = (message: Message, field: number): ReadonlyArray<Message> =>
  (message.get(field) ?? []).map((value) => readMessage(value as Buffer))
const bytesOf = (message: Message, field: number): Buffer => (message.get(field)?.[0] ?? Buffer.alloc(0)) as Buffer
const textOf = (message: Message, field: number): string => bytesOf(message, field).toString("utf8")

const statuses = ["unset", "ok", "error"]

const attributesOf = (found: ReadonlyArray<Message>): Record<string, unknown> =>
  Object.fromEntries(found.map((pair) => {
    const [value = new Map()] = messages(pair, 2)
    const integer = value.get(3)?.[0]
    return [textOf(pair, 1), integer === undefined ? textOf(value, 1) : Number(integer)]
  }))

const decodeProtobuf = (bytes: Buffer, signal: "metrics" | "traces") => {
  const [group] = messages(readMessage(bytes), 1)
  const [resource] = messages(group!, 1)
  const entries = messages(group!, 2).flatMap((scope) => messages(scope, 2))
  return {
    resource: attributesOf(messages(resource!, 1)),
    metrics: signal === "metrics" ? entries.map((metric) => textOf(metric, 1)) : [],
    spans: signal === "metrics" ? [] : entries.map((span): ReceivedSpan => ({
      traceId: bytesOf(span, 1).toString("hex"),
      parentSpanId: bytesOf(span, 4).toString("hex"),
      name: textOf(span, 5),
      attributes: attributesOf(messages(span, 9)),
      events: messages(span, 11).length,
      status: statuses[Number(messages(span, 15)[0]?.get(3)?.[0] ?? 0)]!
    }))
  }
}

const jsonAttributes = (found: ReadonlyArray<any>): Record<string, unknown> =>
  Object.fromEntries(found.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

const decodeJson = (text: string) => {
  const { resourceMetrics, resourceSpans } = JSON.parse(text)
  const [group] = resourceMetrics ?? resourceSpans
  const spans = (group.scopeSpans ?? []).flatMap((scope: any) => scope.spans)
  const metrics = (group.scopeMetrics ?? []).flatMap((scope: any) => scope.metrics)
  return {
    resource: jsonAttributes(group.resource.attributes),
    metrics: metrics.map(({ name }: any) => name) as ReadonlyArray<string>,
    spans: spans.map((span: any): ReceivedSpan => ({
      traceId: span.traceId,
      parentSpanId: span.parentSpanId ?? "",
      name: span.name,
      attributes: jsonAttributes(span.attributes),
      events: span.events.length,
      status: statuses[span.status.code]!
    })) as ReadonlyArray<ReceivedSpan>
  }
}

/** Starts a receiver that stops with the scope. */
export const startOtlpReceiver: Effect.Effect<OtlpReceiver, never, Scope.Scope> = Effect.gen(function*() {
  const received: Array<Received> = []
  let requests = 0
  const server = builtins.http.createServer((request, response) => {
    requests++
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { treatment } = receiver
      if (treatment === "silence") return
      const raw = Buffer.concat(chunks)
      const body = request.headers["content-encoding"] === "gzip" ? builtins.zlib.gunzipSync(raw) : raw
      const text = body.toString("latin1")
      if (treatment === 200) {
        const decoded = request.headers["content-type"] === "application/json"
          ? decodeJson(body.toString("utf8"))
          : decodeProtobuf(body, request.url!.endsWith("/metrics") ? "metrics" : "traces")
        received.push({ path: request.url!, headers: request.headers, text, ...decoded })
      }
      response.writeHead(treatment).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as Net.AddressInfo).port}`,
    received,
    spans: () => received.flatMap(({ spans }) => spans),
    requests: () => requests,
    treatment: 200
  }
  return receiver
})
