/**
 * Reports the requests of a proxy to the daemon, in batches. Requests do not wait for reports. While the daemon does not respond,
 * the proxy keeps entries up to a limit. Beyond the limit, it only counts them.
 */
import * as Effect from "effect/Effect"
import { formatMisplaced } from "../domain/injection/MisplacedPlaceholder.ts"
import {
  maxReportedRequests,
  reportedPath,
  type ReportedRequest,
  type RequestReport
} from "../domain/wire/RequestReport.ts"
import type { FoundPlaceholder } from "./placeholders/PlaceholderWatch.ts"
import type { ProxyEvent } from "./ProxyEvent.ts"

const DELAY_MILLISECONDS = 200
/**
 * The minimum time between two reports that are not full. A report costs the proxy and the daemon as much time as relaying many
 * requests. If the proxy crashes, the requests of this time and those of a report in progress are lost.
 */
const INTERVAL_MILLISECONDS = 1000
const RETRY_MILLISECONDS = 1000
const MAX_KEPT = 20_000
/** The maximum number of entries in a report to a daemon of an earlier version. */
const MAX_EARLIER = 1000
const LAST_MILLISECONDS = 2000

/** The room for the entries of a report, as JSON. A usual entry has 100 to 250 bytes, the longest one 14 KiB. */
const PAGE_BYTES = 256 * 1024

/** The entries of one report, outside of the heap: V8 would move waiting objects into the old generation. */
class EntryPage {
  readonly #bytes = Buffer.allocUnsafeSlow(PAGE_BYTES)
  #length = 0
  count = 0

  /** Returns false if there is no room for the entry, or if the page has `limit` entries. */
  add(request: ReportedRequest, limit: number): boolean {
    const text = `${this.count === 0 ? "" : ","}${JSON.stringify(request)}`
    // A UTF-16 code unit becomes up to three bytes.
    if (this.count >= limit || this.#length + text.length * 3 > PAGE_BYTES) return false
    this.#length += this.#bytes.write(text, this.#length)
    this.count++
    return true
  }

  /** Returns the entries and removes them. */
  take(): string {
    const text = this.#bytes.toString("utf8", 0, this.#length)
    this.#length = this.count = 0
    return text
  }
}

/** Sends the text of a report, like `report` of `CredentialSource`. */
export type SendReport = (text: string) => Effect.Effect<boolean | "rejected">

export class RequestReports {
  readonly #send: SendReport
  readonly #run: typeof Effect.runCallback
  /** The pages in use, oldest first. Only the last one has room. */
  readonly #pages: Array<EntryPage> = []
  #spare: EntryPage | undefined
  #kept = 0
  #missing = 0
  /** The LLM token count of all requests. */
  #tokens: number | undefined
  #part = 2
  #limit = maxReportedRequests
  /** The text of the report that the daemon has not confirmed yet. */
  #unconfirmed: string | undefined
  #busy = false
  #sentAt = -Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(send: SendReport, run: typeof Effect.runCallback) {
    this.#send = send
    this.#run = run
  }

  add(event: ProxyEvent): void {
    const { injected, isRouted, missingScopes, refusal, tokens } = event
    if (!injected && (!isRouted || refusal === undefined)) return
    const entry = [
      Date.now(),
      event.method.slice(0, 32),
      event.host,
      reportedPath(event.path),
      event.status,
      event.bytesIn,
      event.bytesOut,
      event.provider ?? null,
      event.connection ?? null,
      clippedText(event.rule),
      refusal?.error ?? null
    ] as const
    const scopes = missingScopes?.join(" ")
    if (tokens > 0) this.#tokens = (this.#tokens ?? 0) + tokens
    if (tokens > 0) this.#keep([...entry, null, scopes ?? null, tokens])
    else this.#keep(scopes === undefined ? entry : [...entry, null, scopes])
  }

  /** Reports a misplaced placeholder at once, unless another report is in progress. */
  addMisplaced(found: FoundPlaceholder): void {
    const { host, method, provider = null } = found
    const request = [Date.now(), method.slice(0, 32), host.slice(0, 255), "", 0, 0, 0, provider] as const
    this.#keep([...request, null, null, null, formatMisplaced(found)])
    if (!this.#busy) this.#flush()
  }

  #keep(request: ReportedRequest): void {
    if (this.#kept >= MAX_KEPT) {
      this.#missing++
      return
    }
    this.#kept++
    const wasFull = this.#isFull()
    if (!this.#pages.at(-1)?.add(request, this.#limit)) {
      const page = this.#spare ?? new EntryPage()
      this.#spare = undefined
      this.#pages.push(page)
      page.add(request, this.#limit)
    }
    if (!wasFull && this.#isFull() && !this.#busy) this.#flush()
    else this.#flushSoon()
  }

  /** Whether the next report has no room for more entries. */
  #isFull(): boolean {
    return this.#pages.length > 1 || (this.#pages[0]?.count ?? 0) >= this.#limit
  }

  /** Sends the remaining entries as the last report. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    clearTimeout(this.#timer)
    if (this.#part === 2 && this.#kept === 0 && this.#unconfirmed === undefined) {
      return Effect.void
    }
    const send: Effect.Effect<void> = Effect.suspend(() => {
      this.#busy = true
      clearTimeout(this.#timer)
      const text = this.#next()
      const isLast = this.#kept === 0
      return Effect.flatMap(this.#send(isLast ? asLast(text) : text), (result) => {
        if (result === "rejected") this.#rejected(text)
        if (result !== true) return Effect.andThen(Effect.sleep(50), send)
        this.#confirmed()
        return isLast ? Effect.void : send
      })
    })
    return Effect.asVoid(Effect.timeoutOption(send, LAST_MILLISECONDS))
  })

  #flushSoon(): void {
    if (this.#busy || this.#timer !== undefined) return
    const next = this.#sentAt + INTERVAL_MILLISECONDS - performance.now()
    this.#flushAfter(Math.max(DELAY_MILLISECONDS, next))
  }

  #flushAfter(milliseconds: number): void {
    if (this.#busy || this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.#flush(), milliseconds).unref()
  }

  #next(): string {
    if (this.#unconfirmed !== undefined) return this.#unconfirmed
    const page = this.#pages.shift()
    this.#kept -= page?.count ?? 0
    this.#spare = page
    const report = { part: this.#part, last: false, missing: this.#missing, tokens: this.#tokens, entries: [] }
    this.#missing = 0
    const text = JSON.stringify(report satisfies RequestReport)
    return this.#unconfirmed = text.replace("[]", () => `[${page?.take() ?? ""}]`)
  }

  #confirmed(): void {
    this.#unconfirmed = undefined
    this.#part += 2
  }

  /** Divides a report with too many entries for the daemon. Counts the entries of any other rejected report as missing. */
  #rejected(text: string): void {
    const { entries, missing }: RequestReport = JSON.parse(text)
    this.#unconfirmed = undefined
    this.#missing += missing
    if (entries.length <= MAX_EARLIER) {
      this.#missing += entries.length
      return
    }
    this.#limit = MAX_EARLIER
    this.#kept += entries.length
    this.#pages.unshift(...[entries.slice(0, MAX_EARLIER), entries.slice(MAX_EARLIER)].map((part) => {
      const page = new EntryPage()
      for (const entry of part) page.add(entry, MAX_EARLIER)
      return page
    }))
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#busy = true
    this.#sentAt = performance.now()
    const text = this.#next()
    this.#run(this.#send(text), {
      onExit: (exit) => {
        this.#busy = false
        const result = exit._tag === "Success" && exit.value
        // Meanwhile, `close` may have sent the same report again, and the daemon may have responded to it.
        if (result === true && this.#unconfirmed === text) this.#confirmed()
        if (result === "rejected" && this.#unconfirmed === text) this.#rejected(text)
        if (result === false) this.#flushAfter(RETRY_MILLISECONDS)
        else if (this.#isFull()) this.#flush()
        else if (this.#kept > 0) this.#flushSoon()
      }
    })
  }
}

/** The daemon rejects longer strings. */
const clippedText = (text: string | null): string | null => text?.slice(0, 256) ?? null

/** Marks an unconfirmed report as the last one. Nothing else in it may change. */
const asLast = (text: string): string => text.replace("\"last\":false", "\"last\":true")
