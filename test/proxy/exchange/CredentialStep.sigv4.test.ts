import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { signingKey } from "../../../src/connections/use/SigningKeys.ts"
import type { FieldValues } from "../../../src/domain/injection/Placement.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import type { CredentialRequest } from "../../../src/proxy/routing/CredentialSource.ts"
import { type KeyPair, makeAwsServer } from "../../support/AwsServer.ts"
import { live } from "../../support/Fixture.ts"
import { connectSession, get, post, responseOf } from "../../support/Http2Peers.ts"
import { memoryGrowth } from "../../support/Memory.ts"
import { proxyTo } from "../../support/ProxiedHost.ts"
import { bearer, type FakeDaemon, fakeDaemon, MARKER, noCredential, route } from "../../support/ProxyHarness.ts"
import { authority } from "../../support/TestCertificates.ts"
import { until } from "../../support/Until.ts"

const S3 = "bucket.s3.us-east-1.amazonaws.com"
const BEDROCK = "bedrock-runtime.us-west-2.amazonaws.com"
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
const KEYS: KeyPair = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: SECRET }
const TEMPORARY: KeyPair = { ...KEYS, sessionToken: "FwoGZXIvYXdzEXAMPLE/token+with=signs" }
const EMPTY = builtins.crypto.createHash("sha256").digest("hex")

const sha256 = (text: string | Buffer) => builtins.crypto.createHash("sha256").update(text).digest("hex")

const valuesOf = ({ accessKeyId, secretAccessKey, sessionToken }: KeyPair): FieldValues => ({
  access_key_id: Redacted.make(accessKeyId),
  secret_access_key: Redacted.make(secretAccessKey),
  ...(sessionToken === undefined ? {} : { session_token: Redacted.make(sessionToken) })
})

/** The response of the daemon, with a key for the scope that the proxy asks for. */
const signed = (keys: KeyPair, now: () => DateTime.Utc = () => DateTime.nowUnsafe()) => (request: CredentialRequest) =>
  Effect.sync(() => ({
    ...bearer(request),
    headers: {},
    secrets: [],
    signing: signingKey(valuesOf(keys), request.scope!, now())
  }))

/** A proxy with a connection of these keys, and a server that accepts only their signatures. */
const setUp = (host = S3, keys = KEYS, resolve: FakeDaemon["resolve"] = signed(keys)) =>
  Effect.gen(function*() {
    const server = yield* makeAwsServer(authority.issue([host]), keys)
    const daemon = fakeDaemon([route(host, "aws", { signing: "aws_sigv4" })], { resolve })
    const parts = yield* proxyTo({ [host]: server.port }, { daemon })
    const open = parts.open({}, `${host}:443`)
    const { wire } = yield* open
    const request = (line: string, headers: ReadonlyArray<string>, body = "") =>
      `${line} HTTP/1.1\r\nHost: ${host}\r\n${headers.map((each) => `${each}\r\n`).join("")}\r\n${body}`
    const exchange = (...parts: Parameters<typeof request>) => wire.exchange(request(...parts))
    /** Sends the request on a connection of its own. */
    const exchangeAlone = (...parts: Parameters<typeof request>) =>
      Effect.flatMap(open, ({ wire }) => wire.exchange(request(...parts)))
    return { ...parts, daemon, server, wire, exchange, exchangeAlone }
  })

const authorizedBy = (id: string, scope: string, names = "host;x-amz-date") =>
  `Authorization: AWS4-HMAC-SHA256 Credential=${id}/20200101/${scope}/aws4_request, SignedHeaders=${names}, ` +
  `Signature=${"0".repeat(64)}`
/** The signature of a client that has only the placeholders. */
const worthless = (scope = "us-east-1/s3", names?: string) => authorizedBy(`AKIA${MARKER}`, scope, names)
const DATE = "X-Amz-Date: 20200101T000000Z"

const presigned = (more = "", id = `AKIA${MARKER}`) =>
  `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${id}%2F20200101%2Fus-east-1%2Fs3%2Faws4_request` +
  `&X-Amz-Date=20200101T000000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host${more}&X-Amz-Signature=${"0".repeat(64)}`

/** A body in the coding aws-chunked, with signatures of no value. */
const chunked = (chunks: ReadonlyArray<string>, trailer = "") =>
  [...chunks, ""].map((chunk) =>
    `${Buffer.byteLength(chunk).toString(16)};chunk-signature=${"1".repeat(64)}\r\n${chunk}${
      chunk === "" ? "" : "\r\n"
    }`
  ).join("") + `${trailer}\r\n`

const STREAMING = "X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD"

describe("a request that is signed with placeholders", () => {
  live("is signed again with the stored key and the proxy's time", function*() {
    const { daemon, exchange, server } = yield* setUp()
    const { status } = yield* exchange("GET /a%20b/~c?list-type=2&prefix=x%2Fy&acl", [
      worthless(),
      DATE,
      `X-Amz-Content-Sha256: ${EMPTY}`,
      "X-Amz-Meta-Note:  two   words "
    ])
    assert.strictEqual(server.seen[0]?.problem, undefined)
    assert.strictEqual(status, 200)
    assert.isTrue(server.seen[0]?.signed)
    assert.deepStrictEqual(daemon.resolved[0]?.scope, { region: "us-east-1", service: "s3" })
    assert.notInclude(JSON.stringify(server.seen), MARKER)
  })

  live("gets the stored session token in place of the client's", function*() {
    const { exchange, server } = yield* setUp(S3, TEMPORARY)
    const response = yield* exchange("GET /", [worthless(), DATE, "X-Amz-Security-Token: of-another-account"])
    assert.strictEqual(response.status, 200)
    assert.isUndefined(server.seen[0]?.problem)
    assert.notInclude(JSON.stringify(server.seen), "of-another-account")
  })

  live("keeps the form of a presigned URL, with a validity of at most 15 minutes", function*() {
    const { exchange, server } = yield* setUp(S3, TEMPORARY)
    const response = yield* exchange(`GET /key?response-content-type=text%2Fplain&${presigned()}`, [])
    const [seen] = server.seen
    assert.isUndefined(seen?.problem)
    assert.strictEqual(response.status, 200)
    assert.include(seen?.url, "X-Amz-Expires=900")
    assert.notInclude(JSON.stringify(seen), "Authorization")
    assert.notInclude(JSON.stringify(seen), MARKER)
  })

  live("has its chunks signed again, and keeps its length", function*() {
    const { exchange, server } = yield* setUp()
    const body = chunked(["x".repeat(70_000), "y".repeat(9)])
    const response = yield* exchange("PUT /key", [
      worthless("us-east-1/s3", "content-encoding;host;x-amz-date"),
      DATE,
      STREAMING,
      "Content-Encoding: aws-chunked",
      "X-Amz-Decoded-Content-Length: 70009",
      `Content-Length: ${body.length}`
    ], body)
    assert.strictEqual(response.status, 200, response.body)
    assert.strictEqual(server.seen[0]?.length, 70_009)
    assert.strictEqual(server.seen[0]?.sha256, sha256("x".repeat(70_000) + "y".repeat(9)))
  })

  live("has its signed trailer signed again, and keeps an unsigned trailer", function*() {
    const { exchange, server } = yield* setUp()
    const trailer = `x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:${"2".repeat(64)}\r\n`
    const cases = [
      ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", chunked(["abc"], trailer)],
      ["STREAMING-UNSIGNED-PAYLOAD-TRAILER", "3\r\nabc\r\n0\r\nx-amz-checksum-crc32c:sOO8/Q==\r\n\r\n"]
    ] as const
    for (const [payload, body] of cases) {
      const response = yield* exchange("PUT /key", [
        worthless(),
        DATE,
        `X-Amz-Content-Sha256: ${payload}`,
        "X-Amz-Trailer: x-amz-checksum-crc32c",
        "X-Amz-Decoded-Content-Length: 3",
        `Content-Length: ${body.length}`
      ], body)
      assert.strictEqual(response.status, 200, `${payload} ${response.body}`)
    }
    assert.deepStrictEqual(server.seen.map(({ length, problem }) => [length, problem]), [[3, undefined], [
      3,
      undefined
    ]])
  })

  live("has the hash that the client declares, against which the service verifies the body", function*() {
    const { exchange, server } = yield* setUp()
    const body = "x".repeat(200_000)
    const put = (hash: string, content: string) =>
      exchange(
        "PUT /key",
        [worthless(), `X-Amz-Content-Sha256: ${hash}`, `Content-Length: ${content.length}`],
        content
      )
    assert.strictEqual((yield* put(sha256(body), body)).status, 200)
    assert.deepInclude(server.seen[0], { problem: undefined, length: body.length, complete: true })
    assert.strictEqual((yield* put(sha256(body), "short")).status, 403)
  })

  live("gets the hash of its body if the service needs it", function*() {
    const { exchange, server } = yield* setUp(BEDROCK)
    const response = yield* exchange("POST /model/anthropic.claude-v2%3A1/converse", [
      worthless("us-west-2/bedrock", "content-type;host;x-amz-date"),
      DATE,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
      "Expect: 100-continue"
    ], "7\r\n{\"a\":1}\r\n0\r\n\r\n")
    assert.strictEqual(response.status, 100)
    const { seen } = server
    yield* Effect.promise(() => until(() => seen[0]?.complete === true))
    assert.isUndefined(seen[0]?.problem)
    assert.strictEqual(seen[0]?.length, 7)
  })

  live("is signed over HTTP/2 as over HTTP/1.1", function*() {
    const { proxy, server } = yield* setUp(BEDROCK)
    const session = yield* connectSession(proxy, `${BEDROCK}:443`)
    const authorization = worthless("us-west-2/bedrock").slice("Authorization: ".length)
    const body = JSON.stringify({ prompt: "x".repeat(100_000) })
    const stream = post(session, { ":path": "/model/m/invoke", authorization, "x-amz-date": "20200101T000000Z" })
    stream.end(body)
    const response = yield* Effect.promise(() => responseOf(stream))
    assert.isUndefined(server.seen[0]?.problem)
    assert.strictEqual(response.status, 200)
    assert.strictEqual(server.seen[0]?.protocol, "2.0")
    assert.strictEqual(server.seen[0]?.length, body.length)
    session.close()
  })

  live("is signed for the day of its key, even after the end of that day", function*() {
    // The end of yesterday may be less than 15 minutes ago.
    const twoDaysAgo = () => DateTime.makeUnsafe(Date.now() - 2 * 86_400_000)
    const { exchange, server } = yield* setUp(S3, KEYS, signed(KEYS, twoDaysAgo))
    yield* exchange("GET /", [worthless(), DATE])
    assert.match(server.seen[0]?.headers.find((value) => /^\d{8}T235959Z$/.test(value)) ?? "", /T235959Z$/)
    assert.strictEqual(server.seen[0]?.problem, "the time differs by more than 15 minutes")
  })

  live("streams an upload of signed chunks with bounded memory", function*() {
    const chunks = 4 * Number(process.env["CREDSVC_TEST_UPLOAD_MIB"] ?? 40)
    const { server, wire } = yield* setUp()
    const data = Buffer.alloc(256 * 1024, 0x61)
    const size = (chunk: Buffer) => Buffer.from(`${chunk.length.toString(16)};chunk-signature=${"1".repeat(64)}\r\n`)
    const chunk = Buffer.concat([size(data), data, Buffer.from("\r\n")])
    const last = Buffer.concat([size(Buffer.alloc(0)), Buffer.from("\r\n")])
    const growth = yield* Effect.promise(() =>
      memoryGrowth(async () => {
        wire.send(
          `PUT /large HTTP/1.1\r\nHost: ${S3}\r\n${worthless()}\r\n${STREAMING}\r\n` +
            `X-Amz-Decoded-Content-Length: ${chunks * data.length}\r\n` +
            `Content-Length: ${chunks * chunk.length + last.length}\r\n\r\n`
        )
        for (let i = 0; i < chunks; i++) {
          if (!wire.socket.write(chunk)) await new Promise<void>((resolve) => wire.socket.once("drain", resolve))
        }
        wire.socket.write(last)
        assert.strictEqual((await wire.response("PUT")).status, 200)
      })
    )
    assert.strictEqual(server.seen[0]?.length, chunks * data.length)
    assert.isBelow(growth, 24 * 1024 * 1024)
  }, 600_000)
})

describe("a request that the run has not signed", () => {
  live("is forwarded without a new signature if it is anonymous or has another key", function*() {
    const { daemon, exchange, server } = yield* setUp()
    const own = authorizedBy("ASIAOTHERACCOUNT", "us-east-1/s3")
    yield* exchange("GET /public", [])
    yield* exchange("GET /own", [own, DATE])
    yield* exchange(`GET /shared?${presigned("", "AKIAOTHERACCOUNT")}`, [])
    assert.deepStrictEqual(daemon.resolved, [])
    assert.deepStrictEqual(server.seen.map(({ signed: each }) => each), [false, true, true])
    assert.include(JSON.stringify(server.seen[1]), "ASIAOTHERACCOUNT")
    assert.include(server.seen[2]?.url, "Signature=000")
  })
})

/** Requests that are refused before anything is sent, and a part of the message. */
const REFUSED: ReadonlyArray<readonly [name: string, line: string, headers: ReadonlyArray<string>, message: RegExp]> = [
  ["Signature Version 4A", "GET /", [
    `Authorization: AWS4-ECDSA-P256-SHA256 Credential=${MARKER}/20200101/s3/aws4_request, SignedHeaders=host, Signature=00`
  ], /Version 4A.*not supported/],
  ["Signature Version 2", "GET /", [`Authorization: AWS ${MARKER}:c2lnbmF0dXJl`], /expected AWS4-HMAC-SHA256/],
  [
    "a presigned URL of Signature Version 2",
    `GET /key?AWSAccessKeyId=${MARKER}&Signature=c2lnbmF0dXJl&Expires=1900000000`,
    [],
    /Version 2.*s3v4/
  ],
  ["two signatures", "GET /", [worthless(), worthless()], /more than one signature/],
  ["signatures in the header and in the query", `GET /?${presigned()}`, [worthless()], /more than one signature/],
  ["a repeated parameter of the signature", `GET /?${presigned("&X-Amz-Date=20200101T000000Z")}`, [], /repeated/],
  [
    "a presigned URL that is valid for more than a week",
    `GET /?${presigned().replace("3600", "999999")}`,
    [],
    /Expires/
  ],
  ["a scope with further parts", "GET /", [worthless("us-east-1/s3/iam")], /credential scope/],
  ["a scope with other characters", "GET /", [worthless("us-east-1/s3%2Fx")], /credential scope/],
  ["a repeated declaration of the hash", "PUT /", [
    worthless(),
    "X-Amz-Content-Sha256: UNSIGNED-PAYLOAD",
    `X-Amz-Content-Sha256: ${EMPTY}`
  ], /repeated/],
  ["an unknown kind of payload", "PUT /", [worthless(), "X-Amz-Content-Sha256: NOTHING"], /unsupported X-Amz-Content/],
  ["a signed event stream", "POST /", [
    worthless(),
    "X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-EVENTS"
  ], /event streams/]
]

/** Bodies that differ from what their head declares. */
const WRONG_BODIES: ReadonlyArray<
  readonly [name: string, headers: ReadonlyArray<string>, body: string, message: RegExp]
> = [
  ["a chunk that is longer than its size", [STREAMING], chunked(["abc"]).replace("3;", "2;"), /longer than its size/],
  ["a chunk that is shorter than its size", [STREAMING], chunked(["abc"]).replace("3;", "4;"), /CR LF/],
  ["no last chunk", [STREAMING], chunked(["abc"]).replace(/0;.*/s, ""), /ends before its last chunk/],
  ["bytes after the last chunk", [STREAMING], `${chunked(["abc"])}GET / HTTP/1.1\r\n\r\n`, /continues after/],
  ["a size in another notation", [STREAMING], chunked(["abc"]).replace("3;", "0x3;"), /no valid size/],
  ["a chunk without signature", [STREAMING], "3\r\nabc\r\n0\r\n\r\n", /no valid size or signature/],
  ["a further parameter of a chunk", [STREAMING], chunked(["abc"]).replace("\r\n", ";x=1\r\n"), /no valid size/],
  ["a line that ends in LF", [STREAMING], chunked(["abc"]).replace("\r\n", "\n"), /CR LF/],
  ["another length", [STREAMING, "X-Amz-Decoded-Content-Length: 4"], chunked(["abc"]), /Decoded-Content-Length/],
  ["a trailer that is not announced", [STREAMING], chunked(["abc"], "x-amz-acl:public-read\r\n"), /does not announce/],
  ["a signed chunk beyond the limit", [STREAMING], chunked(["abc"]).replace("3;", "1000001;"), /longer than 16 MiB/],
  [
    "a trailer without signature",
    ["X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", "X-Amz-Trailer: x-amz-checksum-crc32"],
    chunked(["abc"], "x-amz-checksum-crc32:AAAAAA==\r\n"),
    /trailer has no signature/
  ]
]

describe("the proxy for a provider with signatures", () => {
  live("rejects a signature that it cannot replace", function*() {
    const { daemon, exchangeAlone, server } = yield* setUp()
    for (const [name, line, headers, message] of REFUSED) {
      daemon.resolved.length = 0
      const response = yield* exchangeAlone(line, headers)
      assert.strictEqual(response.status, 400, name)
      assert.match(JSON.parse(response.body).message, message, name)
      assert.deepStrictEqual(server.seen, [], name)
      if (!/SHA-256|Content|repeated|event/.test(message.source)) assert.deepStrictEqual(daemon.resolved, [], name)
    }
  })

  live("does not complete a body that differs from what its head declares", function*() {
    const { exchangeAlone, server } = yield* setUp()
    for (const [name, headers, body, message] of WRONG_BODIES) {
      const length = `Content-Length: ${body.length}`
      const response = yield* exchangeAlone("PUT /key", [worthless(), DATE, ...headers, length], body)
      assert.strictEqual(response.status, 400, name)
      assert.match(JSON.parse(response.body).message, message, name)
      assert.deepStrictEqual(server.seen.filter(({ complete }) => complete), [], name)
    }
  })

  live("signs nothing for a scope that the daemon refuses", function*() {
    const { daemon, exchange, server } = yield* setUp(
      S3,
      KEYS,
      noCredential("OperationNotAllowedError", "another scope")
    )
    const response = yield* exchange("GET /", [worthless("eu-west-1/iam")])
    assert.strictEqual(response.status, 403)
    assert.deepStrictEqual(daemon.resolved[0]?.scope, { region: "eu-west-1", service: "iam" })
    assert.deepStrictEqual(server.seen, [])
  })

  live("shares no key between scopes", function*() {
    const { daemon, proxy, server } = yield* setUp()
    const session = yield* connectSession(proxy, `${S3}:443`)
    const request = (scope: string) =>
      get(session, "/", { authorization: worthless(scope).slice("Authorization: ".length) })
    yield* Effect.promise(() => Promise.all(["us-east-1/s3", "eu-west-1/s3", "us-east-1/iam"].map(request)))
    const scopes = (["us-east-1", "eu-west-1"] as const).map((region) => ({ region, service: "s3" }))
    assert.sameDeepMembers(daemon.resolved.map(({ scope }) => scope), [
      ...scopes,
      { region: "us-east-1", service: "iam" }
    ])
    assert.deepStrictEqual(server.seen.map(({ problem }) => problem), [undefined, undefined, undefined])
  })

  live("signs every x-amz field, even repeated fields and fields that the client has not signed", function*() {
    const { exchange, server } = yield* setUp()
    const response = yield* exchange("PUT /key", [
      worthless("us-east-1/s3", "host;authorization;connection;x-amz-missing;content-length"),
      "X-Amz-Acl: private",
      "x-amz-acl: public-read",
      "X-Amz-Date: 20200101T000000Z",
      "x-amz-date: 20300101T000000Z",
      "Content-Length: 3"
    ], "abc")
    assert.isUndefined(server.seen[0]?.problem)
    assert.strictEqual(response.status, 200)
    const sent = server.seen[0]?.headers ?? []
    assert.strictEqual(sent.filter((name) => /^x-amz-date$/i.test(name)).length, 1)
    assert.include(sent.find((value) => value.startsWith("AWS4-")), "SignedHeaders=host;x-amz-acl;")
  })

  live("signs exactly the path of the request", function*() {
    for (const [host, scope] of [[S3, "us-east-1/s3"], [BEDROCK, "us-west-2/bedrock"]] as const) {
      const { exchange, server } = yield* setUp(host)
      for (const path of ["/a/../b", "/a//b/", "/a/%2e%2e/b", "/a%2Fb", "/%25", "/a+b(1)'*", "/./"]) {
        yield* exchange(`GET ${path}`, [worthless(scope), DATE])
        assert.strictEqual(server.seen.at(-1)?.url, path)
      }
    }
  })

  live("keeps the session token out of the redirect of a presigned request", function*() {
    const { daemon, open, server } = yield* setUp(S3, TEMPORARY)
    assert.isDefined(daemon)
    assert.isDefined(server)
    const { wire } = yield* open({}, `${S3}:443`)
    const response = yield* wire.exchange(`GET /redirect?${presigned()} HTTP/1.1\r\nHost: ${S3}\r\n\r\n`)
    assert.strictEqual(response.status, 307)
    assert.notInclude(decodeURIComponent(response.head), TEMPORARY.sessionToken ?? "")
  })
})
