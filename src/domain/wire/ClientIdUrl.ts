/** The URL of a client ID metadata document, which is the client ID itself. */
import * as Schema from "effect/Schema"

const isAddress = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // Servers compare the URL as text, so only the canonical form is valid: no dot segments, no default port.
  return url !== undefined && url.protocol === "https:" && url.href === text && url.pathname !== "/" &&
    url.username === "" && url.password === "" && url.hash === ""
}

export const ClientIdUrl = Schema.String.check(
  Schema.makeFilter((text: string) =>
    isAddress(text) ? undefined : "Expected an https URL with a path, without a fragment"
  )
)
