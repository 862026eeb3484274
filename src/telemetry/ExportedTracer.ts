/**
 * The tracer whose spans leave the machine. It passes on what the attributes and failures of spans may safely contain,
 * whatever code annotates them, in this program or in Effect's: names of the list below, and classes of errors. Messages
 * of errors may quote a response, and log lines become events of spans.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

const attributes = new Set([
  "http.request.method",
  "http.route",
  "http.response.status_code",
  "server.address",
  "error.type",
  "credsvc.provider",
  "credsvc.injected",
  "db.system.name"
])

const isSafe = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && /^[\w./:{}*-]{1,200}$/.test(value))

/** A failure without message and stack. */
const nameOf = (value: unknown): string => {
  const { _tag, name } = Object(value) as { readonly _tag?: unknown; readonly name?: unknown }
  const found = [typeof value === "string" ? value : undefined, _tag, name].find((each) =>
    typeof each === "string" && /^[\w$.-]{1,64}$/.test(each)
  )
  return found === undefined ? typeof value : String(found)
}

const bare = (value: unknown): Error => {
  const error = new Error("")
  error.name = nameOf(value)
  error.message = error.name
  error.stack = ""
  return error
}

const withoutMessages = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exit
  const reason = exit.cause.reasons.find(({ _tag }) => _tag !== "Interrupt")
  return Exit.fail(bare(reason?._tag === "Fail" ? reason.error : reason?._tag === "Die" ? reason.defect : undefined))
}

class ExportedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly #inner: Tracer.Span

  constructor(inner: Tracer.Span) {
    this.#inner = inner
  }

  get name(): string {
    return this.#inner.name
  }
  get spanId(): string {
    return this.#inner.spanId
  }
  get traceId(): string {
    return this.#inner.traceId
  }
  get parent(): Option.Option<Tracer.AnySpan> {
    return this.#inner.parent
  }
  get annotations(): Context.Context<never> {
    return this.#inner.annotations
  }
  get status(): Tracer.SpanStatus {
    return this.#inner.status
  }
  get attributes(): ReadonlyMap<string, unknown> {
    return this.#inner.attributes
  }
  get links(): ReadonlyArray<Tracer.SpanLink> {
    return this.#inner.links
  }
  get sampled(): boolean {
    return this.#inner.sampled
  }
  get kind(): Tracer.SpanKind {
    return this.#inner.kind
  }
  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    this.#inner.end(endTime, withoutMessages(exit))
  }
  attribute(key: string, value: unknown): void {
    if (attributes.has(key) && isSafe(value)) this.#inner.attribute(key, value)
  }
  event(): void {}
  addLinks(): void {}
}

/** The name of Effect's span of each SQL statement, which would be most of the spans and say little without the text. */
const statement = "sqlite"

/** Records a share of the traces, each of them whole. */
export const exportedTracer = (inner: Tracer.Tracer, sampledShare: number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const isRoot = options.root || options.parent._tag === "None"
      const sampled = options.sampled && options.name !== statement &&
        (!isRoot || sampledShare === 1 || Math.random() < sampledShare)
      return new ExportedSpan(inner.span({ ...options, links: [], sampled }))
    }
  })
