import { sanitizeLine } from "../output/Sanitize.ts"

/** Text from a provider or a definition for a model: one line without control characters, of limited length. */
export const told = (text: string, longest = 300): string => {
  const line = sanitizeLine(text).trim()
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
