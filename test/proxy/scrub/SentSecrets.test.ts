import { assert, describe, it } from "@effect/vitest"
import { SentSecrets } from "../../../src/proxy/scrub/SentSecrets.ts"

const secret = (count: number) => `secret-number-${count}-of-the-host`

const finds = (secrets: SentSecrets, host: string, text: string): boolean =>
  secrets.searchWith(host, [])?.isIn(`a ${text} b`) ?? false

describe("SentSecrets", () => {
  it("finds only the secrets that were sent to the same host and port", () => {
    const secrets = new SentSecrets()
    for (const [index, host] of ["a.example.com", "b.example.com", "a.example.com:8443"].entries()) {
      secrets.searchWith(host, [secret(index)])
    }
    assert.isTrue(finds(secrets, "a.example.com", secret(0)))
    assert.isFalse(finds(secrets, "a.example.com", secret(1)))
    assert.isFalse(finds(secrets, "a.example.com", secret(2)))
    assert.isTrue(finds(secrets, "b.example.com", secret(1)))
    assert.isFalse(finds(secrets, "c.example.com", secret(0)))
  })

  it("keeps the 16 latest secrets of a host, or all secrets of one request", () => {
    const secrets = new SentSecrets()
    for (let count = 0; count < 17; count++) secrets.searchWith("a.example.com", [secret(count)])
    assert.isFalse(finds(secrets, "a.example.com", secret(0)))
    for (let count = 1; count < 17; count++) assert.isTrue(finds(secrets, "a.example.com", secret(count)))
    const many = Array.from({ length: 20 }, (_, count) => secret(100 + count))
    const search = secrets.searchWith("a.example.com", many)
    for (const one of many) assert.isTrue(search?.isIn(one))
  })

  it("finds the 256 latest tokens that a host has issued, however many others it gets", () => {
    const secrets = new SentSecrets()
    for (let count = 0; count < 257; count++) secrets.addIssued("a.example.com", [secret(count)])
    for (let count = 300; count < 330; count++) secrets.searchWith("a.example.com", [secret(count)])
    assert.isFalse(finds(secrets, "a.example.com", secret(0)))
    assert.isTrue(finds(secrets, "a.example.com", secret(1)))
    assert.isTrue(finds(secrets, "a.example.com", secret(256)))
    assert.isFalse(finds(secrets, "b.example.com", secret(256)))
  })

  it("keeps the secrets of 256 hosts", () => {
    const secrets = new SentSecrets()
    for (let count = 0; count < 257; count++) secrets.searchWith(`h${count}.example.com`, [secret(count)])
    assert.isTrue(finds(secrets, "h1.example.com", secret(1)))
    assert.isFalse(finds(secrets, "h0.example.com", secret(0)))
  })
})
