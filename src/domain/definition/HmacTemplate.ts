/** The templates of a placement with an HMAC signature, such as `{method}:{target}`. */

/** Splits a template into literal strings (at even positions) and the names of its places (at odd positions). */
export const templateParts = (template: string): ReadonlyArray<string> => template.split(/\{([^{}]*)\}/)

/** The places that a template uses. */
export const placesIn = (template: string): ReadonlyArray<string> =>
  templateParts(template).filter((_, index) => index % 2 === 1)

export const messagePattern = /^[\n\u0020-\u007e]+$/u
export const MAX_MESSAGE = 512
