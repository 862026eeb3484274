/** The type that a Content-Type field names, in lower case and without parameters; empty if it names none. */
export const mediaTypeOf = (field = ""): string => field.split(";", 1)[0]!.trim().toLowerCase()
