/**
 * Collects the requests of a run, and derives the narrowest rules that allow them.
 *
 * Only identifiers are generalized: a segment with the typical shape of an identifier, or one of several different
 * segments with digits at the same place. Words, methods, hosts, gRPC methods and GraphQL fields do not change,
 * because another word is another operation.
 */
import * as Result from "effect/Result"
import { formatHost } from "../definition/HostPattern.ts"
import { formatSegments, readingsOf, type Segments } from "./RequestPath.ts"
import { covers, MAX_RULE, MAX_RULES, parseRule, type RootField, type Rule } from "./Rule.ts"
import { compileRules } from "./RuleSet.ts"

export interface RecordedRequest {
  readonly method: string
  /** The canonical host, in lower case. */
  readonly host: string
  readonly port: number
  /** The path without query. */
  readonly path: string
  readonly isGrpc: boolean
  /** The fields at the root of a GraphQL request; `hidden` for other requests. */
  readonly fields: ReadonlyArray<RootField> | "hidden"
}

interface Entry {
  readonly method: string
  readonly host: string
  readonly operation: string
  readonly segments: Segments
  /** Whether the segments must not change. */
  readonly isExact: boolean
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Hexadecimal text with the length of a MongoDB ID, an MD5 or SHA-1 digest, or a longer digest. */
const HEX = /^(?:[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56,128})$/i
/** A segment that precedes a version, as in `/rest/api/2/issue`. */
const VERSIONED = /^(?:api|rest|v|versions?|ws)$/i
const VERSION = /^v\d/i
/** An ID with a prefix, such as `cus_` of Stripe or `file-` of OpenAI. */
const PREFIXED = /^((?:[A-Za-z][A-Za-z0-9]*[-_]){1,3})([A-Za-z0-9]+)$/
/** The form of Twilio's IDs, such as `AC` and 32 hexadecimal digits. */
const LETTERS_AND_HEX = /^([A-Z]{2})[0-9a-f]{32}$/

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** Whether no person would have chosen this text as a name. */
const isRandom = (text: string): boolean => {
  if (UUID.test(text) || (HEX.test(text) && /\d/.test(text) && /[a-f]/i.test(text))) return true
  // A name such as `getBase64ForOAuth2` has digits in few places.
  if (count(text, /\d+/g) < (text.length < 30 ? 4 : 3)) return false
  const isMixed = /[a-z]/.test(text) && /[A-Z]/.test(text)
  const separators = count(text, /[-_]/g)
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return false
  return separators === 0 ? text.length >= (isMixed ? 14 : 20) : isMixed && separators <= 2 && text.length >= 30
}

/** The pattern for a segment with the shape of an identifier, or undefined for other segments. */
const patternOf = (segment: string, before: string | undefined): string | undefined => {
  if (/^\d+$/.test(segment)) {
    return segment.length <= 2 && (before === undefined || VERSIONED.test(before)) ? undefined : "*"
  }
  if (isRandom(segment)) return "*"
  const [, prefix, id = ""] = PREFIXED.exec(segment) ?? LETTERS_AND_HEX.exec(segment) ?? []
  return prefix !== undefined && (id === "" || isRandom(id) || /^\d{5,}$/.test(id)) ? `${prefix}*` : undefined
}

const withoutIdentifiers = (segments: Segments): Segments =>
  segments.map((segment, at) => patternOf(segment, segments[at - 1]) ?? segment)

/** Whether a segment counts as an identifier if several different segments like it occur at the same place. */
const mayBeIdentifier = (segment: string): boolean =>
  /\d/.test(segment) && !VERSION.test(segment) && !segment.includes("*")

/** The maximum length of a rule's host and path, which leaves room for all methods. */
const MAX_PLACE = MAX_RULE - 300

const ruleOf = ({ host, method, operation, segments }: Entry): Rule | undefined => {
  const place = `${host}${formatSegments(segments)}${operation}`
  const rule = parseRule(`${method} ${place}`)
  return Result.isSuccess(rule) && place.length <= MAX_PLACE ? rule.success : undefined
}

/** A pattern replaces the segments at one place once there are this many different segments. */
const SEVERAL = 3
const MAX_ENTRIES = 20_000
/** The largest number of rules to join. More rules would never become few enough for a set. */
const MAX_JOINED = 4096

/** The pattern for all of these segments, which keeps their common prefix, such as `app-`. */
const commonPattern = (segments: ReadonlySet<string>): string => {
  let [common = "", ...others] = segments
  for (const other of others) while (!other.startsWith(common)) common = common.slice(0, -1)
  return `${/^.*[-_]/.exec(common)?.[0] ?? ""}*`
}

/** Replaces segments with digits that differ while the rest of the path is the same. */
const withoutSeveral = (entries: Iterable<Entry>): ReadonlyArray<Entry> => {
  const groups = Map.groupBy(entries, ({ host, isExact, method, operation, segments }) => {
    const masked = isExact ? segments : segments.map((segment) => mayBeIdentifier(segment) ? "*" : segment)
    return JSON.stringify([method, host, operation, isExact, masked])
  })
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || first.isExact || group.length < SEVERAL) return group
    const patterns = first.segments.map((segment, at) => {
      const different = new Set(group.map(({ segments }) => segments[at]!))
      return mayBeIdentifier(segment) && different.size >= SEVERAL ? commonPattern(different) : undefined
    })
    return group.map((entry) => ({
      ...entry,
      segments: entry.segments.map((segment, at) => patterns[at] ?? segment)
    }))
  })
}

/** Joins rules that differ in their methods only, and drops rules that another rule includes. */
const joined = (rules: ReadonlyArray<Rule>): ReadonlyArray<string> => {
  const needed = rules.filter((rule, at) =>
    !rules.some((other, otherAt) => other !== rule && covers(other, rule) && (!covers(rule, other) || otherAt < at))
  )
  const byPlace = new Map<string, Set<string>>()
  for (const { methods, text } of needed) {
    const place = text.slice(text.indexOf(" ") + 1)
    byPlace.set(place, new Set([...byPlace.get(place) ?? [], ...methods ?? []]))
  }
  return [...byPlace].map(([place, methods]) => Result.getOrThrow(parseRule(`${[...methods].join(",")} ${place}`)).text)
    .toSorted((a, b) => {
      const [one = "", other = ""] = [a, b].map((text) => text.slice(text.indexOf(" ") + 1))
      return one < other ? -1 : one > other ? 1 : a < b ? -1 : 1
    })
}

interface RecordedRules {
  /** The rules, or undefined if there would be more than a set can have. */
  readonly allow: ReadonlyArray<string> | undefined
  /** How many requests no rule can allow. */
  readonly inexpressible: number
}

export class RuleRecorder {
  readonly #entries = new Map<string, Entry>()
  #inexpressible = 0
  #isFull = false

  add({ fields, host, isGrpc, method, path, port }: RecordedRequest): void {
    const readings = readingsOf(path)
    // In a rule, `*` would stand for other text.
    if (readings === undefined || readings.whole.some((segment) => segment.includes("*"))) return this.skip()
    const operations = fields === "hidden"
      ? [""]
      : fields.map(({ field, type }) => ` ${type}${field === undefined ? "" : `:${field}`}`)
    for (const operation of operations) {
      const isExact = isGrpc || Object.keys(readings).length > 1
      const entry: Entry = {
        method,
        host: formatHost({ labels: [], host, port, pathPrefix: "" }),
        operation,
        segments: isExact ? readings.whole : withoutIdentifiers(readings.whole),
        isExact
      }
      const rule = ruleOf(entry)
      if (rule === undefined || !isAllowedBy(rule.text, { fields, host, isGrpc, method, path, port })) {
        return this.skip()
      }
      if (this.#entries.has(rule.text)) continue
      if (this.#entries.size >= MAX_ENTRIES) this.#isFull = true
      else this.#entries.set(rule.text, entry)
    }
  }

  /** Counts a request that no rule can allow. */
  skip(): void {
    this.#inexpressible++
  }

  /** The rules that are needed in addition to `allow`. */
  rules(allow: ReadonlyArray<string>): RecordedRules {
    const known = allow.map((text) => Result.getOrThrow(parseRule(text)))
    const recorded = new Map(
      withoutSeveral(this.#entries.values()).map((entry) => {
        const rule = ruleOf(entry)!
        return [rule.text, rule]
      })
    )
    const unknown = [...recorded.values()].filter((rule) => !known.some((other) => covers(other, rule)))
    const all = this.#isFull || unknown.length > MAX_JOINED ? undefined : [...allow, ...joined(unknown)]
    const fits = all !== undefined && all.length <= MAX_RULES
    return { allow: fits ? all : undefined, inexpressible: this.#inexpressible }
  }
}

const isAllowedBy = (rule: string, { fields, host, method, path, port }: RecordedRequest): boolean => {
  const { decide } = compileRules([{ allow: [rule], deny: [], readonly: false }])
  const place = { method, host, port, path, isUpgrade: false }
  return fields === "hidden"
    ? decide({ ...place, fields })._tag === "Allowed"
    : decide({ ...place, fields: undefined })._tag !== "Refused"
}
