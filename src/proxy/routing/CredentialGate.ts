/** Whether a run or sandbox still gets credentials. Once closed, it stays closed. */
import type { Refusal } from "../ErrorResponse.ts"

export class CredentialGate {
  #refusal: Refusal | undefined

  /** Why requests get no credential any more; undefined if they do. */
  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  close(refusal: Refusal): void {
    this.#refusal ??= refusal
  }
}
