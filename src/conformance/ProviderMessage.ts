/** Requests to a fake provider, and its responses. */
export interface ProviderRequest {
  readonly method: string
  readonly url: URL
  /** The header fields in the order and spelling in which they were sent. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

export interface ProviderResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const json = (status: number, body: unknown): ProviderResponse => ({
  status,
  headers: { "content-type": "application/json", "cache-control": "no-store" },
  body: JSON.stringify(body)
})

export const headerValues = ({ headers }: ProviderRequest, name: string): ReadonlyArray<string> =>
  headers.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
