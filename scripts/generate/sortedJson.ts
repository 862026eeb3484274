/**
 * Formats JSON with sorted keys, so that a generated file changes only if its meaning does. Arrays keep their order,
 * which is meaningful.
 */
export const sortedJson = (value: unknown): string =>
  `${
    JSON.stringify(
      value,
      (_, inner: unknown) =>
        typeof inner === "object" && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => a < b ? -1 : 1))
          : inner,
      2
    )
  }\n`
