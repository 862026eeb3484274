/** The declared fields of a request's body, for providers whose credential is in it. */
import { fieldOf, lengthOf } from "../../http/HeaderFields.ts"
import { fillableKind, type FilledRequest, filledRequest, MAX_FILLED_BODY } from "../../outbound/BodyInjection.ts"
import type { Injection } from "../../outbound/HeaderInjection.ts"
import { requestRefusal } from "../ErrorResponse.ts"
import type { Client } from "./Client.ts"
import type { CredentialStep } from "./CredentialStep.ts"
import type { RequestContent } from "./RequestContent.ts"

const METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

const TOO_LONG = requestRefusal(
  413,
  `the body is longer than ${MAX_FILLED_BODY / 1024} KiB, so the credential cannot be placed in it`
)

interface FilledExchange extends Client {
  readonly credential: CredentialStep
  readonly content: RequestContent
}

/** The body with the credential; undefined if it was not read, or has no placeholder in a declared field. */
export const filledBody = (
  { content: { whole }, head: { headers } }: Pick<FilledExchange, "content" | "head">,
  { body, placeholders }: Injection
): FilledRequest | undefined =>
  body === undefined || whole === undefined ? undefined : filledRequest(headers, whole, body, placeholders)

/**
 * Reads a body that may have declared fields, then calls `send`. Refuses a body that is too long for the credential, unless the head
 * has one as well. If a field names another connection, the exchange continues with the credential of that connection instead.
 */
export const readFields = (exchange: FilledExchange, send: () => void): void => {
  const { content, credential, head: { headers, method } } = exchange
  const injection = credential.injection!
  const choose = () => {
    const named = filledBody(exchange, injection)?.connections ?? []
    if ([...named].every((name) => credential.accepts(name))) send()
  }
  // A request with a credential in its head does not need the one in its body.
  const pass = () => injection.set.length > 0 || injection.query.length > 0 ? send() : exchange.refuse(TOO_LONG)
  if (!METHODS.has(method) || fillableKind(headers) === undefined) return send()
  if (content.whole !== undefined) return choose()
  if ((lengthOf(fieldOf(headers, "content-length") ?? "") ?? 0) > MAX_FILLED_BODY) return pass()
  content.read(MAX_FILLED_BODY, (read) => exchange.contain(read === "too long" ? pass : choose))
}
