/** A minimal JSON server: parses a JSON body and responds with the JSON from its argument. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"

const payload = process.argv[2] ?? "{}"

const server = http.createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (chunk: string) => body += chunk)
  request.on("end", () => {
    const { host } = JSON.parse(body) as { readonly host: string }
    response.writeHead(host === "" ? 400 : 200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(payload)
    })
    response.end(JSON.stringify(JSON.parse(payload)))
  })
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
