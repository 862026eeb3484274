/**
 * Credentials that stand in the path of a request, as in `/bot<token>/getMe`. Pure.
 *
 * A definition says by a template which segment it is. Only the placeholder is replaced, only there, and only if all
 * segments before it are those of the template: anywhere else an API may show what it is asked for.
 */
import { PLACEHOLDER } from "../domain/Placeholder.ts"

interface Segment {
  readonly before: string
  readonly after: string
  /** What stands between them in the end; undefined for a segment that is `before` alone. */
  readonly value: string | undefined
}

/** One template with its values. */
export type PathPlace = ReadonlyArray<Segment>

/** `filled` is the template with its values in it, percent-encoded. */
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

export const valuesOf = (place: PathPlace): ReadonlyArray<string> =>
  place.flatMap(({ value }) => value === undefined ? [] : [value])

/** The path that `change` makes of what stands at the places, or undefined where the path is none of this template. */
const changed = (
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

const inFirst = (
  path: string,
  places: ReadonlyArray<PathPlace>,
  change: (given: string, value: string) => string
): string => {
  for (const place of places) {
    const found = changed(path, place, change)
    if (found !== undefined) return found
  }
  return path
}

/** The path as it goes to the API. */
export const filledPath = (path: string, places: ReadonlyArray<PathPlace>): string =>
  path.includes(PLACEHOLDER)
    ? inFirst(path, places, (given, value) => given.includes(PLACEHOLDER) ? value : given)
    : path

/** The path as it may be shown: a child may have put a secret of its own where the definition has a place for one. */
export const shownPath = (path: string, places: ReadonlyArray<PathPlace>): string =>
  inFirst(path, places, () => PLACEHOLDER)
