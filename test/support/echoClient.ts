/**
 * A gRPC client in a separate process, with nothing but its environment: makes a call of each kind and prints, as JSON,
 * what came of it. Arguments: the target.
 */
import * as grpc from "@grpc/grpc-js"
import { EchoService } from "./EchoService.ts"

const Client = grpc.makeGenericClientConstructor(EchoService, "Echo")
const client = new Client(process.argv[2] ?? "", grpc.credentials.createSsl())

type Unary = (
  message: Buffer,
  options: grpc.CallOptions,
  callback: (error: grpc.ServiceError | null, answer?: Buffer) => void
) => grpc.ClientUnaryCall
const call = <Method>(name: keyof typeof EchoService): Method => (client[name] as () => void).bind(client) as Method

const outcome = (error: grpc.ServiceError | null, answer?: Buffer): unknown =>
  error === null
    ? answer !== undefined && answer.length > 100 ? answer.length : answer?.toString()
    : { code: error.code, details: error.details }

const unary = (name: "unary" | "silent", message: Buffer, options: grpc.CallOptions = {}) =>
  new Promise((resolve) => {
    call<Unary>(name)(message, options, (error, answer) => resolve(outcome(error, answer)))
  })

const collect = () =>
  new Promise((resolve) => {
    const stream = call<
      (callback: (error: grpc.ServiceError | null, answer?: Buffer) => void) => grpc.ClientWritableStream<Buffer>
    >(
      "collect"
    )((error, answer) => resolve(outcome(error, answer)))
    for (const part of ["a", "b", "c"]) stream.write(Buffer.from(part))
    stream.end()
  })

const read = (stream: grpc.ClientReadableStream<Buffer>, onData: (text: string) => void = () => {}) =>
  new Promise((resolve) => {
    const messages: Array<string> = []
    stream.on("data", (message: Buffer) => {
      messages.push(message.toString())
      onData(message.toString())
    })
    stream.on("error", () => {})
    stream.on(
      "status",
      ({ code, details }) => resolve({ count: messages.length, last: messages.at(-1), code, details })
    )
  })

const count = (howMany: number) =>
  read(call<(message: Buffer) => grpc.ClientReadableStream<Buffer>>("count")(Buffer.from(String(howMany))))

const fail = (code: number) =>
  read(call<(message: Buffer) => grpc.ClientReadableStream<Buffer>>("fail")(Buffer.from(String(code))))

/** Each message is sent when the one before has come back. */
const chat = () => {
  const stream = call<() => grpc.ClientDuplexStream<Buffer, Buffer>>("chat")()
  let sent = 0
  const next = () => {
    if (sent === 5) stream.end()
    else stream.write(Buffer.from(`message ${sent++}`))
  }
  next()
  return read(stream, next)
}

const cancel = () =>
  new Promise((resolve) => {
    const running = call<Unary>("silent")(Buffer.from("x"), {}, (error) => resolve(outcome(error)))
    setTimeout(() => running.cancel(), 200)
  })

const results = {
  unary: await unary("unary", Buffer.from("hello")),
  large: await unary("unary", Buffer.alloc(1024 * 1024, "x")),
  collect: await collect(),
  count: await count(1000),
  chat: await chat(),
  fail: await fail(9),
  deadline: await unary("silent", Buffer.from("x"), { deadline: Date.now() + 300 }),
  cancel: await cancel(),
  many: (await Promise.all(Array.from({ length: 50 }, (_, i) => unary("unary", Buffer.from(`m${i}`))))).join() ===
    Array.from({ length: 50 }, (_, i) => `m${i}`).join()
}
console.log(JSON.stringify(results))
client.close()
