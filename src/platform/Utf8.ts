/** Strict UTF-8. */
import { readOr } from "./files/ReadOrEmpty.ts"

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Decodes UTF-8, and keeps a byte order mark. Returns undefined for other bytes. */
export const utf8Text = (bytes: Uint8Array): string | undefined => readOr(() => decoder.decode(bytes), undefined)
