/** Names and hints of login methods on the pages. */
import { type BuiltInFlowKind, type FlowKind, isOwnFlow } from "../../domain/wire/ProviderName.ts"

interface FlowWords {
  readonly name: string
  readonly hint: string
}

const flows: Readonly<Record<BuiltInFlowKind, FlowWords>> = {
  api_key: { name: "API key", hint: "Enter a key that you created at the provider." },
  assume_role: { name: "Role", hint: "Enter the keys of a user and a role; credsvc requests temporary keys." },
  pkce: { name: "Browser", hint: "Sign in to the provider in this browser." },
  device_code: { name: "Device code", hint: "Enter a short code at the provider, on any device." },
  dcr_pkce: {
    name: "Browser, with automatic registration",
    hint: "credsvc registers with the provider, then you sign in."
  },
  credential_command: { name: "Credential command", hint: "A program on this computer prints the credential." },
  refresh_token: { name: "Refresh token", hint: "Enter a refresh token that you already have." },
  client_credentials: {
    name: "Client credentials",
    hint: "Enter a client ID and secret; for programs without a user."
  },
  jwt_bearer: { name: "Private key", hint: "Enter a private key or key file; for service accounts and apps." },
  token_request: { name: "Login request", hint: "Enter the credentials for which the provider issues tokens." }
}

export const flowWords = (kind: FlowKind): FlowWords =>
  isOwnFlow(kind) ? { name: kind, hint: "A login method of the program that runs this daemon." } : flows[kind]
