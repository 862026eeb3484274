/** Turns messages into sentences for pages. */

export const sentence = (text: string): string => {
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  // A period after a command could be mistaken for a part of it.
  return /[.!?:]$|: credsvc [^.]*$/.test(begun) ? begun : `${begun}.`
}

/** Describes an invalid field: as a full sentence, or as the rest of a sentence that begins with the label. */
export const fieldError = (label: string, message: string): string =>
  sentence(/^[a-z]/.test(message) ? `${label} ${message}` : message)
