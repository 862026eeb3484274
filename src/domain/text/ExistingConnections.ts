/** The part of an error message that lists connections among which a client can choose. */
const existing = "Existing connections: "

/** Lists connections among which a client can choose. */
export const existingConnections = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : ` ${existing}${names.join(", ")}.`

/** Whether the message of an error lists connections among which a client can choose. */
export const listsConnections = (detail: string): boolean => detail.includes(existing)
