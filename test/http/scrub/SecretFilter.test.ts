import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { SecretFilter } from "../../../src/http/scrub/SecretFilter.ts"
import { SecretSearch } from "../../../src/http/scrub/SecretSearch.ts"
import { paddedPlaceholder } from "../../../src/http/scrub/SecretSpellings.ts"
import { CANARY, discloses, encodingsOf } from "../../support/Canary.ts"

const PLACEHOLDER = "credsvc-proxy-managed"

const filtered = (search: SecretSearch, parts: ReadonlyArray<Buffer>): Buffer => {
  const filter = new SecretFilter(() => search)
  return Buffer.concat([...parts.map((part) => Buffer.from(filter.write(part))), filter.end()])
}

const searchFor = (...secrets: ReadonlyArray<string>) => new SecretSearch(secrets, PLACEHOLDER)

const filter = (text: string, ...secrets: ReadonlyArray<string>): string =>
  filtered(searchFor(...secrets), [Buffer.from(text)]).toString()

describe("SecretFilter", () => {
  for (const [name, encoded] of Object.entries(encodingsOf(CANARY))) {
    it(`replaces a secret in the encoding ${name}, wherever the data is split`, () => {
      const search = searchFor(CANARY)
      for (const text of encoded) {
        const body = Buffer.from(`x${text}s, ${text}`, "latin1")
        const whole = filtered(search, [body])
        assert.strictEqual(whole.length, body.length)
        assert.isFalse(discloses(whole, CANARY), whole.toString())
        for (let at = 0; at <= body.length; at++) {
          assert.deepStrictEqual(filtered(search, [body.subarray(0, at), body.subarray(at)]), whole)
        }
        assert.deepStrictEqual(filtered(search, [...body].map((byte) => Buffer.from([byte]))), whole)
      }
    })
  }

  it("writes the placeholder in the encoding of the secret, so that a client decodes it", () => {
    const name = "credsvc-proxy-managed-----------"
    assert.strictEqual(filter(`{"key":"${CANARY}"}`, CANARY), `{"key":"${name}"}`)
    assert.strictEqual(filter(Buffer.from(CANARY).toString("hex"), CANARY), Buffer.from(name).toString("hex"))
    for (const before of ["", "a", "ab"]) {
      const text = Buffer.from(`${before}${CANARY} and more`).toString("base64")
      const decoded = Buffer.from(filter(text, CANARY), "base64").toString()
      assert.match(decoded, /^a?b?.credsvc-proxy-managed-*. and more$/s)
    }
  })

  it("replaces the longest encoding of a secret, even if a shorter one is its beginning", () => {
    const secret = "sk-canary-100%"
    assert.strictEqual(
      filter(`a ${secret}25, ${secret}2525, ${secret}`, secret),
      [
        `a ${PLACEHOLDER.slice(0, 16)}`,
        PLACEHOLDER.slice(0, 18),
        PLACEHOLDER.slice(0, 14)
      ].join(", ")
    )
  })

  it("finds secrets of punctuation, which have many encodings, and secrets in other scripts", () => {
    const cases = [
      "!@#$%^&*()_+{}|:<>?",
      "%%%%%%%%%%%%",
      "\\\\\\\\\\\\\\\\",
      "pässwörd-ключ-🔑",
      "a.b.c.d.e.f.g.h",
      "key&with\"quote\\",
      "ключ-пароль"
    ]
    for (const secret of cases) {
      for (const [name, texts] of Object.entries(encodingsOf(secret))) {
        for (const text of texts) {
          const body = Buffer.from(`<${text}>`, name.startsWith("wide") ? "latin1" : "utf8")
          const out = filtered(searchFor(secret), [body])
          assert.isFalse(discloses(out, secret) || discloses(out.toString(), secret), `${name} ${text}`)
        }
      }
    }
  })

  it("does not change harmless text in any encoding", () => {
    const search = searchFor(CANARY, "pässwörd-ключ-🔑")
    for (const text of Object.values(encodingsOf("sk-canary_8Qx/2vL+9dR~Zt4=Wm0.bN, pässwörd-ключи")).flat()) {
      const body = Buffer.from(`<${text}>`, "latin1")
      assert.isTrue(filtered(search, [body]).equals(body), text)
    }
  })

  it("writes the placeholder in the byte order of a secret that is not ASCII", () => {
    const secret = "ключ/пароль"
    const placeholder = "credsvc-pro"
    const search = searchFor(secret)
    const utf16 = (text: string) => Buffer.from(text, "utf16le")
    for (const text of [`"${secret}", `, `\ufeff${secret}`]) {
      assert.strictEqual(filtered(search, [utf16(text)]).toString("utf16le"), text.replace(secret, placeholder))
      assert.strictEqual(
        filtered(search, [utf16(text).swap16()]).swap16().toString("utf16le"),
        text.replace(secret, placeholder)
      )
    }
  })

  it("replaces the longer one of two secrets that begin alike, wherever the data is split", () => {
    const search = searchFor("token-12345678", "token-12345678-and-more")
    const body = Buffer.from("token-12345678-and-more token-12345678-and-mor")
    const whole = filtered(search, [body])
    assert.strictEqual(whole.toString(), "credsvc-proxy-managed-- credsvc-proxy--and-mor")
    for (let at = 0; at <= body.length; at++) {
      assert.deepStrictEqual(filtered(search, [body.subarray(0, at), body.subarray(at)]), whole)
    }
  })

  it("holds back only bytes that may begin a secret", () => {
    const search = searchFor(CANARY)
    const filter = new SecretFilter(() => search)
    assert.strictEqual(filter.write(Buffer.from("data: 1\n\n")).toString(), "data: 1\n\n")
    assert.strictEqual(filter.write(Buffer.from("data: sk-can")).toString(), "data: ")
    assert.strictEqual(filter.write(Buffer.from("dle\n\n")).toString(), "sk-candle\n\n")
    assert.strictEqual(filter.end().length, 0)
  })

  it("searches for secrets that become known while data arrives", () => {
    const later = "sk-later-0123456789"
    let search = searchFor(CANARY)
    const filter = new SecretFilter(() => search)
    const begun = filter.write(Buffer.from(`${later} ${CANARY.slice(0, 9)}`)).toString()
    search = searchFor(CANARY, later)
    const rest = `${CANARY.slice(9)} ${later}.`
    const text = begun + filter.write(Buffer.from(rest)).toString() + filter.end().toString()
    assert.strictEqual(
      text,
      `${later} ${paddedPlaceholder(PLACEHOLDER, CANARY.length)} ${paddedPlaceholder(PLACEHOLDER, later.length)}.`
    )
  })

  it("passes on data without a secret unchanged, without a copy", () => {
    const search = searchFor(CANARY)
    const filter = new SecretFilter(() => search)
    const part = Buffer.from("nothing to see here, and a period.")
    assert.strictEqual(filter.write(part), part)
    assert.isFalse(filter.hasReplaced)
  })

  it("leaves data without a secret unchanged, and discloses no secret, for any split of the data", () => {
    const search = searchFor(CANARY)
    const piece = fc.oneof(
      fc.constantFrom(...Object.values(encodingsOf(CANARY)).flat()),
      fc.constantFrom(...Object.values(encodingsOf(CANARY)).flat().map((text) => text.slice(0, text.length / 2))),
      fc.string({ maxLength: 20 })
    )
    const splits = fc.array(fc.nat(40), { minLength: 1, maxLength: 40 })
    fc.assert(fc.property(fc.array(piece, { maxLength: 6 }), splits, (pieces, sizes) => {
      const body = Buffer.from(pieces.join("|"), "latin1")
      const parts: Array<Buffer> = []
      for (let at = 0, i = 0; at < body.length; i++) {
        const size = 1 + sizes[i % sizes.length]!
        parts.push(body.subarray(at, at + size))
        at += size
      }
      const out = filtered(search, parts)
      assert.strictEqual(out.length, body.length)
      assert.isFalse(discloses(out, CANARY))
      if (!discloses(body, CANARY)) assert.deepStrictEqual(out, body)
    }))
  })
})
