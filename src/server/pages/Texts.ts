/** All texts of the pages. Texts with markup are HTML; all others are escaped when rendered. */
import { plural } from "../../domain/text/Plural.ts"
import type { AuditEvent, AuditStatus } from "../../domain/wire/AuditEntry.ts"
import type { componentNames } from "../../domain/wire/Health.ts"
import { type BuiltInFlowKind, type FlowKind, isOwnFlow } from "../../domain/wire/ProviderName.ts"
import { type Html, html } from "./Html.ts"

const connections = (count: number): string => plural(count, "connection")

const events: Readonly<Record<AuditEvent, string>> = {
  login: "Connected",
  logout: "Disconnected",
  revoke: "Revoked",
  export: "Exported",
  get: "Secret revealed",
  resolve: "Used",
  refresh: "Refreshed",
  "set-default": "Set as default",
  "trust-issuer": "Issuer accepted",
  "set-contained-only": "Limited to contained runs",
  grant: "Granted to another profile",
  "grant-receive": "Grant received",
  "grant-withdraw": "Grant withdrawn",
  "grant-lose": "Grant lost",
  register: "Provider added",
  remove: "Provider removed",
  scan: "Environment scanned",
  "profile-create": "Profile created",
  "profile-use": "Profile switched",
  "sandbox-create": "Sandbox created",
  "sandbox-access": "Sandbox accessed",
  "sandbox-rotate": "Sandbox token replaced",
  "sandbox-delete": "Sandbox deleted",
  "policy-set": "Policy set",
  "policy-remove": "Policy removed",
  "run-approve": "Request approved",
  "run-deny": "Request denied",
  "run-stop": "Run stopped",
  "vault-rotate": "Vault keys rotated",
  "enrollment-code-create": "Enrollment code created",
  "identity-enroll": "Identity enrolled",
  "identity-disable": "Identity disabled",
  "identity-enable": "Identity enabled",
  "vault-create": "Vault created"
}

const outcomes: Readonly<Record<AuditStatus, string>> = { ok: "succeeded", denied: "denied", failed: "failed" }

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
  token_request: { name: "Login request", hint: "Enter the credentials that the provider issues tokens for." }
}

const flowWords = (kind: FlowKind): FlowWords =>
  isOwnFlow(kind) ? { name: kind, hint: "A login method of the program that runs this daemon." } : flows[kind]

const checks: Readonly<Record<(typeof componentNames)[number], string>> = {
  spec_version: "Version",
  identity: "Identity",
  providers: "Providers",
  connections: "Connections",
  vault: "Vault",
  integrity: "Integrity"
}

/** Category names that differ from the capitalized category. */
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

export const texts = {
  enter: {
    title: "This address cannot be used",
    text: "It opens the pages once, within a minute, on the machine of the daemon. Get another one with: credsvc ui"
  },

  noSuchAsset: {
    title: "File not found",
    text: "It belongs to a page of another version of credsvc. Reload the page."
  },

  frame: {
    skip: "Skip to content",
    pages: "Pages",
    sections: {
      overview: "Overview",
      connections: "Connections",
      providers: "Providers",
      runs: "Runs",
      activity: "Activity",
      approvals: "Approvals",
      settings: "Settings"
    },
    asOf: (time: string) => `As of ${time}.`,
    reload: "Reload",
    live: "This page updates automatically.",
    lost: "Connection to credsvc lost. Retrying…",
    interface: "API documentation"
  },

  pages: { label: "More of this list", previous: "Previous", next: "Next", newest: "Newest", older: "Older" },

  overview: {
    title: "Overview",
    lead: (profile: string) => html`The connections of profile <strong>${profile}</strong> and their status.`,
    totals: {
      label: "Totals",
      connections: (count: number) => count === 1 ? "connection" : "connections",
      attention: (count: number) => count === 1 ? "needs attention" : "need attention",
      used: "used in the last 24 hours",
      providers: "providers available"
    },
    attention: "Needs attention",
    allWell: "All connections work.",
    connections: "Connections",
    allConnections: (count: number) => `All ${count}`,
    recent: "Recent activity",
    allActivity: "All activity",
    nothingYet: "No activity yet.",
    moreAttention: (count: number) => `${plural(count, "more connection")} with a problem`,
    moreChecks: "Run all checks",
    first: {
      title: "Connect your first provider",
      text:
        html`Connect a provider once, then start programs with <code class="command">credsvc run -- your-command</code>. They use the credential without ever seeing it.`,
      search: "Find a provider",
      button: "Search",
      all: (count: number) => `Browse all ${plural(count, "provider")}`
    },
    says: (total: number, attention: number) =>
      `${connections(total)}, ${attention === 0 ? "none" : attention} ${attention === 1 ? "needs" : "need"} attention.`
  },

  connection: {
    word: {
      ok: "connected",
      soon: "expires soon",
      failing: "refresh failed",
      expired: "expired",
      invalid: "not usable",
      refused: "refused",
      not_connected: "not connected"
    },
    expiredText: "The credential has expired and cannot be refreshed. Log in again.",
    invalidText: "The credential is no longer valid. Log in again.",
    refusedText: (time: string, ago: string) =>
      `The provider refused this credential on ${time} (${ago}). Check it again, or log in again.`,
    expiresSoon: (when: string) => `Expires ${when} and cannot be refreshed automatically. Log in again before then.`,
    refreshFails: (reason: string) => `The last refresh failed: ${reason}`,
    default: "used by default",
    grantedBy: (profile: string) => `granted by ${profile}`,
    used: "used",
    notUsed: "not used recently",
    expires: "expires",
    expiredSince: "expired",
    renewed: "refreshed automatically",
    since: "connected",
    loginAgain: "Log in again",
    check: "Check",
    makeDefault: "Set as default",
    disconnect: "Disconnect",
    of: (provider: string, connection: string) => `${provider}, ${connection}`,
    open: "Open"
  },

  connections: {
    title: "Connections",
    lead: (count: number, providers: number) =>
      count === 0
        ? "No connections yet."
        : `${connections(count)} to ${
          plural(providers, "provider")
        }. Programs use the default connection of a provider unless they name another one.`,
    add: "Connect a provider",
    custom: "custom"
  },

  providers: {
    title: "Providers",
    lead: (count: number) =>
      `Choose from ${plural(count, "provider")}. A credential is sent only to the hosts of its provider.`,
    filter: "Filter",
    search: "Search",
    searchHint: "Name, host or topic",
    state: "Status",
    states: {
      all: "All",
      connected: "Connected",
      attention: "Needs attention",
      not_connected: "Not connected"
    },
    type: "Login method",
    types: { all: "All", oauth2: "OAuth", api_key: "API key" },
    category: "Category",
    allCategories: "All",
    apply: "Apply",
    attention: "needs attention",
    found: (count: number) => count === 0 ? "No matching providers." : `${plural(count, "provider")}.`,
    range: (from: number, to: number, count: number) => `${from}–${to} of ${plural(count, "provider")}.`,
    none: html`No matching providers. Add your own with <code class="command">credsvc register</code>.`,
    custom: "custom",
    categoryName: (category: string) =>
      categories[category] ?? `${category.charAt(0).toUpperCase()}${category.slice(1)}`
  },

  provider: {
    crumb: "All providers",
    fallback: (name: string) => `Provider ${name}`,
    documentation: "Documentation",
    credentials: { api_key: "Create a key at", oauth2: "Create an OAuth app at" },
    custom: "Custom provider.",
    replaces: "Its definition was added on this computer and replaces the bundled one.",
    added: "Its definition was added on this computer; credsvc does not include it.",
    connections: "Connections",
    none: "Not connected yet.",
    says: (count: number, attention: number) =>
      `${connections(count)}${
        attention === 0 ? "" : `, ${attention} ${attention === 1 ? "needs" : "need"} attention`
      }.`,
    connect: (displayName: string) => `Connect ${displayName}`,
    connectAnother: "Add a connection",
    name: "Connection name",
    nameHint: "Use letters, digits, dots, underscores, @ and hyphens.",
    flow: "Login method",
    tenant: "Account URL",
    region: "Region",
    anyRegion: "All regions",
    checked: "Compared with the vendor",
    checkedWith: (checked: { readonly date: string; readonly source: string } | undefined) =>
      checked === undefined ? "never: the definition may be wrong" : `${checked.date} (${checked.source})`,
    tenantHint: (form: string) => `For example: ${form}`,
    scopes: "Scopes",
    scopesHint: "Separate scopes with spaces. Leave empty to request the default scopes.",
    more: "Advanced options",
    button: "Connect",
    where: "How the credential is used",
    hosts: "Sent only to",
    noHosts: "The host of your account URL.",
    carriers: "Sent as",
    variables: "Environment variables",
    variablesHint: html`<code class="command">credsvc run</code> sets them to placeholders, never to the credential.`,
    redirect: "Redirect URI",
    redirectHint: "Enter this URI when the provider asks for a redirect or callback URL.",
    copy: "Copy",
    copied: "Copied",
    about: "About this provider",
    nameInCommands: "Name for commands",
    login: "Login method",
    categories: "Categories",
    alternatives: "Alternatives",
    notes: "Notes",
    end: "Revoke access",
    endText: (count: number) =>
      count === 1 ? "Revokes and removes the connection." : `Revokes and removes all ${count} connections.`,
    revoke: "Revoke"
  },

  flowWords,

  already: {
    title: (displayName: string) => `${displayName} is already connected`,
    text: (connection: string) =>
      html`A connection named <code>${connection}</code> already exists. Replace its credential, or go back and choose another name. The old credential stays in use until the new login completes.`,
    replace: "Replace credential",
    back: "Go back"
  },

  input: {
    title: {
      client: (displayName: string) => `Enter the OAuth app for ${displayName}`,
      key: (displayName: string) => `Enter the API key for ${displayName}`,
      fields: (displayName: string) => `Enter the credentials for ${displayName}`,
      refreshToken: (displayName: string) => `Enter a refresh token for ${displayName}`,
      account: (displayName: string) => `Choose an account of ${displayName}`
    },
    errorTitle: (title: string) => `Error: ${title}`,
    lead: (recipient: string | null, alsoHosts: boolean) =>
      html`Your input is encrypted on this computer and sent only to ${
        recipient !== null && html`<strong>${recipient}</strong>`
      }${recipient !== null && alsoHosts && " and "}${
        alsoHosts && "the hosts below"
      }. Programs under <code class="command">credsvc run</code> never receive it.`,
    chooseAccount: (displayName: string) => `The login to ${displayName} gives access to several accounts.`,
    onlyIfKnown: "Continue only if you recognize the hosts below.",
    ownApp: "This provider requires your own OAuth app",
    redirect: "Set its redirect URI to:",
    optional: "optional",
    entered: "The input",
    getIt: "Get one at",
    connect: "Connect",
    cancel: "Cancel",
    provider: "Provider",
    sentTo: "Sent only to",
    tokensSentTo: "Access tokens are sent only to",
    sentAs: "Sent as",
    storedAs: "Stored as",
    place: (connection: string, profile: string) =>
      html`connection <code>${connection}</code> of profile <code>${profile}</code>`
  },

  device: {
    title: (displayName: string) => `Enter the code for ${displayName}`,
    open: "Open",
    enter: "and enter this code:",
    scan: "Or scan with a phone:",
    qr: "QR code of the login page",
    or: "Or",
    filledIn: "open the page with the code filled in",
    compare: " and check that the codes match.",
    notices: "This page updates automatically when you are done."
  },

  login: {
    completed: (displayName: string) => `${displayName} is connected`,
    stored: (connection: string) => html`Stored as connection <code>${connection}</code>. You can close this tab.`,
    use: html`Use it with: <code class="command">credsvc run -- your-command</code>`,
    dashboard: "View on the dashboard",
    again: (provider = "<provider>") => html`To try again, run: <code>credsvc login ${provider}</code>`,
    cancelled: (displayName: string) => `Login to ${displayName} cancelled`,
    nothingStored: "Nothing was stored. You can close this tab.",
    cancelledNotice: "The login was cancelled. Nothing was stored.",
    connectedNotice: (displayName: string, connection: string) =>
      html`${displayName} is connected as <code>${connection}</code>.`,
    failed: (displayName: string) => `Login to ${displayName} failed`,
    waiting: (displayName: string) => `Finishing the login to ${displayName}`,
    onward: (displayName: string) => `Log in to ${displayName}`,
    onwardText: "Sign in there and allow access. The provider then returns you to this site.",
    goOn: (host: string) => `Continue to ${host}`,
    elsewhere: "The browser cannot show the page at the end?",
    address: "Address or code",
    addressHint: "Copy the address of the page that cannot be shown. It begins with the address of this daemon.",
    finish: "Finish the login",
    cancel: "Cancel",
    noAddress: "The provider sent an unsafe URL:",
    expired: "Login expired",
    expiredText: "The login was not completed in time. Nothing was stored.",
    unknown: "Login not found",
    unknownText: "The link is incomplete, or the login is too old.",
    stale: (displayName: string) => `Form for ${displayName} already submitted`,
    staleText: "Submitting it again changed nothing.",
    staleLink: "Show the current step",
    stray: "No matching login",
    strayText: "The response of the provider matches no login in progress on this computer. Nothing was changed."
  },

  noClient: {
    title: "No client document",
    text: "Only a daemon with an https address has one: set CREDSVC_SERVER_BASE_URL."
  },

  disconnect: {
    title: (displayName: string, connection: string) => `Disconnect ${displayName}, ${connection}?`,
    erased: "The credential is deleted from this computer.",
    programs: html`Programs under <code class="command">credsvc run</code> lose access with their next request.`,
    stays: (displayName: string) => `The credential stays valid at ${displayName}.`,
    instead: "Revoke all connections instead",
    keysAt: "Delete it at",
    nextDefault: (name: string) => html`<code>${name}</code> becomes the default connection.`,
    button: "Disconnect",
    back: "Cancel",
    done: (connection: string) => `${connection} disconnected.`,
    doneDefault: (connection: string, next: string) => `${connection} disconnected. ${next} is now the default.`
  },

  makeDefault: {
    title: (connection: string) => `Set ${connection} as default?`,
    text: html`Programs that name no connection use it from their next request.`,
    instead: (name: string) => html`They currently use <code>${name}</code>, which stays connected.`,
    button: "Set as default",
    back: "Cancel",
    done: (connection: string) => `${connection} is now the default.`
  },

  revoke: {
    title: (displayName: string) => `Revoke all access to ${displayName}?`,
    connections: (count: number) =>
      `${count === 1 ? "This connection is removed" : `These ${count} connections are removed`}:`,
    atProvider: (displayName: string) => `credsvc asks ${displayName} to revoke the tokens.`,
    noEndpoint: (displayName: string) =>
      `credsvc cannot revoke API keys of ${displayName}. It only deletes them from this computer.`,
    erased: "The credentials are deleted from this computer.",
    erasedWithClient: "The tokens and the OAuth client registered for them are deleted from this computer.",
    cannotUndo: "This cannot be undone.",
    button: "Revoke",
    back: "Cancel",
    done: (count: number, contacted: boolean) =>
      `${connections(count)} removed${contacted ? " and revoked at the provider" : ""}.`,
    failed: "Some tokens could not be revoked at the provider:"
  },

  activity: {
    title: "Activity",
    lead: "Every use of a credential and every change. Verifying the log detects entries that were altered or removed.",
    provider: "Provider",
    event: "Event",
    status: "Outcome",
    all: "All",
    apply: "Apply",
    when: "Time",
    connection: "Connection",
    profile: "Profile",
    none: "No matching entries.",
    table: "Entries, newest first",
    verify: "Verify log",
    intact: (entries: number, head: string) =>
      html`<strong>The log is intact.</strong> ${plural(entries, "entry", "entries")}, ending in <code>${
        head.slice(0, 16)
      }</code>.`,
    broken: (problem: string) => html`<strong>The log could not be verified.</strong> ${problem}`,
    back: "All activity"
  },
  events,
  outcomes,

  runs: {
    title: "Runs",
    lead:
      html`Commands that were started with <code class="command">credsvc run</code>, and what they did with your connections.`,
    running: "Running now",
    none: html`Nothing is running. Start a program with <code class="command">credsvc run -- your-command</code>.`,
    process: (pid: number) => `process ${pid}`,
    started: "started",
    stopped: "stopped",
    frozen: "frozen",
    contained: "contained",
    limited: "limited by rules",
    maxUses: (count: number) => `at most ${plural(count, "use")}`,
    expires: "expires",
    used: "Used",
    unused: "It has not used a connection yet.",
    requests: "Requests",
    allRequests: "All requests",
    failedRequests: "Errors and refusals",
    stop: "Stop",
    of: (run: string) => `run ${run}`,
    stopTitle: (run: string) => `Stop run ${run}?`,
    stopText: [
      "The run, and every run inside it, gets no more credentials.",
      "Its open connections with a credential are closed, and its command is asked to end.",
      "Your connections stay as they are."
    ],
    stopButton: "Stop run",
    back: "Cancel",
    done: (count: number) => `${plural(count, "run")} stopped.`,
    gone: "This run has already ended."
  },

  requests: {
    title: "Requests",
    lead: "Requests of runs that got a credential, or were refused at a provider, newest first.",
    back: "Runs",
    provider: "Provider",
    run: "Run",
    all: "All",
    period: "Period",
    periods: { hour: "Last hour", day: "Last 24 hours", week: "Last 7 days", month: "Last 30 days" },
    result: "Result",
    results: { all: "All", failed: "Errors and refusals" },
    apply: "Apply",
    when: "Time",
    request: "Request",
    connection: "Connection",
    bytes: "Size",
    table: "Requests, newest first",
    gap: (count: number | null) =>
      count === null
        ? "Requests may be missing: the run ended without a last report."
        : `${plural(count, "request")} missing`,
    aborted: "aborted",
    lacksScopes: "The credential lacks scopes. Log in again with:",
    noMatch: "No matching requests."
  },

  approvals: {
    title: "Approvals",
    lead:
      html`Requests outside the rules of runs that were started with <code class="command">credsvc run --ask</code>.`,
    none: "No request waits for you.",
    waiting: (count: number) => count === 1 ? "1 request waits for you." : `${count} requests wait for you.`,
    run: "Run",
    rule: "Rule",
    noRule: "No rule can allow this request, so it can be allowed once only.",
    policies: "Policies",
    until: "Refused at",
    answers: { once: "Allow once", run: "Allow for this run", always: "Always allow", no: "Deny" },
    done: { once: "Allowed once:", run: "Allowed for this run:", always: "Always allowed:", no: "Denied for this run:" }
  },

  settings: {
    title: "Settings",
    lead:
      html`The configuration of this credsvc. Change it with <code>credsvc</code> commands or <code>config.json</code>.`,
    profile: "Profile",
    active: "active",
    profilesHint:
      html`Each profile has its own connections. Switch with <code class="command">credsvc profile use</code>.`,
    made: "created",
    program: "Program",
    version: "Version",
    apiVersion: "API version",
    address: "Address",
    redirect: "Redirect URI",
    home: "Data directory",
    key: "Master key",
    mode: "Mode",
    source: "Source",
    noSource: "unavailable",
    checks: "Checks",
    checksText: "Test the vault and verify the whole store and log.",
    run: "Run all checks"
  },

  checks: {
    title: "Checks",
    status: { ok: "All checks passed.", degraded: "Checks passed with warnings.", unhealthy: "Some checks failed." },
    names: checks,
    words: { ok: "ok", warning: "warning", failed: "failed" },
    warnings: "Warnings",
    problems: "Problems",
    again: "Run again",
    back: "Settings"
  },

  failure: {
    strange: {
      title: "Form not accepted",
      text: "Nothing was changed. The browser did not say which page has sent the form. Use a current browser."
    },
    noProvider: { title: "Provider not found", text: "The address contains no valid provider name." },
    noConnection: { title: "Connection not found", text: "The address contains no valid connection name." },
    open: "Open the dashboard",
    openProvider: (name: string) => `Open ${name}`,
    allProviders: "All providers"
  },

  time: {
    now: "just now",
    ago: (text: string) => `${text} ago`,
    ahead: (text: string) => `in ${text}`
  }
} as const

export const sentence = (text: string): string => {
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  // A period after a command could be typed as part of it.
  return /[.!?:]$|: credsvc [^.]*$/.test(begun) ? begun : `${begun}.`
}

/** Describes an invalid field: as a sentence of its own, or as the rest of a sentence that begins with the label. */
export const fieldError = (label: string, message: string): string =>
  sentence(/^[a-z]/.test(message) ? `${label} ${message}` : message)

export const list = (items: ReadonlyArray<string>): Html =>
  html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`
