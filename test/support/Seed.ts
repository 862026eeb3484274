/**
 * The seed of all properties: the same in every run, so that one fails where somebody has changed something, and not by chance.
 * CREDSVC_TEST_SEED takes another. To look for what no run has tried yet, give it numbers of your own, again and again.
 */
export const seed = Number(process.env["CREDSVC_TEST_SEED"] ?? 20_260_101)

/** As the options of `it.prop`. */
export const seeded = { arbitrary: { seed } }
