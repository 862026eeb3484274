/**
 * The interactive API documentation, served entirely by this daemon. Loaded on first use, because its script is 2 MB.
 * The page has inline scripts and styles, so its policy allows them by hash.
 */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiSwagger from "effect/http-api/HttpApiSwagger"
import * as OpenApi from "effect/http-api/OpenApi"
import * as HttpRouter from "effect/http/HttpRouter"
import { builtins } from "../../platform/builtins.ts"
import { etagResponse } from "./EtagResponse.ts"
import { pageHeaders } from "./Pages.ts"

const hashesOf = (page: string, element: RegExp): string =>
  [...page.matchAll(element)].map((match) => {
    const digest = builtins.crypto.createHash("sha256").update(match[1] ?? "").digest("base64")
    return `'sha256-${digest}'`
  }).join(" ")

const policyOf = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashesOf(page, /<script>([\s\S]*?)<\/script>/g)}`,
    `style-src ${hashesOf(page, /<style>([\s\S]*?)<\/style>/g)}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** Makes the page follow the browser's color scheme, by the class `dark-mode` of its stylesheet. */
const followColorScheme = `<script>
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
    dark.addEventListener("change", follow);
    follow();
  </script>`

/** Limits "Try it out" to GET: the guard refuses other methods from browsers, except for the dashboard's forms. */
const READING = `supportedSubmitMethods: ["get"],`

const themed = (page: string): string =>
  page.replace("<head>", `<head>\n  <meta name="color-scheme" content="light dark" />\n  ${followColorScheme}`)
    .replace("SwaggerUIBundle({", `$&${READING}`)

/** Renders the page for an OpenAPI document. */
export const render = Effect.fnUntraced(function*(document: Readonly<Record<string, unknown>>) {
  // A person cannot enter the proof of the access key in a form: it differs for each connection.
  const components = { ...Object(document["components"]) }
  delete components.securitySchemes
  const api = HttpApi.make("credsvc").annotate(OpenApi.Transform, () => ({ ...document, components }))
  const app = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(api, { path: "/docs" }))
  const response = yield* Effect.orDie(app)
  const page = response.body._tag === "Uint8Array" ? themed(new TextDecoder().decode(response.body.body)) : ""
  return etagResponse(page, { contentType: "text/html; charset=utf-8", headers: pageHeaders(policyOf(page)) })
})
