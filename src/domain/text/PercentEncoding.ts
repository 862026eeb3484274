/** Decodes percent-encoding in UTF-8. Returns undefined if an escape is incomplete, or the bytes are not UTF-8. */
export const uriDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
