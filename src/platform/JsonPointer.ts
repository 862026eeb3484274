/** JSON pointers (RFC 6901). */

const keysOf = (pointer: string): ReadonlyArray<string> =>
  pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Returns the value that a pointer selects, or undefined if there is none. */
export const valueAt = (document: unknown, pointer: string): unknown => {
  let value = document
  for (const key of keysOf(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Sets the value at a pointer. Creates missing objects on the way to it. */
export const setValueAt = (document: Record<string, unknown>, pointer: string, value: unknown): void => {
  const keys = keysOf(pointer)
  let place = document
  for (const key of keys.slice(0, -1)) {
    // Uses only own members, so that no name reaches the prototype of all objects.
    place = (Object.hasOwn(place, key) ? place[key] : place[key] = {}) as Record<string, unknown>
  }
  place[keys.at(-1)!] = value
}

/** Lists the pointers to existing values that match a pattern: a pointer in which `*` stands for any member. */
export const pointersIn = (document: unknown, pattern: string): ReadonlyArray<string> => {
  const [first, ...rest] = pattern.split("/*")
  return rest.reduce<ReadonlyArray<string>>(
    (found, part) =>
      found.flatMap((at) =>
        Object.keys(Object(valueAt(document, at))).map((name) =>
          `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}${part}`
        )
      ),
    [first!]
  ).filter((pointer) => valueAt(document, pointer) !== undefined)
}

/** Lists the strings that patterns select, with their pointers. */
export const stringsAt = (
  document: unknown,
  patterns: ReadonlyArray<string | undefined>
): ReadonlyArray<readonly [pointer: string, text: string]> =>
  patterns.flatMap((pattern) => pattern === undefined ? [] : pointersIn(document, pattern)).flatMap((pointer) => {
    const text = valueAt(document, pointer)
    return typeof text === "string" ? [[pointer, text]] : []
  })
