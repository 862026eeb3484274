/**
 * Injects credentials into the path of a request, as in `/bot<token>/getMe`. The placeholder is replaced only in the
 * segment that the definition names, after matching segments: a server may echo other parts of the path.
 */
import { holdsPlaceholder, PLACEHOLDER } from "../domain/injection/Placeholder.ts"

interface Segment {
  readonly before: string
  readonly after: string
  /** The credential between `before` and `after`; undefined for a literal segment, which is `before` alone. */
  readonly value: string | undefined
}

export type PathPlace = ReadonlyArray<Segment>

/** Parses a template. `filled` is the template with percent-encoded values. */
export const pathPlace = (template: string, filled: string): PathPlace => {
  const values = filled.split("/")
  return template.split("/").map((segment, index) => {
    const [, before = segment, after] = /^([^{]*)\{[^{}]*\}([^{]*)$/.exec(segment) ?? []
    const whole = values[index] ?? ""
    return after === undefined
      ? { before, after: "", value: undefined }
      : { before, after, value: whole.slice(before.length, whole.length - after.length) }
  })
}

/** Applies `change` to the templated segments of a path; undefined if the path does not match the template. */
const withChangedSegments = (
  path: string,
  place: PathPlace,
  change: (given: string, value: string) => string
): string | undefined => {
  const segments = path.split("/")
  if (segments.length < place.length) return undefined
  for (const [index, { after, before, value }] of place.entries()) {
    const segment = segments[index]!
    if (value === undefined) {
      if (segment !== before) return undefined
      continue
    }
    const end = segment.length - after.length
    if (end < before.length || !segment.startsWith(before) || !segment.endsWith(after)) return undefined
    segments[index] = `${before}${change(segment.slice(before.length, end), value)}${after}`
  }
  return segments.join("/")
}

const changedByFirst = (
  path: string,
  places: ReadonlyArray<PathPlace>,
  change: (given: string, value: string) => string
): string => {
  for (const place of places) {
    const found = withChangedSegments(path, place, change)
    if (found !== undefined) return found
  }
  return path
}

/** The path for the upstream: the placeholder is replaced by the credential. */
export const filledPath = (path: string, places: ReadonlyArray<PathPlace>, exact: ReadonlyArray<string>): string =>
  holdsPlaceholder(path, exact)
    ? changedByFirst(path, places, (given, value) => holdsPlaceholder(given, exact) ? value : given)
    : path

/** The path without the segments of the credential. */
export const withoutPlaces = (path: string, places: ReadonlyArray<PathPlace>): string =>
  changedByFirst(path, places, () => "")

/** The path for logs. All templated segments are hidden, because a client may send a secret of its own there. */
export const shownPath = (path: string, places: ReadonlyArray<PathPlace>): string =>
  changedByFirst(path, places, () => PLACEHOLDER)
