/** The identity of a secret. Every part is authenticated. */
export interface SecretIdentity {
  readonly profile: string
  readonly provider: string
  readonly connection: string
  /** The column that contains the secret, such as `sealed`. The secret cannot be opened in another column of its row. */
  readonly field: string
  readonly recordId: string
  /** Increases by one with each write of the record, which invalidates earlier values. */
  readonly generation: number
  /** The fingerprint of the provider definition that may use the secret, or empty. */
  readonly definitionFp: string
}
