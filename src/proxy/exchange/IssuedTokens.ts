/**
 * The tokens that APIs have issued to the programs of a run. A program gets a phantom with the ID of its token. The ID is
 * worthless outside the run.
 */
import * as Result from "effect/Result"
import type { IssuedTokens as Declared } from "../../domain/injection/Capture.ts"
import { opaquePhantom, type PhantomName } from "../../domain/injection/Placeholder.ts"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import { MIN_SECRET_LENGTH } from "../../http/scrub/SecretSpellings.ts"
import { type Injection, withToken } from "../../outbound/HeaderInjection.ts"
import { setNewest } from "../../platform/BoundedMap.ts"
import { randomId } from "../../platform/Digest.ts"
import { setValueAt, valueAt } from "../../platform/JsonPointer.ts"
import type { Resolved } from "../routing/Resolution.ts"

/** A token of visible ASCII characters that fits into a header field of a request. */
const TOKEN = new RegExp(`^[\\x21-\\x7e]{${MIN_SECRET_LENGTH},8192}$`)

/** The maximum number of tokens to keep, because the client decides how many it requests. */
const MAX_TOKENS = 1024

/** Where a response has tokens, the names in their phantoms, and the secrets of the request (`known`), which are not issued tokens. */
export interface IssuingResponse extends Declared, Pick<PhantomName, "connection" | "login" | "provider"> {
  readonly known: ReadonlyArray<string>
}

export class IssuedTokens {
  readonly #tokens = new Map<string, { readonly kind: string; readonly token: string }>()

  /**
   * Replaces the tokens in the content of a response with phantoms. Returns the new content and the tokens, or, if a token
   * cannot be replaced, a string that says why, to follow "a token".
   */
  replaced(text: string, { connection, kind, known, login, placeholder, pointers, provider }: IssuingResponse) {
    const content = parseStrictJson(text)
    if (Result.isFailure(content)) return "in content that is not JSON"
    const document = content.success as Record<string, unknown>
    const found: Array<readonly [pointer: string, token: string]> = []
    for (const pointer of pointers) {
      const token = valueAt(document, pointer) ?? ""
      if (typeof token === "string" && (token === "" || known.includes(token))) continue
      if (typeof token !== "string" || !TOKEN.test(token)) {
        return `that is not a string of ${MIN_SECRET_LENGTH} to 8192 visible ASCII characters`
      }
      found.push([pointer, token])
    }
    for (const [pointer, token] of found) {
      const issued = randomId()
      setNewest(this.#tokens, issued, { kind, token }, MAX_TOKENS)
      setValueAt(
        document,
        pointer,
        opaquePhantom(placeholder, { role: "issued_token", provider, connection, login, issued })
      )
    }
    return { content: JSON.stringify(document), tokens: found.map(([, token]) => token) }
  }

  /** Puts an issued token into the place of the credential, or returns why the request must not carry the token. */
  placed(id: string, { accepted = {}, injection }: Resolved): Injection | string {
    const issued = this.#tokens.get(id)
    if (issued === undefined) {
      return "a token that an API issues can be used only in the run that requested it, and this run has no token for the placeholder " +
        "in the request: request another token"
    }
    return Object.hasOwn(accepted, issued.kind)
      ? withToken(injection, accepted[issued.kind]!, issued.token)
      : "this path does not accept the token that the API has issued, or the token belongs to an earlier login: request another token"
  }
}
