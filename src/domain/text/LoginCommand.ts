/** The command of a login, for messages. */
import { defaultConnectionName } from "../wire/Names.ts"

/** The flag that names a connection. Empty for the default name. */
export const connectionFlag = (connection: string | null): string =>
  connection === null || connection === defaultConnectionName ? "" : ` --connection ${connection}`

export const loginCommand = (provider: string, connection: string | null, force = false): string =>
  `credsvc login ${provider}${connectionFlag(connection)}${force ? " --force" : ""}`
