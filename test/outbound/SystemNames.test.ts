import { assert, describe, it } from "@effect/vitest"
import { isPlainConfiguration, type NameSources, systemNames } from "../../src/outbound/SystemNames.ts"

const unknown = (code: string) => Promise.reject(Object.assign(new Error(code), { code }))
const NEVER = new Promise<never>(() => {})
const ADDRESS = [{ address: "192.0.2.9", family: 4 }]

/** What was asked of the blocking resolver, and of DNS. */
const names = (
  more: Partial<NameSources> = {},
  answers: Partial<Record<"v4" | "v6", (host: string) => Promise<Array<string>>>> = {}
) => {
  const blocking: Array<string> = []
  const dns: Array<string> = []
  const { v4 = async () => ["192.0.2.1"], v6 = async () => ["2001:db8::1"] } = answers
  const find = systemNames({
    isPlain: () => true,
    hosts: () => "127.0.0.1 localhost\n10.0.0.7\tlisted.corp.test alias.test # other.test\n",
    resolver: () => ({
      resolve4: ((host: string) => (dns.push(host), v4(host))) as never,
      resolve6: ((host: string) => v6(host)) as never
    }),
    lookup: async (host) => (blocking.push(host), ADDRESS),
    ...more
  })
  return { blocking, dns, find }
}

describe("host names", () => {
  it("are resolved without the blocking resolver, so that a slow lookup does not delay others", async () => {
    const { blocking, find } = names({}, {
      v4: (host) => host.startsWith("dead") ? NEVER : Promise.resolve(["192.0.2.1"]),
      v6: (host) => host.startsWith("dead") ? NEVER : Promise.resolve(["2001:db8::1"])
    })
    for (let i = 0; i < 10; i++) void find(`dead-${i}.test`)
    assert.deepStrictEqual(await find("api.test"), [{ address: "2001:db8::1", family: 6 }, {
      address: "192.0.2.1",
      family: 4
    }])
    assert.deepStrictEqual(blocking, [])
  })

  it("share one query while it is pending, and cause a new query afterwards", async () => {
    const { dns, find } = names()
    await Promise.all(Array.from({ length: 20 }, () => find("api.test")))
    assert.deepStrictEqual(dns, ["api.test"])
    await find("api.test")
    assert.lengthOf(dns, 2)
  })

  const cases = [
    ["a name in the hosts file", "listed.corp.test", {}],
    ["an alias in the hosts file", "alias.test", {}],
    ["a name without a dot", "intranet", {}],
    ["a name of multicast DNS", "printer.local", {}],
    ["a name of this machine", "app.localhost", {}],
    ["any name with other sources", "api.test", { isPlain: () => false }]
  ] as const
  for (const [what, host, more] of cases) {
    it(`are left to the system: ${what}`, async () => {
      const { blocking, dns, find } = names(more)
      assert.deepStrictEqual(await find(host), ADDRESS)
      assert.deepStrictEqual([blocking, dns], [[host], []])
    })
  }

  it("are left to the system and its search domains if DNS does not know them, and fail if no server responds", async () => {
    const missing = names({}, { v4: () => unknown("ENOTFOUND"), v6: () => unknown("ENODATA") })
    assert.deepStrictEqual(await missing.find("other.test"), ADDRESS)
    assert.deepStrictEqual(missing.blocking, ["other.test"])
    const silent = names({}, { v4: () => unknown("ETIMEOUT"), v6: () => unknown("ENOTFOUND") })
    assert.strictEqual(await silent.find("x.test").catch(({ code }: { code: string }) => code), "ETIMEOUT")
    assert.deepStrictEqual(silent.blocking, [])
  })

  it("have the addresses of one family if the other one is missing or takes much longer", async () => {
    const four = [{ address: "192.0.2.1", family: 4 }]
    assert.deepStrictEqual(await names({}, { v6: () => unknown("ENODATA") }).find("api.test"), four)
    assert.deepStrictEqual(await names({}, { v6: () => NEVER }).find("api.test"), four)
  })
})

describe("isPlainConfiguration", () => {
  it("accepts an nsswitch.conf that names only the hosts file and DNS", () => {
    for (const text of ["", "hosts: files dns", "passwd: x\nhosts:\tfiles myhostname dns # mdns\n"]) {
      assert.isTrue(isPlainConfiguration(text), text)
    }
    const texts = [
      "hosts: files mdns4_minimal [NOTFOUND=return] dns",
      "hosts: files resolve dns",
      "hosts: files ldap dns"
    ]
    for (const text of texts) {
      assert.isFalse(isPlainConfiguration(text), text)
    }
  })
})
