import { assert, describe, it } from "@effect/vitest"
import { isBypassed, type ProxiedHost } from "../../src/config/ProxyAddress.ts"

const name: ProxiedHost = { host: "api.corp.test", port: 443, kind: "name" }
const four: ProxiedHost = { host: "10.1.2.3", port: 8443, kind: "ipv4" }
const six: ProxiedHost = { host: "fd00::5", port: 443, kind: "ipv6" }

describe("an entry of no_proxy", () => {
  const rows: ReadonlyArray<readonly [entry: string, matches: ReadonlyArray<ProxiedHost>]> = [
    ["*", [name, four, six]],
    ["", []],
    ["api.corp.test", [name]],
    ["CORP.test", [name]],
    [".corp.test", [name]],
    ["*.corp.test", [name]],
    ["orp.test", []],
    ["corp.test:443", [name]],
    ["corp.test:80", []],
    ["10.1.2.3", [four]],
    ["10.1.2.3:8443", [four]],
    ["10.1.2.3:443", []],
    ["1.2.3", []],
    ["10.0.0.0/8", [four]],
    ["10.1.2.4/31", []],
    ["0.0.0.0/0", [four]],
    ["fd00::/8", [six]],
    ["fd00::5", [six]],
    ["[fd00::5]", [six]],
    ["[fd00::5]:443", [six]],
    ["[fd00::5]:80", []],
    ["10.0.0.0/99", []]
  ]
  for (const [entry, matches] of rows) {
    it(`"${entry}" exempts ${matches.map(({ host }) => host).join(" and ") || "nothing"}`, () => {
      assert.deepStrictEqual([name, four, six].filter((host) => isBypassed([entry], host)), [...matches])
    })
  }
})
