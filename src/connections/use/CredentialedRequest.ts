/** Puts a credential into a request of this program, with the same code with which the proxy does it for other programs. */
import type { Resolved } from "../../domain/wire/Resolve.ts"
import { filledRequest } from "../../outbound/BodyInjection.ts"
import { requestFields } from "../../outbound/EndToEndFields.ts"
import { injectionOf, requestHeaders } from "../../outbound/HeaderInjection.ts"
import { hmacCredential, signWithHmac } from "../../outbound/HmacSignature.ts"
import type { ClientSignature } from "../../outbound/sigv4/ClientSignature.ts"
import { signHead, signingCredential } from "../../outbound/sigv4/RequestSigner.ts"
import { requestTarget } from "../../outbound/TargetInjection.ts"
import { sha256 } from "../../platform/Digest.ts"

interface PlainRequest {
  readonly method: string
  readonly host: string
  readonly path: string
  /** The header fields without `Host`, as a flat list of names and values. */
  readonly headers: ReadonlyArray<string>
  readonly body: string | undefined
}

type Head = Parameters<typeof signHead>[0]

const signed = (head: Head, { hmac, signing }: Resolved, content: Buffer): Head => {
  const now = Date.now()
  if (signing === undefined) {
    return hmac === undefined ? head : { ...head, headers: signWithHmac(head, hmacCredential(hmac), content, now) }
  }
  const { region, service } = signing
  const signature: ClientSignature = {
    form: "header",
    scope: { region, service },
    signedHeaders: new Set(),
    expires: 0
  }
  const { headers, path } = signHead(head, signature, signingCredential(signing), sha256(content), now)
  return { ...head, headers, path }
}

/** Returns the request to send. Its header fields begin with `Host`. */
export const withCredential = ({ body, headers, host, method, path }: PlainRequest, resolved: Resolved) => {
  const injection = injectionOf(resolved)
  const content = Buffer.from(body ?? "")
  const { headers: ready, path: target } = signed(
    {
      method,
      path: requestTarget(path, injection),
      headers: requestHeaders(requestFields(headers, injection.placeholders).headers, host, injection)
    },
    resolved,
    content
  )
  const fields = [...ready]
  const filled = injection.body && body !== undefined
    ? filledRequest(fields, content, injection.body, injection.placeholders)
    : undefined
  return { path: target, headers: filled?.headers ?? fields, body: filled?.content.toString() ?? body }
}
