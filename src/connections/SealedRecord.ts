/** The columns that every sealed row has, and the identity that its secrets are bound to. */
import * as Schema from "effect/Schema"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { ProviderName } from "../domain/wire/ProviderName.ts"
import type { SecretIdentity } from "../vault/SecretIdentity.ts"

export const recordColumns = {
  record_id: Schema.String,
  profile: ProfileHandle,
  provider: ProviderName,
  generation: Schema.Int,
  definition_fp: Schema.String
}

export type RecordKey = Schema.Struct<typeof recordColumns>["Type"]

/** `connection` is the column that names the row within its provider. */
export const identityOf = (key: RecordKey, connection: string, field: string): SecretIdentity => ({
  profile: key.profile,
  provider: key.provider,
  connection,
  field,
  recordId: key.record_id,
  generation: key.generation,
  definitionFp: key.definition_fp
})
