/** Signs a request by HMAC, as the provider's definition describes. Does not change the body. */
import * as Redacted from "effect/Redacted"
import { placesIn, templateParts } from "../domain/definition/HmacTemplate.ts"
import type { HmacSigning } from "../domain/wire/Resolve.ts"
import type { HeaderPairs } from "../http/HeaderFields.ts"
import type { OutgoingHead } from "../http/OutgoingRequest.ts"
import { builtins } from "../platform/builtins.ts"

/** Converts the description of a signature with its key to the form that is applied to requests. */
export const hmacCredential = ({ encoding, headers, key, message, timestamp }: HmacSigning) => {
  const templates = Object.entries(headers).map(([name, template]) => [name, Redacted.value(template)] as const)
  const places = new Set([message, ...templates.map(([, template]) => template)].flatMap(placesIn))
  return {
    key: Buffer.from(Redacted.value(key), "base64"),
    message: templateParts(message),
    timestamp,
    encoding,
    headers: templates.map(([name, template]) => [name, templateParts(template)] as const),
    /** Whether the body must be known before the head is sent. */
    needsBody: places.has("body") || places.has("body_hash")
  }
}
export type HmacCredential = ReturnType<typeof hmacCredential>

const timeIn = (form: HmacSigning["timestamp"], now: number): string => {
  switch (form) {
    case "seconds":
      return String(Math.floor(now / 1000))
    case "milliseconds":
      return String(now)
    case "iso8601":
      return new Date(now).toISOString()
    case "http_date":
      return new Date(now).toUTCString()
  }
}

/** Returns the header fields with the signature. `now` is the time in milliseconds. */
export const signWithHmac = (
  { headers, method, path }: OutgoingHead,
  { encoding, headers: own, key, message, timestamp }: HmacCredential,
  content: Buffer,
  now: number
): HeaderPairs => {
  const parts: Record<string, string> = {
    method,
    target: path,
    host: headers[1] ?? "",
    timestamp: timeIn(timestamp, now)
  }
  parts["body_hash"] = builtins.crypto.createHash("sha256").update(content).digest(encoding)
  const hmac = builtins.crypto.createHmac("sha256", key)
  for (const [index, text] of message.entries()) {
    if (index % 2 === 1 && text === "body") hmac.update(content)
    // Each character of a head is a byte of the message.
    else hmac.update(index % 2 === 1 ? parts[text]! : text, "latin1")
  }
  parts["signature"] = hmac.digest(encoding)
  return [
    ...headers,
    ...own.flatMap(([name, texts]) => [
      name,
      texts.map((text, index) => index % 2 === 1 ? parts[text]! : text).join("")
    ])
  ]
}
