/** The query of a request, for both clients of the HTTP interface: the typed one, and that of the commands. */
/** Encodes the query of a request. Each item of a list is a parameter of its own. */
export const queryString = (values: Iterable<readonly [string, unknown]>): string =>
  new URLSearchParams(
    [...values].flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]))
  ).toString()
