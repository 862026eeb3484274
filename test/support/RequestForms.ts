/** Checks requests as the rules of a run do, before they decide. */
import { assert, it } from "@effect/vitest"
import { readHead } from "../../src/proxy/routing/RequestValidation.ts"
import { UncheckableError } from "../../src/proxy/rules/BodyCheck.ts"
import { checkableRequest, decodedBody } from "../../src/proxy/rules/CheckableRequest.ts"

export const FORM = "application/x-www-form-urlencoded"
export const JSON_TYPE = "application/json"

export interface Given {
  readonly method?: string
  readonly host?: string
  readonly target?: string
  readonly headers?: ReadonlyArray<string>
  readonly body?: string | Buffer
  /** The sizes of the parts in which the body arrives. */
  readonly part?: number
  /** Whether a rule allows requests in the body. */
  readonly carries?: boolean
  /** Whether the host checks signatures. */
  readonly signed?: boolean
}

/** Why the rules refuse a request; undefined if its form is clear. */
export const problemOf = (given: Given): string | undefined => {
  const {
    body = "",
    carries = false,
    headers = [],
    host = "api.example.com",
    method = "POST",
    part = 1 << 20,
    signed = false,
    target = "/x"
  } = given
  const hostHeader = host
  const origin = {
    scheme: "https",
    authority: { kind: "name", host, port: 443 },
    hostHeader,
    routes: undefined
  } as const
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  const { head } = readHead(
    {
      version: "HTTP/1.1",
      method,
      target,
      headers: ["Host", host, "Content-Length", String(bytes.length), ...headers],
      hasBody: false,
      upgrade: false,
      insideTunnel: true
    },
    origin,
    []
  )
  try {
    const { check, coding } = checkableRequest(head, signed)
    const content = coding === undefined ? bytes : decodedBody(coding, bytes)
    const checking = check?.(carries)
    for (let at = 0; at < content.length; at += part) checking?.write(content.subarray(at, at + part))
    checking?.end()
    return undefined
  } catch (error) {
    if (error instanceof UncheckableError) return error.message
    throw error
  }
}

export const typed = (type: string, body: string | Buffer, more: Given = {}): Given => ({
  ...more,
  headers: ["Content-Type", type, ...more.headers ?? []],
  body
})

export const BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
export const multipart = (...parts: ReadonlyArray<string>): string =>
  parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join("") + `--${BOUNDARY}--\r\n`
export const field = (name: string, value = "DELETE") =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
export const FORM_DATA = `multipart/form-data; boundary=${BOUNDARY}`
export const RELATED = `multipart/related; boundary="${BOUNDARY}"`
export const query = (text: string): Given => ({ method: "GET", target: `/x?${text}` })

/** Tests of a kind of requests that the rules refuse, and of valid requests that resemble them. */
export const testForms = (kind: string, refused: ReadonlyArray<Given>, right: ReadonlyArray<Given>): void => {
  for (const [at, given] of refused.entries()) {
    for (const part of [1, 7, 1 << 20]) {
      it(`refuses ${kind} (${at + 1}, in parts of ${part})`, () => {
        assert.isDefined(problemOf({ ...given, part }), JSON.stringify(given))
      })
    }
  }
  it(`accepts valid requests that resemble ${kind}`, () => {
    for (const given of right) {
      for (const part of [1, 3, 1 << 20]) assert.isUndefined(problemOf({ ...given, part }), JSON.stringify(given))
    }
  })
}
