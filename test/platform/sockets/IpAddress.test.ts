import { assert, describe, it } from "@effect/vitest"
import { isLoopback, isLoopbackLiteral } from "../../../src/platform/sockets/IpAddress.ts"

describe("IpAddress", () => {
  it("accepts 127.0.0.0/8 and ::1 as literal addresses", () => {
    for (const host of ["127.0.0.1", "127.255.0.9", "::1", "[::1]"]) {
      assert.isTrue(isLoopbackLiteral(host), host)
      assert.isTrue(isLoopback(host), host)
    }
  })

  it("rejects names and other addresses as literal, and accepts localhost only as a name", () => {
    const others = ["127.0.0.1.example", "127.evil.test", "127.1", "1127.0.0.1", "0.0.0.0", "::", "::2", "10.0.0.1", ""]
    for (const host of others) assert.isFalse(isLoopback(host), host)
    assert.isFalse(isLoopbackLiteral("localhost"))
    assert.isTrue(isLoopback("localhost"))
  })
})
