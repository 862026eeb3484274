/**
 * The seed of all properties: the same in every run, so that a failure is caused by a change and not by chance.
 * CREDSVC_TEST_SEED overrides it; run the tests with several numbers to explore new inputs.
 */
export const seed = Number(process.env["CREDSVC_TEST_SEED"] ?? 20_260_101)

/** The options for `it.prop`. */
export const seeded = { arbitrary: { seed } }

/** Numbers like those of `Math.random`, the same for each seed (Mulberry32). */
const numbersFrom = (first: number) => {
  let state = first
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The same numbers in every run of a file. */
export const random = numbersFrom(seed)
