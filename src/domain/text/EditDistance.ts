/** The Levenshtein distance of two strings. */
export const editDistance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[right.length]!
}

/** The candidates that a mistyped word probably means. */
export const nearest = (typed: string, candidates: ReadonlyArray<string>): ReadonlyArray<string> => {
  const measured = candidates.map((candidate) => ({ candidate, distance: editDistance(typed, candidate) }))
    .filter((each) => each.distance <= Math.max(1, Math.floor(each.candidate.length / 3)))
  const least = Math.min(...measured.map((each) => each.distance))
  return measured.filter((each) => each.distance === least).map((each) => each.candidate)
}
