/** A count and its noun in the right number: `plural(1, "second")` is "1 second", `plural(2, "entry", "entries")` "2 entries". */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
