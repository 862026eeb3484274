/**
 * Generates a text that matches a definition's pattern of literals, classes, groups, `.`, quantifiers and negative
 * lookaheads, which it ignores. Undefined if the text does not match after all.
 */
export const sampleOf = (pattern: string): string | undefined => {
  const reader = new Reader(pattern)
  const text = reader.alternatives()
  return text !== undefined && reader.atEnd && RegExp(`^(?:${pattern})$`).test(text) ? text : undefined
}

/** Characters to try for `.` and for classes that contain them. */
const filler = "4f9a1c7e2b8d"
const letters = "abcdefghijklmnopqrstuvwxyz"

class Reader {
  private at = 0
  private readonly pattern: string

  constructor(pattern: string) {
    this.pattern = pattern
  }

  get atEnd(): boolean {
    return this.at === this.pattern.length
  }

  /** Generates the first alternative and skips the others. */
  alternatives(): string | undefined {
    const first = this.sequence()
    if (first === undefined) return undefined
    while (this.take("|")) {
      if (this.sequence() === undefined) return undefined
    }
    return first
  }

  private sequence(): string | undefined {
    let text = ""
    while (!this.atEnd && !")|".includes(this.pattern[this.at]!)) {
      const atom = this.atom()
      const count = atom === undefined ? undefined : this.quantifier()
      if (atom === undefined || count === undefined) return undefined
      text += atom(count)
    }
    return text
  }

  private take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  private atom(): ((count: number) => string) | undefined {
    if (this.take("(?!")) return this.alternatives() !== undefined && this.take(")") ? () => "" : undefined
    if (this.take("(")) {
      this.take("?:")
      const inner = this.alternatives()
      return inner !== undefined && this.take(")") ? (count) => inner.repeat(count) : undefined
    }
    if (this.take("[")) return this.characterClass()
    if (this.take(".")) return filled(filler)
    if (this.take("\\")) return this.escaped()
    const literal = this.pattern[this.at]!
    if ("*+?{}^$".includes(literal)) return undefined
    this.at++
    return (count) => literal.repeat(count)
  }

  private escaped(): ((count: number) => string) | undefined {
    const letter = this.pattern[this.at++]
    if (letter === undefined) return undefined
    if (letter === "d") return filled("0123456789")
    if (letter === "w") return filled(filler)
    return /[A-Za-z0-9]/.test(letter) ? undefined : (count) => letter.repeat(count)
  }

  private characterClass(): ((count: number) => string) | undefined {
    const end = this.pattern.indexOf("]", this.at)
    if (end === -1) return undefined
    const content = this.pattern.slice(this.at, end)
    this.at = end + 1
    const members = RegExp(`[${content}]`)
    const able = [...filler, ...letters, ...letters.toUpperCase(), ..."0123456789_-"].filter((letter) =>
      members.test(letter)
    ).join("")
    return able === "" ? undefined : filled(able)
  }

  private quantifier(): number | undefined {
    if (this.take("+") || this.take("*")) return filler.length
    if (this.take("?")) return 1
    if (!this.take("{")) return 1
    const bounds = /^(\d+)(,(\d*))?\}/.exec(this.pattern.slice(this.at))
    if (bounds === null) return undefined
    this.at += bounds[0].length
    return Number(bounds[1])
  }
}

const filled = (letters: string) => (count: number): string =>
  Array.from({ length: count }, (_, index) => letters[index % letters.length]).join("")
