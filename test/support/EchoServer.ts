/** A gRPC API: the echo service over TLS on loopback. */
import * as grpc from "@grpc/grpc-js"
import { type EchoEvents, echoHandlers, EchoService } from "./EchoService.ts"
import type { TestCertificate } from "./TestCertificates.ts"

export interface EchoServer {
  readonly port: number
  readonly events: EchoEvents
  readonly close: () => void
}

export const openEchoServer = (certificate: TestCertificate, credential: string): Promise<EchoServer> => {
  const events = { cancelled: 0 }
  const server = new grpc.Server()
  server.addService(EchoService, echoHandlers(credential, events))
  const credentials = grpc.ServerCredentials.createSsl(null, [
    { private_key: Buffer.from(certificate.key), cert_chain: Buffer.from(certificate.cert) }
  ])
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error, port) => {
      if (error === null) resolve({ port, events, close: () => server.forceShutdown() })
      else reject(error)
    })
  })
}
