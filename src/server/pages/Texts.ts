/** Texts that several pages share. */
import { type BuiltInFlowKind, type FlowKind, isOwnFlow } from "../../domain/wire/ProviderName.ts"
import { type Html, html } from "./Html.ts"

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

/** Category names that are not just the capitalized category. */
const categories: Readonly<Record<string, string>> = {
  ai: "AI",
  cms: "CMS",
  crm: "CRM",
  google: "Google",
  hr: "HR",
  mcp: "MCP",
  microsoft: "Microsoft",
  seo: "SEO"
}

export const categoryLabel = (category: string): string =>
  categories[category] ?? `${category.charAt(0).toUpperCase()}${category.slice(1)}`

export const sentence = (text: string): string => {
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  // A period after a command could be mistaken for a part of it.
  return /[.!?:]$|: credsvc [^.]*$/.test(begun) ? begun : `${begun}.`
}

/** Describes an invalid field: as a full sentence, or as the rest of a sentence that begins with the label. */
export const fieldError = (label: string, message: string): string =>
  sentence(/^[a-z]/.test(message) ? `${label} ${message}` : message)

export const list = (items: ReadonlyArray<string>): Html =>
  html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`
