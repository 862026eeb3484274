/** An accepted HTTP/2 request is for this tunnel's host and can be expressed in HTTP/1.1. */
import * as http from "node:http"
import { readHead, receivedOverHttp2, sameAuthority } from "../../../src/proxy/exchange/RequestHead.ts"
import type { Origin } from "../../../src/proxy/routing/Origin.ts"
import { fieldsOf, hold, type Target } from "../Target.ts"

const origin: Origin = {
  scheme: "https",
  authority: { kind: "name", host: "api.example", port: 443 },
  hostHeader: "api.example",
  routes: undefined
}

const head = ":method: GET\n:scheme: https\n:authority: api.example\n:path: /a?b"

export const seeds: Target["seeds"] = [
  head,
  `${head}\nhost: API.example.:443\ncookie: a=b\ncookie: c=d\nte: trailers`,
  `${head}\ncontent-type: application/grpc+proto\ncontent-length: 12\nexpect: 100-continue`,
  head.replace("GET", "CONNECT").replace("api.example", "other.example"),
  head.replace("/a?b", "/a#b"),
  head.replace("/a?b", "*").replace("GET", "OPTIONS")
]

export const fuzz: Target["fuzz"] = (data) => {
  const fields = fieldsOf(data.toString("latin1").split("\n"))
  const { head: { headers, method, target }, refusal } = readHead(
    receivedOverHttp2(fields, data.length % 2 === 0, origin),
    origin,
    []
  )
  hold(
    headers.every((name, at) => at % 2 === 1 || !/^:(?:method|path|scheme|authority)$/.test(name)),
    () => "a pseudo-header is left"
  )
  if (refusal !== undefined) return
  hold(http.METHODS.includes(method) && method !== "CONNECT" && method !== "TRACE", () => `the method ${method}`)
  hold(/^\/[^#]*$/.test(target) || (target === "*" && method === "OPTIONS"), () => `the target ${target}`)
  for (const [at, name] of fields.entries()) {
    if (at % 2 === 1 || (name !== ":authority" && name !== "host")) continue
    hold(sameAuthority(fields[at + 1]!, origin), () => `the host ${fields[at + 1]}`)
  }
}
