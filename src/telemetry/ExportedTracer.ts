/**
 * The tracer whose spans leave the machine. Code of this program and of Effect annotates spans, so the tracer passes on
 * only the attributes of the list below and the classes of errors. It drops error messages, which may quote a response,
 * and events, which are log lines.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"

const exportedAttributes = new Set([
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

/** The class name of a failure, the only part of it that is exported. */
const nameOf = (value: unknown): string => {
  const object = Object(value) as { readonly _tag?: unknown; readonly name?: unknown }
  const name = [typeof value === "string" ? value : undefined, object._tag, object.name].find((each) =>
    typeof each === "string" && /^[\w$.-]{1,64}$/.test(each)
  )
  return name === undefined ? typeof value : String(name)
}

/** An error with only the class name of a failure. */
const errorWithName = (value: unknown): Error => {
  const error = new Error("")
  error.name = nameOf(value)
  error.message = error.name
  error.stack = ""
  return error
}

const withoutMessages = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exit
  return Exit.fail(errorWithName(Cause.squash(exit.cause)))
}

/** Makes a span ignore unknown attributes, events and links. */
const restrictSpan = (span: Tracer.Span): Tracer.Span => {
  const end = span.end.bind(span)
  const attribute = span.attribute.bind(span)
  return Object.assign(span, {
    end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => end(endTime, withoutMessages(exit)),
    attribute: (key: string, value: unknown) => {
      if (exportedAttributes.has(key) && isSafe(value)) attribute(key, value)
    },
    event: () => {},
    addLinks: () => {}
  })
}

/** Effect's names for spans of SQL statements, which are not recorded: they would be most of the spans, and say little. */
const statementSpans: ReadonlySet<string> = new Set(["sqlite", "postgresql"])

/** Records a share of the traces, each completely. */
export const exportedTracer = (inner: Tracer.Tracer, sampledShare: number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const isRoot = options.root || options.parent._tag === "None"
      const sampled = options.sampled && !statementSpans.has(options.name) &&
        (!isRoot || sampledShare === 1 || Math.random() < sampledShare)
      return restrictSpan(inner.span({ ...options, links: [], sampled }))
    }
  })
