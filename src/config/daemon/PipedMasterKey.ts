/** Receives the master key through a pipe from the client that starts a daemon, so that no environment contains the key. */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import type { SettingsShape } from "../Settings.ts"

/** Names the file descriptor of the pipe. */
export const masterKeyDescriptorVariable = "CREDSVC_MASTER_KEY_FD"

/** Adds the master key that the starting client piped to this process, if any. It can be read once. */
export const withPipedMasterKey = (settings: SettingsShape, environment: NodeJS.ProcessEnv): SettingsShape => {
  const descriptor = environment[masterKeyDescriptorVariable]
  if (descriptor === undefined) return settings
  delete environment[masterKeyDescriptorVariable]
  const text = fs.readFileSync(Number(descriptor), "utf8")
  fs.closeSync(Number(descriptor))
  return { ...settings, masterKey: Option.some(Redacted.make(text)) }
}
