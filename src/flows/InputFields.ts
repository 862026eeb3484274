/** The fields of login forms. */
import type { ProviderDefinition } from "../domain/definition/Provider.ts"
import { credentialFields, type LoginField } from "../domain/definition/ProviderFields.ts"
import type { InputField } from "../domain/wire/AuthSession.ts"

/** A required field with a value that is not secret. `rest` overrides its properties. */
export const inputField = (name: string, label: string, rest: Partial<InputField> = {}): InputField => ({
  name,
  label,
  secret: false,
  required: true,
  default: null,
  pattern: null,
  hint: null,
  ...rest
})

export const inputOf = ({ hint, label, name, pattern, required, secret }: LoginField): InputField =>
  inputField(name, label, { hint: hint ?? null, pattern: pattern ?? null, required, secret })

/** The fields of the credential that the definition declares. */
export const inputFields = (definition: ProviderDefinition): ReadonlyArray<InputField> =>
  credentialFields(definition).map(inputOf)
