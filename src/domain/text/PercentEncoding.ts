/** Decodes percent-encoding in UTF-8. Returns undefined if an escape is incomplete, or the bytes are not UTF-8. */
export const uriDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Encodes what is not visible ASCII in a latin1 text. */
export const percentEncoded = (text: string): string =>
  text.replaceAll(
    /[^\x21-\x7e]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
  )
