/** Reads requests to token endpoints and their responses, and writes the responses of the daemon. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import type { ProgramLoginReply, ProgramLoginRequest, ProgramMessage } from "../../domain/wire/ProgramLogin.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** The kind of the content; undefined if it is of another type, or in a charset that servers could read in another way. */
const kindOf = ({ contentType }: ProgramMessage): "form" | "json" | undefined => {
  const [, type] = /^application\/(x-www-form-urlencoded|json)(?:; ?charset="?utf-8"?)?$/i.exec(contentType) ?? []
  return type === undefined ? undefined : type.toLowerCase() === "json" ? "json" : "form"
}

/** The members of a JSON object or the fields of a form, each of them once; undefined for other content, unless it is empty. */
export const fieldsOf = (message: ProgramMessage): JsonObject | undefined => {
  const content = Redacted.value(message.content).replace(/^\ufeff/, "")
  if (content === "") return {}
  const kind = kindOf(message)
  if (kind !== "json") return kind && formFields(content)
  const document = parseStrictJson(content)
  return Result.isSuccess(document) && typeof document.success === "object" && document.success !== null
    ? document.success as JsonObject
    : undefined
}

const formFields = (text: string): JsonObject | undefined => {
  // For some servers, a semicolon separates fields, too.
  if (text.includes(";")) return undefined
  const pairs = [...new URLSearchParams(text)]
  // A name of other characters may be JSON, or a text in another encoding.
  const isForm = new Set(pairs.map(([name]) => name)).size === pairs.length &&
    pairs.every(([name]) => /^[\w.-]+$/.test(name))
  return isForm ? Object.fromEntries(pairs) : undefined
}

/** Some servers ignore the case of names, and read a dot or a hyphen as an underscore. */
export const foldedName = (name: string): string => name.toLowerCase().replaceAll(/[.-]/g, "_")

/** The fields of the query and the content of a request, by folded names. Undefined if servers could read them in several ways. */
export const requestFields = ({ request, target }: ProgramLoginRequest): JsonObject | undefined => {
  const query = formFields(target.split("?").slice(1).join("?"))
  const fields = fieldsOf(request)
  if (query === undefined || fields === undefined) return undefined
  const pairs = [query, fields].flatMap(Object.entries).map(([name, value]) => [foldedName(name), value] as const)
  const all = Object.fromEntries(pairs)
  // A form in a JSON text, or the reverse, for a server that ignores the media type.
  const isPlain = pairs.every(([name, value]) =>
    /^\w+$/.test(name) && Object(value) !== value && !String(value).includes("&")
  )
  return isPlain && Object.keys(all).length === pairs.length ? all : undefined
}

/** The client of a request; empty without one. */
export const clientOf = (request: ProgramLoginRequest): string =>
  String(requestFields(request)?.["client_id"] ?? request.client ?? "")

export const jsonReply = (status: number, document: JsonObject): ProgramLoginReply => ({
  decision: "respond",
  status,
  contentType: "application/json",
  content: JSON.stringify(document)
})

/** The response to a login, in the form of the vendor's. */
export const replyTo = (response: ProgramMessage, document: JsonObject): ProgramLoginReply =>
  kindOf(response) === "form"
    ? {
      decision: "respond",
      contentType: "application/x-www-form-urlencoded",
      content: new URLSearchParams(document as Record<string, string>).toString()
    }
    : { decision: "respond", contentType: "application/json", content: JSON.stringify(document) }

/** Programs treat this error as the end of their login, and delete it. */
export const ended = (description: string) => jsonReply(400, { error: "invalid_grant", error_description: description })

/** Claude Code and Codex keep their login after this status, and delete or repeat it after others. */
export const failedForNow = (description: string) =>
  jsonReply(403, { error: "temporarily_unavailable", error_description: description })
