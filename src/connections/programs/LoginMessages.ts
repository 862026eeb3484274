/** Reads requests to token endpoints and their responses, and writes the daemon's own responses. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import type { ProgramLoginReply, ProgramLoginRequest, ProgramMessage } from "../../domain/wire/ProgramLogin.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** The kind of the content, or undefined for other media types and for charsets that servers could misread. */
const kindOf = ({ contentType }: ProgramMessage): "form" | "json" | undefined => {
  const [, type] = /^application\/(x-www-form-urlencoded|json)(?:; ?charset="?utf-8"?)?$/i.exec(contentType) ?? []
  return type === undefined ? undefined : type.toLowerCase() === "json" ? "json" : "form"
}

/** The members of a JSON object or the fields of a form, or undefined for duplicate names and other content. */
export const contentFields = (message: ProgramMessage): JsonObject | undefined => {
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
  // Some servers also treat a semicolon as a field separator.
  if (text.includes(";")) return undefined
  const pairs = [...new URLSearchParams(text)]
  // A name with other characters may be JSON, or text in another encoding.
  const isForm = new Set(pairs.map(([name]) => name)).size === pairs.length &&
    pairs.every(([name]) => /^[\w.-]+$/.test(name))
  return isForm ? Object.fromEntries(pairs) : undefined
}

/** Normalizes a field name, because some servers ignore case, and treat a dot or a hyphen as an underscore. */
export const foldedName = (name: string): string => name.toLowerCase().replaceAll(/[.-]/g, "_")

/** The fields of a request, by normalized names, or undefined if servers could read them differently. */
export const requestFields = ({ request, target }: ProgramLoginRequest): JsonObject | undefined => {
  const query = formFields(target.split("?").slice(1).join("?"))
  const fields = contentFields(request)
  if (query === undefined || fields === undefined) return undefined
  const pairs = [query, fields].flatMap(Object.entries).map(([name, value]) => [foldedName(name), value] as const)
  const all = Object.fromEntries(pairs)
  // Rejects a form within JSON and JSON within a form, which a server that ignores the media type would read.
  const isPlain = pairs.every(([name, value]) =>
    /^\w+$/.test(name) && Object(value) !== value && !String(value).includes("&")
  )
  return isPlain && Object.keys(all).length === pairs.length ? all : undefined
}

/** The client ID of a request, or an empty string. */
export const clientOf = (request: ProgramLoginRequest): string =>
  String(requestFields(request)?.["client_id"] ?? request.client ?? "")

/** A response in JSON. Without a `status`, it has the status of the provider's response. */
export const jsonReply = (document: unknown, status?: number): ProgramLoginReply => ({
  ...(status === undefined ? {} : { status }),
  contentType: "application/json",
  content: JSON.stringify(document)
})

/** The response to a login, in the format of the provider's response. */
export const replyTo = (response: ProgramMessage, document: JsonObject): ProgramLoginReply =>
  kindOf(response) !== "form" ? jsonReply(document) : {
    contentType: "application/x-www-form-urlencoded",
    content: new URLSearchParams(document as Record<string, string>).toString()
  }

/** The error that makes programs end and delete their login. */
export const ended = (description: string) => jsonReply({ error: "invalid_grant", error_description: description }, 400)

/** A temporary failure: Claude Code and Codex keep their login after this status, but not after others. */
export const failedForNow = (description: string) =>
  jsonReply({ error: "temporarily_unavailable", error_description: description }, 403)
