/** A gRPC service with every kind of call and plain bytes as messages, for an API and its client. */
import type * as Grpc from "@grpc/grpc-js"

const bytes = (value: Buffer): Buffer => value
const method = <Request extends boolean, Response extends boolean>(
  name: string,
  requestStream: Request,
  responseStream: Response
) => ({
  path: `/test.Echo/${name}`,
  requestStream,
  responseStream,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes
})

export const EchoService = {
  /** Responds with the message. */
  unary: method("Unary", false, false),
  /** Responds with all messages in one. */
  collect: method("Collect", true, false),
  /** Responds with as many messages as the message states. */
  count: method("Count", false, true),
  /** Responds to each message with itself. */
  chat: method("Chat", true, true),
  /** Never responds. */
  silent: method("Silent", false, false),
  /** Responds to a message, then fails with the status code that the message names. */
  fail: method("Fail", false, true)
} satisfies Grpc.ServiceDefinition

/** Each call needs the credential in its metadata. */
export const echoHandlers = (credential: string): Grpc.UntypedServiceImplementation => {
  const denied = { code: 16, details: "no credential" }
  const admitted = (metadata: Grpc.Metadata) => metadata.get("authorization").join() === credential
  return {
    unary: (call: Grpc.ServerUnaryCall<Buffer, Buffer>, callback: Grpc.sendUnaryData<Buffer>) => {
      if (admitted(call.metadata)) callback(null, call.request)
      else callback(denied)
    },
    collect: (call: Grpc.ServerReadableStream<Buffer, Buffer>, callback: Grpc.sendUnaryData<Buffer>) => {
      const parts: Array<Buffer> = []
      call.on("data", (part: Buffer) => parts.push(part))
      call.on("end", () => callback(admitted(call.metadata) ? null : denied, Buffer.concat(parts)))
    },
    count: (call: Grpc.ServerWritableStream<Buffer, Buffer>) => {
      for (let i = 0; i < Number(call.request.toString()); i++) call.write(Buffer.from(String(i)))
      call.end()
    },
    chat: (call: Grpc.ServerDuplexStream<Buffer, Buffer>) => {
      call.on("data", (part: Buffer) => call.write(part))
      call.on("end", () => call.end())
    },
    silent: () => {},
    fail: (call: Grpc.ServerWritableStream<Buffer, Buffer>) => {
      call.write(Buffer.from("before"))
      call.emit("error", { code: Number(call.request.toString()), details: "so it was asked: 100 % ✓" })
    }
  }
}
