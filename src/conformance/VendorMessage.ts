/** What goes to and comes from a vendor that is played in this process. */
export interface VendorRequest {
  readonly method: string
  readonly url: URL
  /** In the order and spelling of the wire. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

export interface VendorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): VendorResponse => ({
  status,
  headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  body: JSON.stringify(body)
})

/** Every value of a header, whatever its case. */
export const headerValues = ({ headers }: VendorRequest, name: string): ReadonlyArray<string> =>
  headers.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
