/**
 * For any request head, the credential is in each of its places once, the client's own values and placeholders are in none, and
 * neither filtered responses nor logs contain the credential.
 */
import * as Redacted from "effect/Redacted"
import { PLACEHOLDER } from "../../../src/domain/injection/Placeholder.ts"
import { requestFields } from "../../../src/outbound/EndToEndFields.ts"
import {
  type Injection,
  loggedPath,
  prepare,
  requestHeaders as withCredential,
  requestTarget,
  requestTrailers,
  responseHeaders
} from "../../../src/outbound/HeaderInjection.ts"
import { fieldsOf, hold, same, type Target } from "../Target.ts"

const requestHeaders = (
  raw: ReadonlyArray<string>,
  host: string,
  given: Injection | undefined
): ReadonlyArray<string> => withCredential(requestFields(raw, given?.placeholders ?? []).headers, host, given)

const TOKEN = "123456:AA-bb_cc/ dd+%"
const KEY = "sk-key 0123456789&="
const redacted = (record: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, Redacted.make(value)]))

const injection = prepare({
  headers: redacted({ Authorization: `Bearer ${KEY}`, "X-Api-Key": KEY }),
  query: redacted({ key: KEY }),
  path: redacted({ "/bot{token}": `/bot${encodeURIComponent(TOKEN)}` }),
  defaults: redacted({ "X-Version": "1" }),
  strip: { headers: ["X-Auth"], query: ["access_token"] }
})

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const isTaken = (name: string) => ["authorization", "x-api-key"].includes(name)

export const seeds: Target["seeds"] = [
  `/bot${PLACEHOLDER}/getMe?key=${PLACEHOLDER}&a=b\nAuthorization: Bearer ${PLACEHOLDER}\nX-Auth: a`,
  `/v1/x?KEY=1&access_token=2&k%65y=3\nConnection: authorization, x-a\nX-A: b\nauthorization: Basic ${
    Buffer.from(`a:${PLACEHOLDER}`).toString("base64")
  }`,
  `/bot${encodeURIComponent(TOKEN)}/x\nSec-WebSocket-Protocol: a, key.${PLACEHOLDER}\nIdempotency-Key: ${PLACEHOLDER}`,
  "/?\nHost: other\nTE: trailers\nX-Version: 2"
]

export const fuzz: Target["fuzz"] = (data) => {
  const [target = "", ...lines] = data.toString("latin1").split("\n")
  const fields = fieldsOf(lines)
  const headers = requestHeaders(fields, "api.example", injection)
  const valuesOf = (name: string) => headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name)
  same([valuesOf("host"), valuesOf("authorization"), valuesOf("x-api-key")], [["api.example"], [`Bearer ${KEY}`], [
    KEY
  ]])
  same(valuesOf("x-auth"), [])
  hold(valuesOf("x-version").length > 0, () => "a default is missing")
  for (const [at, value] of headers.entries()) {
    hold(at % 2 === 0 || !value.includes(PLACEHOLDER), () => `the placeholder is sent: ${value}`)
  }
  for (const [at, name] of requestTrailers(fields, injection).entries()) {
    hold(at % 2 === 1 || !isTaken(name.toLowerCase()), () => `the trailer ${name} is sent`)
  }

  const sent = requestTarget(target, injection)
  const [path = "", query = ""] = sent.split(/\?(.*)/s)
  const parameters = query.split("&").map((pair) => pair.split("=", 1)[0])
  same(parameters.filter((name) => name === "key"), ["key"])
  hold(!query.includes(PLACEHOLDER), () => `the placeholder is sent: ${sent}`)
  const given = target.includes(encodeURIComponent(TOKEN))
  const filled = !given && path.includes(encodeURIComponent(TOKEN))
  hold(!filled || path.startsWith("/bot"), () => `it stands in ${path}`)
  const logged = loggedPath(sent, injection)
  hold(given || !logged.includes(encodeURIComponent(TOKEN)), () => `the log has ${logged}`)

  const repeated = ["Location", `https://api.example${sent}`, "Link", `<${sent}>`, "X-Echo", decoded(sent)]
  for (const text of responseHeaders(repeated, false, injection.repeatable)) {
    for (const secret of [KEY, TOKEN, encodeURIComponent(KEY), encodeURIComponent(TOKEN)]) {
      hold(!text.includes(secret), () => `${JSON.stringify(text)} has ${secret}`)
    }
  }
}
