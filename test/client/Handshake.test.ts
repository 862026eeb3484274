import { assert, describe, it } from "@effect/vitest"
import { endpointOf, readHandshake } from "../../src/client/Handshake.ts"

const response = (body: string, length = body.length, status = "200 OK") =>
  `HTTP/1.1 ${status}\r\nCredsvc-Proof: abc\r\nContent-Length: ${length}\r\n\r\n${body}`

describe("readHandshake", () => {
  it.each([
    ["a whole response", response("{}"), { proof: "abc", health: {} }],
    ["a body that is not an object", response("1"), { proof: "abc", health: {} }],
    ["a head without its end", "HTTP/1.1 200 OK\r\n", "incomplete"],
    ["a body without its end", response("{", 2), "incomplete"],
    ["another status", response("{}", 2, "404 Not Found"), "invalid"],
    ["another protocol", "SSH-2.0\r\n\r\n", "invalid"],
    ["a body that is not JSON", response("<a>"), "invalid"],
    ["a body that is too long", response("{}", 65_537), "invalid"]
  ])("reads %s", (_, text, expected) => {
    assert.deepStrictEqual(readHandshake(Buffer.from(text)), expected as never)
  })
})

describe("endpointOf", () => {
  it.each([
    ["http://[::1]:9000", { secure: false, host: "::1", port: 9000 }],
    ["http://127.0.0.1", { secure: false, host: "127.0.0.1", port: 80 }],
    ["https://creds.example/team", { secure: true, host: "creds.example", port: 443 }]
  ])("reads the host and the port of %s", (url, expected) => {
    assert.deepStrictEqual(
      endpointOf({ url: new URL(url), loopback: true, explicit: true, startable: false }),
      expected
    )
  })
})
