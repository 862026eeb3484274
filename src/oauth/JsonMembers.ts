/**
 * Reads the members of the documents that authorization servers send: metadata, registrations, tokens, device codes.
 * Some servers write an absent member as `null` or as an empty text, and numbers as text.
 */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns a member, or undefined if it is absent. */
export const member = (document: JsonObject, name: string): unknown => presentValue(document[name])

/** Returns a value, or undefined for a value that means "absent". */
export const presentValue = (value: unknown): unknown => value === null || value === "" ? undefined : value

/** Returns a string of printable ASCII up to this length, or a number as text, or undefined for anything else. */
export const printableText = (value: unknown, max: number): string | undefined => {
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" && text.length <= max && /^[\u0020-\u007e]+$/.test(text) ? text : undefined
}

export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number"
    ? value
    : typeof value === "string" && /^\d{1,15}(?:\.\d+)?$/.test(value)
    ? Number(value)
    : undefined

/** Returns up to 200 strings of printable ASCII without spaces from an array, or undefined if the value is not an array. */
export const nameList = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value)
    ? value.filter((item) => typeof item === "string" && /^[\u0021-\u007e]{1,256}$/.test(item)).slice(0, 200)
    : undefined
