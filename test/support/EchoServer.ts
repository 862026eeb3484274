/** A gRPC API: the echo service over TLS on loopback. */
import * as grpc from "@grpc/grpc-js"
import { echoHandlers, EchoService } from "./EchoService.ts"
import type { TestCertificate } from "./TestCertificates.ts"

export interface EchoServer {
  readonly port: number
  readonly close: () => void
}

export const openEchoServer = (certificate: TestCertificate, credential: string): Promise<EchoServer> => {
  const server = new grpc.Server()
  server.addService(EchoService, echoHandlers(credential))
  const credentials = grpc.ServerCredentials.createSsl(null, [
    { private_key: Buffer.from(certificate.key), cert_chain: Buffer.from(certificate.cert) }
  ])
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error, port) => {
      if (error === null) resolve({ port, close: () => server.forceShutdown() })
      else reject(error)
    })
  })
}
