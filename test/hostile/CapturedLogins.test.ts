/**
 * Token endpoints that send a real token in other places and forms than they should, and requests by which a program in a run may try to
 * get one past the capture. Both are sent as bytes. In a control run, which captures nothing there, the program gets the token each time.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import * as zlib from "node:zlib"
import { GH_CLIENT, type LoginVendor, openLoginVendor } from "../support/LoginVendor.ts"
import { openProgram } from "../support/Sandbox.ts"

/** Sends the bytes of each line, or a request over HTTP/2, and prints the bytes of the response. */
const PROGRAM = `
import * as http2 from "node:http2"
import * as net from "node:net"
import * as readline from "node:readline"
import * as tls from "node:tls"
const proxy = new URL(process.env.HTTPS_PROXY)
const tunnel = async (host, protocol) => {
  const socket = net.connect(proxy.port, proxy.hostname)
  const login = Buffer.from(decodeURIComponent(proxy.username + ":" + proxy.password)).toString("base64")
  socket.write("CONNECT " + host + ":443 HTTP/1.1\\r\\nHost: " + host + ":443\\r\\nProxy-Authorization: Basic " + login + "\\r\\n\\r\\n")
  await new Promise((resolve) => socket.once("data", resolve))
  const secure = tls.connect({ socket, servername: host, ALPNProtocols: [protocol] })
  await new Promise((resolve, reject) => secure.once("secureConnect", resolve).once("error", reject))
  return secure
}
const overHttp1 = async (bytes) => {
  const socket = await tunnel("github.com", "http/1.1")
  const chunks = []
  const closed = new Promise((resolve) => socket.on("data", (chunk) => chunks.push(chunk)).on("error", resolve).on("close", resolve))
  socket.setTimeout(5000, () => socket.destroy())
  socket.write(Buffer.from(bytes, "latin1"))
  await closed
  return Buffer.concat(chunks).toString("latin1")
}
const overHttp2 = async (headers, body) => {
  const socket = await tunnel("github.com", "h2")
  const session = http2.connect("https://github.com", { createConnection: () => socket })
  const parts = []
  await new Promise((resolve) => {
    session.on("error", resolve)
    const stream = session.request(headers)
    stream.on("response", (fields) => parts.push(JSON.stringify(fields))).on("data", (chunk) => parts.push(chunk.toString("latin1")))
    stream.on("error", resolve).on("close", resolve)
    stream.end(body)
  })
  session.destroy()
  return parts.join("\\r\\n\\r\\n")
}
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { bytes, headers, body } = JSON.parse(line)
  const sent = headers === undefined ? overHttp1(bytes) : overHttp2(headers, body)
  console.log(JSON.stringify(await sent.catch(String)))
}
`

interface Sent {
  readonly bytes?: string
  /** For a request over HTTP/2. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}
type Program = (request: Sent) => Promise<string>

const PATH = "/login/oauth/access_token"
const FORM = `client_id=${GH_CLIENT}&code=code-of-ann`
const OTHER = "client_id=Iv1.0123456789abcdef&code=code-of-ann"

let vendor: LoginVendor
let sandbox: ReturnType<typeof openProgram>
let captured: Program
let control: Program
const ends: Array<() => Promise<unknown>> = []

const begin = (name: string, flags: ReadonlyArray<string>): Program => {
  const program = path.join(sandbox.directory, name)
  fs.writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${sandbox.directory}/program.mjs"\n`, {
    mode: 0o755
  })
  const child = sandbox.start(["run", ...flags, "--", program])
  const lines = readline.createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  ends.push(() => {
    const closed = once(child, "close")
    child.stdin!.end()
    return closed
  })
  return async (request) => {
    child.stdin!.write(`${JSON.stringify(request)}\n`)
    return JSON.parse((await lines.next()).value ?? "\"\"")
  }
}

beforeAll(async () => {
  vendor = await openLoginVendor()
  sandbox = openProgram([vendor])
  await sandbox.must(["daemon", "start", "--port", "0"])
  fs.writeFileSync(path.join(sandbox.directory, "program.mjs"), PROGRAM)
  captured = begin("gh", [])
  control = begin("other", ["--provider", "codex"])
})

afterAll(async () => {
  await Promise.all(ends.map((end) => end()))
  await sandbox.close()
  await vendor.close()
})

const fields = (more = "", type = "application/x-www-form-urlencoded"): string =>
  `Content-Type: ${type}\r\nConnection: close\r\n${more}`

const post = (target = PATH, body = FORM, more = "", type?: string): Sent => ({
  bytes: `POST ${target} HTTP/1.1\r\nHost: github.com\r\n${
    fields(more, type)
  }Content-Length: ${body.length}\r\n\r\n${body}`
})

const base64 = (text: string): string => Buffer.from(text).toString("base64")
const percent = (text: string): string => Buffer.from(text).toString("hex").replaceAll(/../g, "%$&")
const escaped = (text: string): string => Buffer.from(text).toString("hex").replaceAll(/../g, "\\u00$&")
const reversed = (text: string): string => [...text].toReversed().join("")
const wide = (text: string): string => [...text].map((character) => `${character}\0`).join("")
const gzipped = (text: string): string => zlib.gzipSync(text, { level: 0 }).toString("latin1")

/** A token of the length of GitHub's. Each one is used once, as the proxy searches other responses for those that it knows. */
const fresh = (): string => `gho_${randomBytes(18).toString("hex")}`

/** Whether the bytes have something that a program could turn into the token again. */
const discloses = (bytes: string, token: string): boolean => {
  const secret = token.slice(4)
  const parts = [secret, secret.slice(0, 16), secret.slice(16)]
  const ways = [
    ...parts,
    ...parts.map(reversed),
    ...["", " ", "  "].map((before) => base64(before + token).slice(4, -4)),
    percent(secret),
    escaped(secret),
    Buffer.from(secret).toString("hex")
  ]
  const text = bytes.replaceAll("\0", "").toLowerCase()
  return ways.some((way) => text.includes(way.toLowerCase()))
}

const RESPONSE_FIELDS = new Set(["content-type", "content-length", "retry-after", "cache-control", "request-id"])

/** Whether it is one that the proxy has built, or a refusal of credsvc. */
const isBuilt = (bytes: string): boolean => {
  const [head = "", body = ""] = bytes.split(/\r\n\r\n/)
  const [status = "", ...lines] = head.split("\r\n")
  if (body.includes("credsvc_proxy_error") || body.startsWith("credsvc:")) return !/^HTTP\/1.1 [123]/.test(status)
  return /^HTTP\/1\.1 (?:200|[45]\d\d) [A-Za-z ]*$/.test(status) && lines.every((line) => {
    const [name = "", value = ""] = line.split(": ")
    return ["date", "connection", "keep-alive"].includes(name.toLowerCase()) ||
      (RESPONSE_FIELDS.has(name.toLowerCase()) &&
        /^(?:\d{1,6}|no-store|req_credsvc|application\/(?:json|x-www-form-urlencoded))$/.test(value))
  })
}

const raw = (body: string, head = "Content-Type: application/json\r\n", status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\n${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
const names = `Set-Cookie Date Cache-Control Pragma Retry-After Request-Id X-Request-Id ETag Location Link Server
  WWW-Authenticate Content-Language Content-Location Alt-Svc X-RateLimit-Remaining X-OAuth-Scopes Trailer Via
  Vary Age Expires Last-Modified Content-Disposition Connection Upgrade Proxy-Authenticate X-Credsvc-Hint`.split(/\s+/)

const usual = (token: string): string => JSON.stringify({ access_token: token, token_type: "bearer", scope: "repo" })
const json = (members: object): string => raw(JSON.stringify(members))
const failed = (members: object): string =>
  raw(JSON.stringify(members), "Content-Type: application/json\r\n", "400 Bad Request")
const form = (body: string, type = "application/x-www-form-urlencoded"): string =>
  raw(body, `Content-Type: ${type}\r\n`)
const chunked = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body}`

const responsesWith = (token: string): Readonly<Record<string, string>> => {
  const ok = usual(token)
  const size = ok.length.toString(16)
  const beside = (members: object) => json({ access_token: token, token_type: "bearer", ...members })
  const withField = (line: string) => raw(ok, `Content-Type: application/json\r\n${line}\r\n`)
  return {
    "in JSON, as usual": raw(ok),
    "in a form": form(`access_token=${token}&token_type=bearer`),
    ...Object.fromEntries(names.map((name) => [`in ${name}`, withField(`${name}: ${token}`)])),
    "in the name of a field": withField(`X-${token}: 1`),
    "after a number of seconds": withField(`Retry-After: 30; ${token}`),
    "in a second Content-Type": withField(`Content-Type: application/${token}`),
    "in a parameter of the media type": raw(ok, `Content-Type: application/json; of=${token}\r\n`),
    "in a suffixed media type": raw(ok, `Content-Type: application/${token}+json\r\n`),
    "in a charset": raw(ok, `Content-Type: application/json; charset=${token}\r\n`),
    "in the reason phrase": raw(ok, undefined, `200 ${token}`),
    "in the reason phrase of an error": raw("{}", undefined, `400 ${token}`),
    "in early hints": `HTTP/1.1 103 Early Hints\r\nLink: <https://x/${token}>\r\n\r\n${raw(ok)}`,
    "in a processing response": `HTTP/1.1 102 Processing\r\nX-Note: ${token}\r\n\r\n${raw(ok)}`,
    "in a continue response": `HTTP/1.1 100 ${token}\r\nX-Note: ${token}\r\n\r\n${raw(ok)}`,
    "in a switch of protocols": `HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n${token}`,
    "in a chunk extension": chunked(`${size};t=${token}\r\n${ok}\r\n0\r\n\r\n`),
    "in a trailer field": chunked(`${size}\r\n${ok}\r\n0\r\nX-Note: ${token}\r\nRequest-Id: ${token}\r\n\r\n`),
    "after the response": `${raw(ok)}${token}`,
    ...Object.fromEntries(
      `201 Created|202 Accepted|203 Other|206 Partial Content|299 Odd|300 Choices|400 Bad|401 No|429 Many|500 Bad|
      503 Bad|599 Bad|999 Odd`.split(/\|\s*/)
        .map((status) => [`with the status ${status}`, raw(ok, undefined, status)])
    ),
    "with a redirect": raw("{}", `Location: http://localhost/?access_token=${token}\r\n`, "302 Found"),
    "with a redirect that keeps the method": raw(ok, `Location: https://github.com/${token}\r\n`, "307 Moved"),
    "without content": `HTTP/1.1 204 No Content\r\nX-Note: ${token}\r\nConnection: close\r\n\r\n`,
    "with Not Modified": `HTTP/1.1 304 Not Modified\r\nETag: "${token}"\r\nConnection: close\r\n\r\n`,
    "with only a part of a form": raw(
      `${token.slice(4)}&scope=repo`,
      "Content-Type: application/x-www-form-urlencoded\r\nContent-Range: bytes 17-70/90\r\n",
      "206 Partial Content"
    ),
    "in a note beside it": beside({ note: `The token ${token} is new` }),
    "in Base64": beside({ copy: base64(token) }),
    "in Base64, shifted": beside({ token_type: base64(` ${token}`) }),
    "in hexadecimal digits": beside({ scope: Buffer.from(token.slice(4)).toString("hex") }),
    "in percent-encoded letters": beside({
      scope: percent(token),
      error_description: percent(token.slice(4)).toUpperCase()
    }),
    "reversed": beside({ scope: `repo ${reversed(token)}`, token_type: reversed(token.slice(0, 20)) }),
    "in two parts": beside({ scope: `${token.slice(0, 20)} ${token.slice(20)}` }),
    "among the scopes": beside({ scope: `repo,${token} gist ${token}` }),
    "as its type": beside({ token_type: token }),
    "as its lifetime": beside({ expires_in: token, refresh_token_expires_in: token, interval: token }),
    "as an error beside it": beside({ error: token, error_description: token, error_uri: `https://x/${token}` }),
    "as its refresh token and its ID token": beside({ refresh_token: token, id_token: token }),
    "in the claims of its ID token": beside({ id_token: `e30.${base64(JSON.stringify({ email: token }))}.x` }),
    "as a list": json({ access_token: [token] }),
    "with spaces around it": json({ access_token: ` ${token}\n` }),
    "only under another name": json({ accessToken: token }),
    "only in a note": json({ token_type: "bearer", note: token }),
    "only as a refresh token": json({ refresh_token: token, scope: "repo" }),
    "only as an ID token": json({ error: "x", id_token: token }),
    "as an error": json({ error: token }),
    "as an error code": failed({ error: { code: token, type: token, message: token, param: token, [token]: 1 } }),
    "in the description of an error": failed({
      error: "invalid_grant",
      error_description: `Not ${token}, but (${token})`
    }),
    "in the address of an error": failed({ error: "invalid_grant", error_uri: `https://x/?t=${token}` }),
    "twice under one name": raw(`{"access_token":"${token}","access_token":"abcdefgh"}`),
    "in an escaped name": raw(`{"access\\u005ftoken":"${token}","access_token":"abcdefgh"}`),
    "in escaped characters": raw(`{"access_token":"abcdefgh","scope":"${escaped(token)}"}`),
    "in a list of documents": raw(`[${ok}]`),
    "in lines of documents": raw(`{}\n${ok}\n`),
    "in a text": raw(`"${token}"`),
    "in a call of a function": raw(`/**/f(${ok})`),
    "as JSON in a form": form(ok),
    "as a form in JSON": raw(`access_token=${token}`),
    "in a form twice": form(`access_token=${token}&access_token=abcdefgh`),
    "in a form with semicolons": form(`scope=repo;access_token=${token}`),
    "in a form beside it": form(`access_token=${token}&copy=${token}&${token}=1`),
    "in a form within a field": form(`access_token=${token}&scope=${encodeURIComponent(`a&b=${token}`)}`),
    "in a form in UTF-16": form(wide(`access_token=${token}`), "application/x-www-form-urlencoded; charset=utf-16le"),
    "in a form in UTF-16 without a charset": form(wide(`access_token=${token}`)),
    "in JSON in UTF-16": raw(`\xff\xfe${wide(ok)}`, "Content-Type: application/json; charset=utf-16\r\n"),
    "in HTML": form(`<p>${token}</p>`, "text/html"),
    "in parts": form(`--b\r\n\r\n${ok}\r\n--b--`, "multipart/mixed; boundary=b"),
    "without a media type": raw(ok, ""),
    "compressed, although not asked": raw(gzipped(ok), "Content-Type: application/json\r\nContent-Encoding: gzip\r\n"),
    "compressed without saying so": raw(gzipped(ok)),
    "with two codings": raw(
      ok,
      `Content-Type: application/json\r\nContent-Encoding: identity\r\nContent-Encoding: br\r\n`
    ),
    "in a response that ends early":
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n${ok}`,
    "in content that is too long": json({ access_token: token, pad: "x".repeat(300_000) })
  }
}

describe("a response of a token endpoint", () => {
  for (const where of Object.keys(responsesWith(""))) {
    it(`gives no real token to a program: ${where}`, async () => {
      const token = fresh()
      vendor.answer(PATH, { raw: responsesWith(token)[where]! })
      assert.isTrue(discloses(await control(post()), token), "the control")
      const seen = await captured(post())
      assert.isFalse(discloses(seen, token), seen)
      assert.isTrue(isBuilt(seen), seen)
    })
  }

  it("is passed on with placeholders in place of tokens, and with the members that programs read beside them", async () => {
    const members = { access_token: fresh(), token_type: "bearer", scope: "gist,read:org,repo" }
    vendor.answer(PATH, { raw: json({ ...members, refresh_token_expires_in: 15_811_200 }) })
    const [head = "", body = ""] = (await captured(post())).split("\r\n\r\n")
    assert.match(head, /^HTTP\/1\.1 200 OK\r\n/)
    const { access_token: token, ...others } = JSON.parse(body)
    assert.match(token, /^gho_credsvc-proxy-managed---[\w-]+$/)
    assert.deepStrictEqual(others, {
      token_type: "bearer",
      scope: "gist,read:org,repo",
      refresh_token_expires_in: 15_811_200
    })
  })
})

const bytes = (text: string): Sent => ({ bytes: text })
const withMethod = (method: string): Sent => bytes(post().bytes!.replace("POST", method))
const withHost = (host: string): Sent => bytes(post().bytes!.replace("Host: github.com", host))
const FORM_TYPE = "application/x-www-form-urlencoded"
const basic = base64(`${GH_CLIENT}:secret`)
const other = (more: string, type?: string): Sent => post(PATH, `${OTHER}${more}`, "", type)
const over2 = (more: Readonly<Record<string, string>>, body = FORM): Sent => ({
  headers: { ":method": "POST", ":path": PATH, ":authority": "github.com", "content-type": FORM_TYPE, ...more },
  body
})

/** Requests that a server might take for a login of the client, and where it would find them. */
const requests: Readonly<Record<string, Sent>> = {
  ...Object.fromEntries(
    ["GET", "OPTIONS", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"].map((
      method
    ) => [`by ${method}`, withMethod(method)])
  ),
  "by GET with its fields in the query": bytes(
    `GET ${PATH}?${FORM} HTTP/1.1\r\nHost: github.com\r\nConnection: close\r\n\r\n`
  ),
  ...Object.fromEntries(
    String.raw`${PATH}.json ${PATH}%2ejson ${PATH}/ ${PATH};x=1 ${PATH}%3bx ${PATH}%20 ${PATH}%00 ${PATH}%3f ${PATH}#x
      /%6cogin/oauth/access_token /login/oauth/access%5ftoken /LOGIN/oauth/access_token /login/OAuth/Access_Token
      //login/oauth/access_token /login//oauth/access_token /login/./oauth/access_token
      /x/../login/oauth/access_token /login/x/%2e%2e/oauth/access_token /login%2foauth/access_token
      /login%5coauth/access_token /login\oauth\access_token /login;x/oauth/access_token
      /login/(S(x))/oauth/access_token /login/oauth/access_token%E2%80%8B /login/oauth/%EF%BD%81ccess_token
      https://github.com${PATH} http://github.com${PATH} https://api.github.com${PATH}`.split(/\s+/).map((
      target
    ) => [`at ${target}`, post(target)])
  ),
  ...Object.fromEntries(
    [
      "Host: api.github.com",
      "Host: GITHUB.com",
      "Host: github.com.",
      "Host: github.com:443",
      "Host: github.com:8443",
      "Host: github.com\r\nX-Forwarded-Host: api.github.com",
      "Host: x.example.com"
    ].map((host) => [`with ${host}`, withHost(host)])
  ),
  ...Object.fromEntries(
    `X-HTTP-Method-Override: GET | X-Http-Method: PUT | X-Original-URL: /login/oauth/access_token |
      X-Rewrite-Url: /x | Expect: 100-continue | Upgrade: websocket | Range: bytes=17- | If-None-Match: x |
      Accept-Encoding: gzip | Content-Encoding: identity, gzip | Authorization: Basic ${basic}`.split(/\s*\|\s*/).map((
      line
    ) => [`with ${line}`, post(PATH, FORM, `${line}\r\n`)])
  ),
  "with a method in the query": post(`${PATH}?_method=PUT`),
  "with a method in the form": post(PATH, `_method=GET&${FORM}`),
  "with two media types": post(PATH, FORM, "Content-Type: application/json\r\n"),
  "with another grant": post(PATH, `${FORM}&grant_type=refresh_token`),
  "with another grant in the query": post(`${PATH}?grant_type=refresh_token`),
  "with a code in another case": post(`${PATH}?grant_type=refresh_token`, FORM.replace("code=", "Code=")),
  "with another client first": other(`&client_id=${GH_CLIENT}`),
  "with another client in the query": post(`${PATH}?client_id=other`),
  "with the client in the query": post(`${PATH}?client_id=${GH_CLIENT}`, OTHER),
  "with a client behind a semicolon": other(`;client_id=${GH_CLIENT}`),
  "with a client behind a semicolon in the query": post(`${PATH}?x=1;client_id=${GH_CLIENT}`, OTHER),
  "with a client in another case": other(`&CLIENT_ID=${GH_CLIENT}`),
  "with a client with a dot": other(`&client.id=${GH_CLIENT}`),
  "with a list of clients": other(`&client_id[]=${GH_CLIENT}`),
  "with an encoded list of clients": other(`&client_id%5B%5D=${GH_CLIENT}`),
  "with a client in UTF-7": other(`&x=+ACY-client_id+AD0-${GH_CLIENT}`, `${FORM_TYPE}; charset=utf-7`),
  "with a client in UTF-16": other("", `${FORM_TYPE}; charset=utf-16`),
  "with a client in a nested object": post(
    PATH,
    JSON.stringify({ client_id: "other", code: "code-of-ann", x: { client_id: GH_CLIENT } }),
    "",
    "application/json"
  ),
  "with a client twice in JSON": post(
    PATH,
    `{"client_id":"other","client_id":"${GH_CLIENT}","code":"code-of-ann"}`,
    "",
    "application/json"
  ),
  "with a form in JSON": post(PATH, `{"client_id":"other","code":"&client_id=${GH_CLIENT}&"}`, "", "application/json"),
  "in parts": post(
    PATH,
    `--b\r\nContent-Disposition: form-data; name="client_id"\r\n\r\n${GH_CLIENT}\r\n--b--\r\n`,
    "",
    "multipart/form-data; boundary=b"
  ),
  "without a media type": bytes(post().bytes!.replace(/Content-Type: [^\r]*\r\n/, "")),
  ...Object.fromEntries(
    [
      `Basic\t${basic}`,
      `Basic  ${basic}`,
      `basic ${basic}`,
      `Basic ${basic.slice(0, 8)}!${basic.slice(8)}`,
      `Basic ${basic}\r\nAuthorization: Basic ${base64("other:secret")}`,
      `Basic ${base64("other:secret")}, Basic ${basic}`,
      `Basic ${base64("Iv1.0123456789abcdef:secret")}\r\nAuthorization: Basic ${basic}`,
      `Bearer x, Basic ${basic}`
    ].map((
      value
    ) => [`of another client with Authorization: ${value}`, post(PATH, OTHER, `Authorization: ${value}\r\n`)])
  ),
  "in chunks with a trailer field": bytes(
    `POST ${PATH} HTTP/1.1\r\nHost: github.com\r\n${fields()}Transfer-Encoding: chunked\r\n\r\n` +
      `${FORM.length.toString(16)};x\r\n${FORM}\r\n0\r\nContent-Type: application/json\r\n\r\n`
  ),
  "over HTTP/1.0": bytes(post().bytes!.replace("HTTP/1.1", "HTTP/1.0"))
}

describe("a request to a token endpoint", () => {
  /** A server that issues a token wherever and whatever it is asked. */
  const issued = (sent: Sent): string => {
    const token = fresh()
    const [, target = PATH] = sent.bytes?.split(" ") ?? []
    vendor.answer(new URL(target, "https://github.com").pathname, { raw: raw(usual(token)) })
    return token
  }

  for (const [how, sent] of Object.entries(requests)) {
    it(`is refused or captured: ${how}`, async () => {
      const token = issued(sent)
      assert.isTrue(discloses(await control(sent), token), "the control")
      const seen = await captured(sent)
      assert.isFalse(discloses(seen, token), seen)
      assert.isTrue(/^HTTP\/1\.1 [45]/.test(seen) || seen.includes("gho_credsvc-proxy-managed---"), seen)
    })
  }

  it("is refused with a query that is too long for the daemon", async () => {
    assert.match(
      await captured(post(`${PATH}?x=${"x".repeat(16_384)}`)),
      /^HTTP\/1\.1 414 .*send its fields in the body/s
    )
  })

  it("is refused if a page of another site sends it, which could log the run in to another account", async () => {
    const page = "Sec-Fetch-Site: cross-site\r\nOrigin: https://evil.example\r\n"
    assert.match(await captured(post(PATH, FORM, page)), /^HTTP\/1\.1 403 .*a page of another site must not log in/s)
  })

  // The control is over HTTP/1.1, because the server has no other protocol.
  const attempts: Readonly<Record<string, Sent>> = {
    "an ordinary request": over2({}),
    "another authority": over2({ ":authority": "api.github.com" }),
    "another Host field": over2({ host: "api.github.com" }),
    "another scheme": over2({ ":scheme": "http" }),
    "another method": over2({ ":method": "PUT" }),
    "an encoded path": over2({ ":path": "/%6cogin/oauth/access_token" }),
    "an absolute path": over2({ ":path": `https://github.com${PATH}` }),
    "a path without a slash": over2({ ":path": PATH.slice(1) }),
    "a method in a field": over2({ "x-http-method-override": "PUT" })
  }
  for (const [how, sent] of Object.entries(attempts)) {
    it(`is refused or captured over HTTP/2: ${how}`, async () => {
      const token = issued(over2({}))
      const seen = await captured(sent)
      assert.isFalse(discloses(seen, token), seen)
      const isOver = /":status":[45]|^Error|^$/.test(seen)
      assert.isTrue(
        how === "an ordinary request" ? seen.includes("gho_credsvc-proxy-managed---") : isOver || seen.includes("---"),
        seen
      )
    })
  }
})
