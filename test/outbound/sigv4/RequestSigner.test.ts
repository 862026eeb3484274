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
