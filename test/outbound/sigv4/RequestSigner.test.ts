import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import { signingKey } from "../../../src/connections/use/SigningKeys.ts"
import {
  canonicalRequest,
  hashOf,
  hexHmac,
  splitTarget,
  stringToSign
} from "../../../src/outbound/sigv4/CanonicalRequest.ts"
import type { ClientSignature } from "../../../src/outbound/sigv4/ClientSignature.ts"
import { signHead, signingCredential } from "../../../src/outbound/sigv4/RequestSigner.ts"

interface Suite {
  readonly region: string
  readonly service: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  readonly signingDate: string
  readonly requests: ReadonlyArray<{
    readonly name: string
    readonly method: string
    readonly path: string
    readonly query: Readonly<Record<string, string>>
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly authorization: string
  }>
}

const suite: Suite = JSON.parse(fs.readFileSync(new URL("vectors.json", import.meta.url), "utf8"))
const { credentials, region, service } = suite
const latin1 = (text: string) => Buffer.from(text).toString("latin1")

const keyFor = (scope: { readonly region: string; readonly service: string }, date: string) =>
  signingCredential(
    signingKey(
      {
        access_key_id: Redacted.make(credentials.accessKeyId),
        secret_access_key: Redacted.make(credentials.secretAccessKey)
      },
      scope,
      DateTime.makeUnsafe(date)
    )
  )

const pathOf = (target: string, literalPath: boolean): string =>
  canonicalRequest({ method: "GET", target, headers: [], signed: [], payload: "", literalPath }).split("\n")[1]!
const queryOf = (query: string): string =>
  canonicalRequest({ method: "GET", target: `/?${query}`, headers: [], signed: [], payload: "", literalPath: false })
    .split("\n")[2]!

describe("RequestSigner", () => {
  for (const { authorization, body = "", headers, method, name, path, query } of suite.requests) {
    it(`signs ${name} as AWS's test suite for Signature Version 4 does`, () => {
      const pairs = Object.entries(query).map(([key, value]) =>
        `${encodeURIComponent(key)}=${encodeURIComponent(value)}`
      )
      const signed = Object.keys(headers).map((each) => each.toLowerCase()).toSorted()
      const canonical = canonicalRequest({
        method,
        target: latin1(pairs.length === 0 ? path : `${path}?${pairs.join("&")}`),
        headers: Object.entries(headers).flat().map(latin1),
        signed,
        payload: hashOf(latin1(body)),
        literalPath: false
      })
      const { key } = keyFor({ region, service }, suite.signingDate)
      const text = stringToSign(
        "AWS4-HMAC-SHA256",
        "20150830T123600Z",
        `20150830/${region}/${service}/aws4_request`,
        hashOf(canonical)
      )
      assert.include(authorization, `SignedHeaders=${signed.join(";")}, Signature=${hexHmac(key, text)}`)
    })
  }
})

describe("canonicalRequest", () => {
  it("normalizes an encoded path and encodes it again for services other than S3", () => {
    const cases = [
      ["/", "/"],
      ["/a/..", "/"],
      ["/a/../b/", "/b/"],
      ["/./a//b/./", "/a/b/"],
      ["//", "/"],
      ["/a%20b", "/a%2520b"],
      ["/model/claude-v2%3A1/converse", "/model/claude-v2%253A1/converse"],
      ["/a(b)*'~", "/a%28b%29%2A%27~"],
      ["/\u00e1", "/%E1"]
    ] as const
    for (const [path, expected] of cases) assert.strictEqual(pathOf(path, false), expected)
  })

  it("takes a path literally and encodes it once for S3", () => {
    const rows = [
      ["/a/../b", "/a/../b"],
      ["/a//b/", "/a//b/"],
      ["/a%20b", "/a%20b"],
      ["/a%2fb", "/a%2Fb"],
      ["/%7Ea(b)", "/~a%28b%29"],
      ["/100%", "/100%25"]
    ] as const
    for (const [path, expected] of rows) assert.strictEqual(pathOf(path, true), expected)
  })

  it("sorts parameters by their encoded names, then by their values", () => {
    assert.strictEqual(queryOf("b=2&a=3&a=1&A=0&b"), "A=0&a=1&a=3&b=&b=2")
    assert.strictEqual(queryOf("%41=%7e&x=a+b&y=%2B&z=%zz&&=1"), "=1&A=~&x=a%20b&y=%2B&z=%25zz")
  })
})

describe("signHead", () => {
  // The example of a presigned URL in the documentation of S3.
  const signature: ClientSignature = {
    form: "query",
    scope: { region: "us-east-1", service: "s3" },
    signedHeaders: new Set(["host"]),
    expires: 86_400
  }
  const example = () =>
    signHead(
      { method: "GET", path: "/test.txt", headers: ["Host", "examplebucket.s3.amazonaws.com"] },
      signature,
      { ...keyFor(signature.scope, "2013-05-24T00:00:00Z"), accessKeyId: "AKIAIOSFODNN7EXAMPLE" },
      "UNSIGNED-PAYLOAD",
      Date.parse("2013-05-24T00:00:00Z")
    )

  it("puts the signature of a presigned URL into the query, after all other parameters", () => {
    const [path, query] = splitTarget(example().path)
    assert.strictEqual(path, "/test.txt")
    assert.match(
      query,
      /^X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=[0-9a-f]{64}$/
    )
    assert.deepStrictEqual(example().secret, [":path"])
  })

  it("signs the client's signed fields if they are sent, and no fields that the connection changes", () => {
    const { headers } = signHead(
      {
        method: "PUT",
        path: "/k",
        headers: ["Host", "b.s3.amazonaws.com", "Range", "bytes=0-1", "Content-Length", "3"]
      },
      { ...signature, form: "header", signedHeaders: new Set(["host", "range", "content-length", "x-amz-missing"]) },
      keyFor(signature.scope, "2013-05-24T00:00:00Z"),
      "UNSIGNED-PAYLOAD",
      Date.parse("2013-05-24T00:00:00Z")
    )
    assert.include(headers.at(-1), "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,")
  })
})
