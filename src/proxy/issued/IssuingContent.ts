/**
 * A response that issues tokens. It is collected, because the place of a token in JSON is known only at its end, and passed on with the
 * placeholders. What cannot be read is not passed on.
 */
import * as Result from "effect/Result"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import { type HeaderPairs, valuesOf } from "../../http/HeaderFields.ts"
import {
  collectedContent,
  isPlain,
  ofChangedContent,
  type ResponseContent,
  type ResponseSink
} from "../../http/scrub/ResponseContent.ts"
import type { SecretSearch } from "../../http/scrub/SecretSearch.ts"
import { MIN_SECRET_LENGTH } from "../../http/scrub/SecretSpellings.ts"
import { pointed } from "../../platform/JsonPointer.ts"
import type { Issuing } from "../routing/Resolution.ts"

const MAX_BYTES = 256 * 1024

/** The response cannot be read. The message completes `api.example.com sent a token`. */
export class UnreadableTokenError extends Error {}

const tokenOf = (value: unknown): ReadonlyArray<string> => {
  if (value === undefined || value === null || value === "") return []
  // A later request carries the token in a header field.
  if (typeof value === "string" && value.length >= MIN_SECRET_LENGTH && /^[\x21-\x7e]+$/.test(value)) return [value]
  throw new UnreadableTokenError(`that is not a text of at least ${MIN_SECRET_LENGTH} visible ASCII characters`)
}

export const tokensInHeaders = ({ tokenHeaders }: Issuing, headers: HeaderPairs): ReadonlyArray<string> =>
  [...tokenHeaders].flatMap((name) => valuesOf(headers, name)).flatMap(tokenOf)

const documentIn = (content: Buffer): unknown => {
  const document = parseStrictJson(content.toString("utf8").replace(/^\ufeff/, ""))
  if (Result.isSuccess(document)) return document.success
  throw new UnreadableTokenError("in content that is not JSON")
}

const tokensIn = ({ tokens }: Issuing, content: Buffer): ReadonlyArray<string> => {
  if (tokens.length === 0 || content.length === 0) return []
  const document = documentIn(content)
  return tokens.flatMap((pointer) => tokenOf(pointed(document, pointer)))
}

export interface IssuingSink extends Pick<ResponseSink, "data" | "end" | "head"> {
  /** Keeps the tokens, and returns a search for them; undefined if there is nothing to search for. */
  readonly issued: (tokens: ReadonlyArray<string>) => SecretSearch | undefined
  readonly unreadable: (error: UnreadableTokenError) => void
}

/** The content of a response that issues tokens, on its way to the client. */
export const issuingContent = (issuing: Issuing, headers: HeaderPairs, sink: IssuingSink): ResponseContent => {
  const pass = (content: Buffer): void => {
    const tokens = [...tokensInHeaders(issuing, headers), ...tokensIn(issuing, content)]
    const search = sink.issued(tokens)
    const text = content.toString("latin1")
    const replaced = Buffer.from(search?.replacedIn(text) ?? text, "latin1")
    if (tokensIn(issuing, replaced).some((token) => tokens.includes(token))) {
      throw new UnreadableTokenError("in an unusual spelling")
    }
    sink.head([...ofChangedContent(headers), "Content-Length", String(replaced.length)])
    if (replaced.length > 0) sink.data(replaced)
    sink.end()
  }
  return collectedContent(MAX_BYTES, (content) => {
    try {
      // The request has not offered a coding.
      if (!isPlain(headers)) throw new UnreadableTokenError("in a content coding that the request did not accept")
      if (content === undefined) throw new UnreadableTokenError(`in content of more than ${MAX_BYTES / 1024} KiB`)
      pass(content)
    } catch (error) {
      if (!(error instanceof UnreadableTokenError)) throw error
      sink.unreadable(error)
    }
  })
}
