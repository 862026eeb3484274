/** Returns the extended result code, or undefined if SQLite did not cause the failure. */
export const resultCode = (cause: unknown): number | undefined =>
  typeof cause === "object" && cause !== null && "errcode" in cause ? Number(cause.errcode) : undefined

/** Returns the primary result code, such as 5 for SQLITE_BUSY, or 0 if SQLite did not cause the failure. */
export const primaryResult = (cause: unknown): number => (resultCode(cause) ?? 0) & 0xff
