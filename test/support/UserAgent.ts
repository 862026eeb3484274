/** A user with a browser, as an authorization server sees it: follows redirects, stores cookies, submits forms. */
import type * as Http from "node:http"
import { text } from "node:stream/consumers"
import { builtins } from "../../src/platform/builtins.ts"
import type { Site } from "./TestSites.ts"

interface Page {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

/** A request as a browser sends it for a navigation. */
export const visit = (url: string): Promise<{ readonly status: number; readonly location: string | undefined }> =>
  new Promise((resolve, reject) => {
    const navigation = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
    builtins.http.get(url, { agent: false, headers: { accept: "text/html", ...navigation } }, (response) => {
      response.resume()
      response.on("end", () => resolve({ status: response.statusCode ?? 0, location: response.headers.location }))
    }).on("error", reject)
  })

const MAX_STEPS = 30

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&amp;", "&")

/** The first form of a page, with its values. */
const formOf = (page: string): { readonly action: string; readonly values: Record<string, string> } | undefined => {
  const form = /<form\b[\s\S]*?<\/form>/.exec(page)?.[0]
  if (form === undefined) return undefined
  const values: Record<string, string> = {}
  for (const [input] of form.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(input, "name")
    if (name !== undefined) values[name] = attribute(input, "value") ?? ""
  }
  return { action: attribute(form, "action") ?? "", values }
}

export const makeUserAgent = (sites: ReadonlyArray<Site>) => {
  const cookies = new Map<string, Map<string, string>>()

  const visit = (address: URL, site: Site, form: URLSearchParams | undefined): Promise<Page> =>
    new Promise((resolve, reject) => {
      const jar = cookies.get(address.hostname) ?? new Map<string, string>()
      cookies.set(address.hostname, jar)
      const body = form?.toString()
      const request = builtins.https.request({
        host: "127.0.0.1",
        port: site.port,
        servername: address.hostname,
        ca: site.caPem,
        path: address.pathname + address.search,
        method: body === undefined ? "GET" : "POST",
        agent: false,
        headers: {
          host: address.host,
          accept: "text/html",
          ...(jar.size === 0 ? {} : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") }),
          ...(body === undefined
            ? {}
            : { "content-type": "application/x-www-form-urlencoded", "content-length": Buffer.byteLength(body) })
        }
      }, (response) => {
        for (const cookie of response.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? []
          if (value === "" || /expires=Thu, 01 Jan 1970/i.test(cookie)) jar.delete(name)
          else jar.set(name, value)
        }
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject
        )
      })
      request.on("error", reject)
      request.end(body)
    })

  /**
   * Opens the URL and continues until a redirect leads away from the sites; returns that URL without opening it. A flow
   * that ends on a page of the sites returns that page's URL.
   */
  const walk = async (address: string, fill: Readonly<Record<string, string>> = {}): Promise<string> => {
    let next = new URL(address)
    let form: URLSearchParams | undefined
    for (let step = 0; step < MAX_STEPS; step++) {
      const site = next.protocol === "https:" && next.port === ""
        ? sites.find(({ hosts }) => hosts.includes(next.hostname))
        : undefined
      if (site === undefined) return next.href
      const page = await visit(next, site, form)
      form = undefined
      const location = page.headers.location
      if (location !== undefined) {
        next = new URL(location, next)
        continue
      }
      if (page.status >= 400) throw new Error(`${next.pathname} answered ${page.status}: ${page.body.slice(0, 2000)}`)
      const shown = formOf(page.body)
      if (shown === undefined) return next.href
      form = new URLSearchParams({ ...shown.values, ...fill })
      next = new URL(shown.action, next)
    }
    throw new Error(`${address} led through more than ${MAX_STEPS} pages`)
  }

  return { walk }
}
