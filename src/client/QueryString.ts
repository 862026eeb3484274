/** Encodes the query of a request to the HTTP interface. Each item of a list is a parameter of its own. */
export const queryString = (values: Iterable<readonly [string, unknown]>): string =>
  new URLSearchParams(
    [...values].flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]))
  ).toString()
