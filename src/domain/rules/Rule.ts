/**
 * Rules for the requests of a run, such as `GET api.github.com/repos/acme/**`.
 *
 * A rule consists of methods (all if absent), a host, and a path (every path if absent), in which `*` stands for any
 * text within one segment and `**` for any number of segments. A GraphQL rule also has an operation type and a field at
 * the root: `POST api.github.com/graphql mutation:createIssue`. A client chooses the name of an operation freely, so
 * rules do not match names.
 */
import * as Result from "effect/Result"
import {
  formatHost,
  type HostPattern,
  matchesHost,
  parseHostPattern,
  patternsOverlap
} from "../definition/HostPattern.ts"
import type { Route } from "../wire/ProxyRoutes.ts"
import { allReadings, folded, formatSegments, type PathReadings, readingsOf, type Segments } from "./RequestPath.ts"

export const operationTypes = ["query", "mutation", "subscription"] as const
type OperationType = (typeof operationTypes)[number]

/** A root field of a GraphQL operation. `field` is undefined if it cannot be read from the request. */
export interface RootField {
  readonly type: OperationType
  readonly field: string | undefined
}

interface OperationPattern {
  readonly type: OperationType
  /** The field of the operation, or null for every field. */
  readonly field: string | null
}

export interface Rule {
  /** The methods, or null for every method. `GET` includes `HEAD`. */
  readonly methods: ReadonlyArray<string> | null
  readonly host: HostPattern
  readonly path: PathReadings
  readonly operation: OperationPattern | null
  /** The host without its port. */
  readonly name: string
  /** The path for comparisons that ignore case, with and without a format such as `.json`. */
  readonly foldedPath: ReadonlyArray<Segments>
  /** The rule in its canonical form, which is unique. */
  readonly text: string
}

/** The parts of a request that a rule can match without its body. */
export interface RequestPlace {
  readonly method: string
  /** The canonical host, in lower case. */
  readonly host: string
  readonly port: number
  readonly path: PathReadings
}

/** Tells whether a string is a method. The proxy relays all methods, including those of WebDAV. */
export const isMethod = (text: string): boolean => /^[A-Z][A-Z-]{1,19}$/.test(text)
const FIELD = /^[_A-Za-z*][_A-Za-z0-9*]*$/
const ANYTHING = "/**"

const parseMethods = (text: string): Result.Result<ReadonlyArray<string> | null, string> => {
  if (text === "*") return Result.succeed(null)
  const methods = [...new Set(text.toUpperCase().split(","))].toSorted()
  const invalid = methods.find((method) => !isMethod(method))
  return invalid === undefined
    ? Result.succeed(methods)
    : Result.fail(`has an invalid list of methods "${text}": expected methods such as GET,POST`)
}

const parseHost = (text: string): Result.Result<HostPattern, string> =>
  /[{}]/.test(text)
    ? Result.fail("may contain * only as a whole label of the host, as in *.example.com")
    // oxlint-disable-next-line no-control-regex -- the range is all of ASCII
    : !/^[\u0000-\u007f]*$/.test(text)
    ? Result.fail("must have the host in its ASCII form, such as xn--bcher-kva.example")
    : Result.mapError(
      // Requests to loopback addresses have no routes, so a rule for such an address is reported as having no effect.
      parseHostPattern(text, { allowInsecureLoopback: true }),
      (problem) => `has an invalid host "${text}", which ${problem}`
    )

const parsePath = (text: string): Result.Result<PathReadings, string> => {
  if (/[?#]/.test(text)) return Result.fail("must not have a query or a fragment: rules match the path only")
  if (/%2a/i.test(text)) return Result.fail("must not have an encoded *, which would stand for any text")
  const path = readingsOf(text)
  if (path === undefined) {
    return Result.fail(`has a path "${text}" that servers could read in more than one way`)
  }
  return allReadings(path).flat().every((segment) => segment === "**" || !segment.includes("**"))
    ? Result.succeed(path)
    : Result.fail("may contain ** only as a whole segment of the path")
}

const parseOperation = (text: string): Result.Result<OperationPattern, string> => {
  const [, type = "", field] = /^([a-z]+)(?::(.+))?$/.exec(text) ?? []
  const known = operationTypes.find((each) => each === type)
  return known === undefined || (field !== undefined && !FIELD.test(field))
    ? Result.fail(
      `has an invalid GraphQL operation "${text}": expected query, mutation or subscription, or an operation with a field such ` +
        "as mutation:createIssue"
    )
    : Result.succeed({ type: known, field: field === undefined || field === "*" ? null : field })
}

/** Removes the format at the end of a path, which Rails, Grape and Twilio allow: `/keys.json` is another name of `/keys`. */
const withoutFormat = (segments: Segments, format: RegExp): Segments =>
  segments.map((segment, at) => at === segments.length - 1 ? segment.replace(format, "") : segment)

const format = ({ host, methods, operation, path }: Pick<Rule, "host" | "methods" | "operation" | "path">): string => {
  const methodText = methods === null ? "" : `${methods.join(",")} `
  // Encodes every character that has a meaning in a rule, so the text has one reading.
  const pathText = formatSegments(path.whole)
  const operationText = operation === null
    ? ""
    : ` ${operation.type}${operation.field === null ? "" : `:${operation.field}`}`
  return `${methodText}${formatHost(host)}${pathText === ANYTHING ? "" : pathText}${operationText}`
}

/** Parses a rule. The failure completes a sentence about the rule. */
export const parseRule = (text: string): Result.Result<Rule, string> =>
  Result.gen(function*() {
    const words = text.trim().split(/ +/)
    if (words.some((word) => /\s/.test(word))) return yield* Result.fail("must have spaces only between its parts")
    const first = words[0]!
    const methods = first === "*" || /^[A-Za-z,-]+$/.test(first) ? yield* parseMethods(words.shift()!) : null
    const [place, operationText, ...others] = words
    if (place === undefined || place === "") return yield* Result.fail("needs a host, as in GET api.example.com/v1/**")
    if (/^[a-z]+:\/\//i.test(place)) {
      return yield* Result.fail("must not have a scheme: write the host without https://")
    }
    if (others.length > 0) return yield* Result.fail("has more parts than methods, a host with a path and an operation")
    const slash = place.indexOf("/")
    const host = yield* parseHost(slash === -1 ? place : place.slice(0, slash))
    const path = yield* parsePath(slash === -1 ? ANYTHING : place.slice(slash))
    const operation = operationText === undefined ? null : yield* parseOperation(operationText)
    const rule = { methods, host, path, operation }
    return {
      ...rule,
      name: formatHost({ ...host, port: 443 }),
      foldedPath: allReadings(path).map((segments) => segments.map(folded))
        .flatMap((segments) => [segments, withoutFormat(segments, /\.(?:json|xml)$/)]),
      text: format(rule)
    }
  })

export const MAX_RULE = 1024
export const MAX_RULES = 256
export const MAX_RULE_SETS = 32

/** Whether `pattern`, in which `*` stands for any text, matches a string. Takes at most quadratic time. */
const matchesText = (pattern: string, text: string): boolean =>
  pattern.includes("*") ? matchesList(pattern, text, "*", (part, given) => part === given) : pattern === text

/** Matches lists of characters or segments in which the element `any` of the pattern stands for any number of elements. */
const matchesList = <Element extends string>(
  pattern: ArrayLike<Element>,
  given: ArrayLike<Element>,
  any: string,
  equals: (part: Element, given: Element) => boolean
): boolean => {
  let at = 0
  let next = 0
  // The last `any`, and the position in `given` up to which it stands for elements.
  let anyAt = -1
  let taken = 0
  while (at < given.length) {
    if (next < pattern.length && pattern[next] === any) {
      anyAt = next++
      taken = at
    } else if (next < pattern.length && equals(pattern[next]!, given[at]!)) {
      next++
      at++
    } else if (anyAt !== -1) {
      next = anyAt + 1
      at = ++taken
    } else {
      return false
    }
  }
  while (next < pattern.length && pattern[next] === any) next++
  return next === pattern.length
}

/** Whether all items of a segment match: Elasticsearch reads `logs-1,secret` as two indexes, of which `logs-*` matches one. */
const matchesAllItems = (pattern: string, segment: string): boolean =>
  pattern.includes(",") || !segment.includes(",")
    ? matchesText(pattern, segment)
    : segment.split(",").every((item) => matchesText(pattern, item))

/** Whether any item of a segment may match. Elasticsearch and Algolia expand `*` to other names. */
const mayMatchItem = (pattern: string, segment: string): boolean =>
  segment.includes("*") || matchesText(pattern, segment) ||
  (segment.includes(",") && segment.split(",").some((item) => matchesText(pattern, item)))

const matchesSegments = (pattern: Segments, given: Segments, matches = matchesAllItems): boolean =>
  matchesList(pattern, given, "**", matches)

/** Whether each reading of the path matches the same reading of the rule, or the rule's first reading if it lacks that one. */
const matchesEvery = (rule: PathReadings, { cut, split, splitCut, whole }: PathReadings): boolean =>
  matchesSegments(rule.whole, whole) &&
  (split === undefined || matchesSegments(rule.split ?? rule.whole, split)) &&
  (cut === undefined || matchesSegments(rule.cut ?? rule.whole, cut)) &&
  (splitCut === undefined || matchesSegments(rule.splitCut ?? rule.whole, splitCut))

/** Whether any reading of the path matches any reading of the rule. Ignores case and a format at the end, as servers may. */
const matchesAny = ({ foldedPath }: Rule, given: PathReadings): boolean =>
  allReadings(given).some((segments) => {
    const name = segments.map(folded)
    const isAny = (segments: Segments) => foldedPath.some((pattern) => matchesSegments(pattern, segments, mayMatchItem))
    return isAny(name) || (name.at(-1)?.includes(".") === true && isAny(withoutFormat(name, /(?<=.)\.[^.]+$/)))
  })

const includesMethod = ({ methods }: Rule, method: string): boolean =>
  methods === null || methods.includes(method) || (method === "HEAD" && methods.includes("GET"))

export const isOnHost = (rule: Pick<Rule, "host" | "name">, name: string, port: number): boolean =>
  rule.host.port === port && matchesHost(rule.name, name)

/** Whether one of the routes covers a host of the rule. */
export const isRouted = ({ host }: Rule, routes: ReadonlyArray<Pick<Route, "host">>): boolean =>
  routes.some((route) => {
    const parsed = parseHostPattern(route.host, { allowInsecureLoopback: true })
    return Result.isSuccess(parsed) && patternsOverlap(parsed.success, host)
  })

/** Whether an allow rule matches the method, the host and every reading of the path. */
export const surelyMatches = (rule: Rule, request: RequestPlace): boolean =>
  isOnHost(rule, request.host, request.port) && includesMethod(rule, request.method) &&
  matchesEvery(rule.path, request.path)

/** Whether an allow rule certainly allows everything that another rule allows. A false result does not rule that out. */
export const covers = (rule: Rule, other: Rule): boolean =>
  isOnHost(rule, other.name, other.host.port) && other.host.labels.length === 0 &&
  (rule.methods === null || other.methods?.every((method) => includesMethod(rule, method)) === true) &&
  [rule, other].every(({ path }) => Object.keys(path).length === 1) && !other.path.whole.includes("**") &&
  // A `*` of the other rule is matched only by a `*` of this rule.
  matchesSegments(rule.path.whole, other.path.whole) &&
  (rule.operation === null ||
    (other.operation !== null && rule.operation.type === other.operation.type &&
      (rule.operation.field === null || rule.operation.field === other.operation.field)))

/** Whether a deny rule matches the method, the host and at least one reading of the path. */
export const possiblyMatches = (rule: Rule, request: RequestPlace): boolean =>
  isOnHost(rule, request.host, request.port) && includesMethod(rule, request.method) &&
  matchesAny(rule, request.path)

/** Tells whether the operation of a rule matches a field. `unknown` is the result if the request does not show the field. */
export const includesField = ({ operation }: Rule, { field, type }: RootField, unknown: boolean): boolean =>
  operation === null ||
  (operation.type === type &&
    (operation.field === null || (field === undefined ? unknown : matchesText(operation.field, field))))
