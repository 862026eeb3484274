/** The text of enrollment codes: an ID and a secret, in letters and digits that are not easily confused. */
import { builtins } from "../platform/builtins.ts"
import { sha256 } from "../platform/Digest.ts"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const idLength = 8
/** The length of the secret, which has 120 bits. */
const secretLength = 24

const draw = (length: number): string => {
  const bytes = builtins.crypto.randomBytes(length)
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
}

export interface CodeParts {
  readonly id: string
  readonly secret: string
}

export const drawCode = (): CodeParts => ({ id: draw(idLength), secret: draw(secretLength) })

export const formatCode = ({ id, secret }: CodeParts): string => [id, ...secret.match(/.{8}/g)!].join("-")

const pattern = new RegExp(`^[${alphabet}]{${idLength + secretLength}}$`)

/** Parses a code. Returns undefined if the text is not a code. Case, hyphens and surrounding spaces do not matter. */
export const parseCode = (text: string): CodeParts | undefined => {
  const code = text.trim().toLowerCase().replaceAll("-", "")
  return pattern.test(code) ? { id: code.slice(0, idLength), secret: code.slice(idLength) } : undefined
}

export const hashSecret = (secret: string): string => sha256(`credsvc/enrollment-code/v1\0${secret}`)
