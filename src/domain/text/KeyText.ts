/** Distinguishes values that may be keys from samples and from references to keys. */
import { PLACEHOLDER } from "../injection/Placeholder.ts"

/** Placeholder values, as example files contain them. */
const sample =
  /^(?:<.*>|\[.*\]|\$\{.*\}|\$[A-Za-z_]\w*|\{\{.*\}\}|[x.*]{3,}|(?:your|my|insert|replace|paste|enter|put)[-_ ].*|change[-_ ]?me|todo|tbd|none|null|undefined|placeholder|example|dummy|secret|password)$/i

export const isSample = (value: string): boolean => sample.test(value.trim())

/** The commands that resolve a reference to a key. The user replaces the words in upper case. */
export const references: ReadonlyArray<readonly [form: RegExp, command?: string]> = [
  [/^op:\/\//, "op read VALUE"],
  [/^bw:\/\//, "bw get password ITEM"],
  [/^vault:/, "vault kv get -field=FIELD PATH"],
  [/^(?:secret)?ref\+/, "vals get VALUE"],
  [/^encrypted:/, "dotenvx get NAME -f FILE"],
  [/^ENC\[/, "sops decrypt --extract '[\"NAME\"]' FILE"],
  [/^secret:\/\//],
  [/^(?:\$\(|`)/]
]

/** Matches names of variables with secrets, not with files, addresses or IDs, except that the app ID of Wolfram is a key. */
const secretName = /_(?:PAT|AUTH)$|^WOLFRAM\w*APP_?ID$|(?:KEY|TOKEN|TKN|SECRET|PASS)(?!.*(?:FILE|PATH|DIR|URL|ID)$)/i

/** The length of the shortest key. Services without authentication often get a shorter word as a key. */
const SHORTEST_KEY = 12

/** Finds the password of a URL, or the credential of an `Authorization` header. */
const embedded = /^(?:[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@|(?:Bearer|Basic|token) +(\S{12,})$)/i

/** Whether a variable or header may contain a key, by its name and value. */
export const mayBeKey = (name: string, value: string): boolean => {
  const [, password, credential = password] = embedded.exec(value.trim()) ?? []
  return (credential !== undefined || (secretName.test(name) && value.trim().length >= SHORTEST_KEY)) &&
    !value.includes(PLACEHOLDER) && !isSample(credential ?? value) && !references.some(([form]) => form.test(value))
}
