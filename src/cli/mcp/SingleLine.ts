import { sanitizeLine } from "../output/Sanitize.ts"

/** Makes text from a provider or a definition safe for a model: one line of limited length, without control characters. */
export const singleLine = (text: string, longest = 300): string => {
  const line = sanitizeLine(text).trim()
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
