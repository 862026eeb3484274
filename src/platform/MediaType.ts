/** Returns the media type in a Content-Type field, in lower case and without parameters. Empty if the field has none. */
export const mediaTypeOf = (field = ""): string => field.split(";", 1)[0]!.trim().toLowerCase()
