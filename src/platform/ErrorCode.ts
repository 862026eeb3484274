/** The code of a failed Node operation, such as `ENOENT`, for messages and decisions. */
export const errorCode = (cause: unknown): string => String(Object(cause).code ?? "unknown error")
