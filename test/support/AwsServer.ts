/**
 * A server that accepts only requests with a valid AWS Signature Version 4, as S3 and other services do, over HTTP/1.1
 * and HTTP/2. Shares no code with the signer: paths and queries are taken as they arrive, as botocore does.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Crypto from "node:crypto"
import type * as Http2 from "node:http2"
import { builtins } from "../../src/platform/builtins.ts"
import type { TestCertificate } from "./TestCertificates.ts"
import { listen, type TestServer } from "./TestServer.ts"

export interface KeyPair {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly host: string
  readonly protocol: string
  readonly headers: ReadonlyArray<string>
  /** Why the signature is invalid; undefined for a valid one. */
  problem: string | undefined
  /** Whether the request had a signature. */
  readonly signed: boolean
  readonly scope: string
  readonly payload: string
  /** The length and hash of the decoded body. */
  length: number
  sha256: string
  /** Whether the whole request arrived. */
  complete: boolean
}

export interface AwsServer extends TestServer {
  readonly seen: Array<SeenRequest>
}

const sha256 = (text: string | Buffer): string => builtins.crypto.createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Buffer, text: string): Buffer =>
  builtins.crypto.createHmac("sha256", key).update(text, "latin1").digest()

const quoted = (text: string): string =>
  [...Buffer.from(text, "latin1")].map((byte) => {
    const character = String.fromCharCode(byte)
    return /[\w.~/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }).join("")

/** The path of services other than S3: without dot segments, and encoded once more. */
const normalized = (path: string): string => {
  const out: Array<string> = []
  for (const part of path.split("/").filter((each) => each !== "" && each !== ".")) {
    if (part === "..") out.pop()
    else out.push(part)
  }
  return quoted(`/${out.join("/")}${out.length > 0 && path.endsWith("/") ? "/" : ""}`)
}

interface Claim {
  readonly form: "header" | "query"
  readonly credential: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly signature: string
  readonly time: string
  readonly token: string | undefined
}

const valuesOf = (headers: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  headers.filter((_, i) => i % 2 === 1 && headers[i - 1]!.toLowerCase() === name)

const claimOf = (headers: ReadonlyArray<string>, query: URLSearchParams): Claim | undefined => {
  const [authorization] = valuesOf(headers, "authorization")
  if (authorization !== undefined) {
    const found = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
      .exec(authorization)
    if (found === null) return undefined
    return {
      form: "header",
      credential: found[1]!.split("/"),
      names: found[2]!.split(";"),
      signature: found[3]!,
      time: valuesOf(headers, "x-amz-date").join(","),
      token: valuesOf(headers, "x-amz-security-token")[0]
    }
  }
  const signature = query.get("X-Amz-Signature")
  if (signature === null) return undefined
  return {
    form: "query",
    credential: (query.get("X-Amz-Credential") ?? "").split("/"),
    names: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
    signature,
    time: query.get("X-Amz-Date") ?? "",
    token: query.get("X-Amz-Security-Token") ?? undefined
  }
}

/** Reads `aws-chunked` and verifies the chain of its signatures. */
class Chunks {
  problem: string | undefined
  readonly #signed: boolean
  readonly #verify: (algorithm: string, ...lines: ReadonlyArray<string>) => string
  readonly #data: (bytes: Buffer) => void
  #previous: string
  #buffer = Buffer.alloc(0)
  #parts: Array<Buffer> = []
  #received = 0
  /** The length to wait for. */
  #needed = 0
  #trailer = ""
  #last = false
  done = false

  constructor(
    signed: boolean,
    seed: string,
    verify: (algorithm: string, ...lines: ReadonlyArray<string>) => string,
    data: (bytes: Buffer) => void
  ) {
    this.#signed = signed
    this.#previous = seed
    this.#verify = verify
    this.#data = data
  }

  write(bytes: Buffer): void {
    this.#parts.push(bytes)
    this.#received += bytes.length
    if (this.#received < this.#needed) return
    this.#buffer = Buffer.concat([this.#buffer, ...this.#parts.splice(0)])
    this.#needed = 0
    while (this.#step());
    this.#received = this.#buffer.length
  }

  #step(): boolean {
    const at = this.#buffer.indexOf("\r\n")
    if (at === -1 || this.done) return false
    const line = this.#buffer.toString("latin1", 0, at)
    if (this.#last) {
      this.#buffer = this.#buffer.subarray(at + 2)
      this.#afterLast(line)
      return true
    }
    const [size = "", parameter = ""] = line.split(";")
    const length = Number.parseInt(size, 16)
    if (length > 0 && this.#buffer.length < at + 4 + length) {
      this.#needed = at + 4 + length
      return false
    }
    const data = this.#buffer.subarray(at + 2, at + 2 + length)
    if (this.#signed) {
      const expected = this.#verify("AWS4-HMAC-SHA256-PAYLOAD", this.#previous, sha256(""), sha256(data))
      if (parameter !== `chunk-signature=${expected}`) this.problem ??= "the signature of a chunk is invalid"
      this.#previous = expected
    }
    this.#data(data)
    this.#last = length === 0
    this.#buffer = this.#buffer.subarray(at + 2 + length + (length > 0 ? 2 : 0))
    return true
  }

  #afterLast(line: string): void {
    if (line === "") {
      this.done = true
      return
    }
    const [name = "", value = ""] = line.split(":")
    if (name !== "x-amz-trailer-signature") this.#trailer += `${name}:${value}\n`
    else if (value !== this.#verify("AWS4-HMAC-SHA256-TRAILER", this.#previous, sha256(this.#trailer))) {
      this.problem ??= "the signature of the trailer is invalid"
    }
  }
}

const assumed = ({ accessKeyId, secretAccessKey, sessionToken }: KeyPair) => ({
  type: "text/xml",
  body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">\n<AssumeRoleResult>\n<Credentials>\n` +
    `<AccessKeyId>${accessKeyId}</AccessKeyId>\n<SecretAccessKey>${secretAccessKey}</SecretAccessKey>\n` +
    `<SessionToken>${sessionToken}</SessionToken>\n` +
    `<Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration>\n` +
    `</Credentials>\n</AssumeRoleResult>\n</AssumeRoleResponse>`
})

/** What services respond to valid requests, so that clients go on. */
const respond = (request: SeenRequest, etag: string): { readonly type: string; readonly body: string } => {
  const query = new URLSearchParams(request.url.split("?")[1] ?? "")
  const xml = (body: string) => ({ type: "application/xml", body: `<?xml version="1.0" encoding="UTF-8"?>${body}` })
  if (query.has("uploads")) {
    return xml(
      `<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>upload-1</UploadId>` +
        `</InitiateMultipartUploadResult>`
    )
  }
  if (request.method === "POST" && query.has("uploadId")) {
    return xml(`<CompleteMultipartUploadResult><ETag>"done"</ETag></CompleteMultipartUploadResult>`)
  }
  if (request.scope.endsWith("/sts")) {
    return xml(
      `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>` +
        `<Arn>arn:aws:iam::123456789012:user/served</Arn><UserId>served</UserId><Account>123456789012</Account>` +
        `</GetCallerIdentityResult></GetCallerIdentityResponse>`
    )
  }
  if (request.scope.endsWith("/s3") && request.url.split("?")[0] === "/") {
    return xml(
      `<ListAllMyBucketsResult><Buckets><Bucket><Name>served</Name>` +
        `<CreationDate>2026-01-01T00:00:00.000Z</CreationDate></Bucket></Buckets></ListAllMyBucketsResult>`
    )
  }
  if (request.scope.endsWith("/dynamodb")) {
    return { type: "application/x-amz-json-1.0", body: JSON.stringify({ TableNames: ["served"] }) }
  }
  if (request.scope.endsWith("/bedrock")) {
    return { type: "application/json", body: JSON.stringify({ served: etag, output: {}, usage: {}, metrics: {} }) }
  }
  return { type: "binary/octet-stream", body: /^(?:GET|HEAD)$/.test(request.method) ? "served" : "" }
}

/** Makes a server. `role`: the keys that its Security Token Service issues for any role. It accepts requests with them, too. */
export const makeAwsServer = (
  certificate: TestCertificate,
  user: KeyPair,
  role?: KeyPair
): Effect.Effect<AwsServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const seen: Array<SeenRequest> = []
    const server = builtins.http2.createSecureServer({ ...certificate, allowHTTP1: true })

    server.on("request", (request: Http2.Http2ServerRequest, response: Http2.Http2ServerResponse) => {
      const isHttp2 = request.httpVersionMajor === 2
      const raw = request.rawHeaders.filter((_, i) => !request.rawHeaders[i - i % 2]!.startsWith(":"))
      const host = isHttp2 ? request.authority : request.headers.host ?? ""
      const headers = isHttp2 ? ["host", host, ...raw] : raw
      const [path = "", query = ""] = request.url.split("?", 2)
      const claim = claimOf(headers, new URLSearchParams(query.replaceAll("+", "%2B")))
      const [keyId, date = "", region = "", service = "", end] = claim?.credential ?? []
      const scope = [date, region, service, "aws4_request"]
      const isObject = service.startsWith("s3")
      const [declared] = valuesOf(headers, "x-amz-content-sha256")
      const payload = declared ?? (claim?.form === "query" && isObject ? "UNSIGNED-PAYLOAD" : "body")
      const record: SeenRequest = {
        method: request.method,
        url: request.url,
        host,
        protocol: request.httpVersion,
        headers,
        problem: undefined,
        signed: claim !== undefined,
        scope: `${region}/${service}`,
        payload,
        length: 0,
        sha256: "",
        complete: false
      }
      seen.push(record)
      const { accessKeyId, secretAccessKey, sessionToken } = role !== undefined && keyId === role.accessKeyId
        ? role
        : user
      const key = scope.reduce(hmac, Buffer.from(`AWS4${secretAccessKey}`))
      const stringToSign = (algorithm: string, ...lines: ReadonlyArray<string>): string =>
        hmac(key, [algorithm, claim?.time ?? "", scope.join("/"), ...lines].join("\n")).toString("hex")
      const canonical = (bodyHash: string): string => {
        const pairs = query.split("&").filter((pair) => pair !== "" && !pair.startsWith("X-Amz-Signature="))
          .map((pair) => pair.includes("=") ? pair : `${pair}=`).toSorted()
        const lines = (claim?.names ?? []).map((name) =>
          `${name}:${valuesOf(headers, name).map((value) => value.trim().replaceAll(/ +/g, " ")).join(",")}`
        )
        return [
          request.method,
          isObject ? path : normalized(path),
          pairs.join("&"),
          ...lines,
          "",
          (claim?.names ?? []).join(";"),
          bodyHash
        ].join("\n")
      }
      const check = (bodyHash: string): string | undefined => {
        if (claim === undefined) return undefined
        if (keyId !== accessKeyId) return "another access key ID"
        if (claim.token !== sessionToken) return "another session token"
        if (end !== "aws4_request" || claim.time.slice(0, 8) !== date) return "an invalid scope"
        if (Math.abs(Date.now() - timeOf(claim.time)) > 900_000) return "the time differs by more than 15 minutes"
        const unsigned = headers.filter((name, i) =>
          i % 2 === 0 && /^(?:host|x-amz-.*)$/i.test(name) && !claim.names.includes(name.toLowerCase())
        )
        if (unsigned.length > 0) return `unsigned ${unsigned.join(" ")}`
        return stringToSign("AWS4-HMAC-SHA256", hashed(canonical(bodyHash))) === claim.signature
          ? undefined
          : "an invalid signature"
      }

      const hash: Crypto.Hash = builtins.crypto.createHash("sha256")
      const md5: Crypto.Hash = builtins.crypto.createHash("md5")
      let start = ""
      const data = (bytes: Buffer): void => {
        if (start.length < 1024) start += bytes.toString("latin1", 0, 1024)
        record.length += bytes.length
        hash.update(bytes)
        md5.update(bytes)
      }
      const chunks = payload.startsWith("STREAMING-")
        ? new Chunks(!payload.includes("UNSIGNED"), claim?.signature ?? "", stringToSign, data)
        : undefined
      request.on("data", (bytes: Buffer) => chunks === undefined ? data(bytes) : chunks.write(bytes))
      request.on("error", () => {})
      request.on("aborted", () => {})
      request.on("end", () => {
        if (request.aborted) return
        record.complete = true
        record.sha256 = hash.digest("hex")
        const isHash = /^[0-9a-f]{64}$/.test(payload)
        record.problem = check(payload === "body" ? record.sha256 : payload) ?? chunks?.problem ??
          (isHash && payload !== record.sha256 ? "another body" : undefined) ??
          (chunks?.done === false ? "an incomplete body" : undefined)
        if (record.problem !== undefined) {
          response.writeHead(403, { "content-type": "application/xml" })
          response.end(`<Error><Code>SignatureDoesNotMatch</Code><Message>${record.problem}</Message></Error>`)
          return
        }
        if (path === "/redirect") {
          response.writeHead(307, { location: `https://${host}/elsewhere?${query}` }).end()
          return
        }
        const etag = md5.digest("hex")
        const { body, type } = role !== undefined && start.startsWith("Action=AssumeRole&")
          ? assumed(role)
          : respond(record, etag)
        response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body), etag: `"${etag}"` })
        response.end(request.method === "HEAD" ? "" : body)
      })
    })
    return { ...yield* listen(server), seen }
  })

const hashed = (canonical: string): string =>
  builtins.crypto.createHash("sha256").update(canonical, "latin1").digest("hex")

const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))
