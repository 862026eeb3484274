/** The classes of addresses, in every notation of an address. */
import { assert, describe, it } from "@effect/vitest"
import { addressClass } from "../../src/outbound/AddressRules.ts"

describe("addressClass", () => {
  it.each(
    [
      ["metadata", ["169.254.169.254", "fd00:ec2::254", "::ffff:169.254.169.254"]],
      ["private", ["10.0.0.1", "127.0.0.1", "::1", "64:ff9b::a00:1", "2002:a00:1::", "fe80::1%eth0", "no address"]],
      ["public", ["93.184.216.34", "2606:2800:220:1::1", "2002:5db8:d822::"]]
    ] as const
  )("is %s for such an address in any notation", (kind, addresses) => {
    for (const address of addresses) assert.strictEqual(addressClass(address), kind, address)
  })
})
