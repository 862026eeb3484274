/** The code of a failed operation of Node, such as `ENOENT`, for messages and decisions. */
export const errorCode = (cause: unknown): string => String(Object(cause).code ?? "unknown error")
