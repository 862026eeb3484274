/** Generators of HTTP/1.1 messages as text, and of damage to it. */
import * as fc from "./FastCheck.ts"

export const FRAMINGS = ["none", "length", "chunks"] as const

/** Makes a request. `head` lacks its empty line. `chunked` returns the body in chunks. */
export const requestText = (
  head: string,
  framing: (typeof FRAMINGS)[number],
  body: string,
  chunked: () => string
): string => {
  switch (framing) {
    case "none":
      return `${head}\r\n`
    case "length":
      return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
    case "chunks":
      return `${head}Transfer-Encoding: chunked\r\n\r\n${chunked()}`
  }
}

/** Characters that framing consists of, or that parsers may treat differently. */
export const DELIMITERS = [..."\n\r\0 \t:;,01-+\x0b\xff", "", "\r\n", "\r\n\r\n"]

/** One or several messages on a connection, with up to three mutations that remove bytes and insert others. */
export const mutated = (
  message: fc.Arbitrary<string>,
  inserted: fc.Arbitrary<string>,
  maxLength = 3
): fc.Arbitrary<string> =>
  fc.tuple(
    fc.array(message, { minLength: 1, maxLength }),
    fc.array(fc.tuple(inserted, fc.nat(), fc.nat(4)), { maxLength: 3 })
  ).map(([messages, mutations]) =>
    mutations.reduce((bytes, [text, where, removed]) => {
      const at = where % (bytes.length + 1)
      return bytes.slice(0, at) + text + bytes.slice(at + removed)
    }, messages.join(""))
  )

/** Splits a text at the given places. */
export const split = (text: string, cuts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const places = [0, ...cuts.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length]
  return places.slice(1).map((end, i) => text.slice(places[i], end)).filter((piece) => piece !== "")
}
