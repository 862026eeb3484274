/** Checks a body as it passes. */

/** A check that throws an `UncheckableError` for a body that a server could read in another way, or that overrides the method. */
export interface BodyCheck {
  readonly write: (part: Buffer) => void
  /** The body is complete. */
  readonly end: () => void
}

/** The longest name of a parameter. Longer ones are refused. */
export const MAX_NAME = 8192

export const overriddenBy = (name: string): string =>
  `${name.slice(0, 64)} asks the server for a method or path that the rules have not checked: remove it`
