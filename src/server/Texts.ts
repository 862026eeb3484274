/**
 * What the pages say, in one place. A sentence with markup in it is HTML already; everything else is escaped where it is
 * shown.
 */
import type { AuditEvent, AuditStatus } from "../domain/AuditEntry.ts"
import type { componentNames } from "../domain/Health.ts"
import { plural } from "../domain/Plural.ts"
import type { FlowKind } from "../domain/Provider.ts"
import { type Html, html } from "./Html.ts"

const connections = (count: number): string => plural(count, "connection")

const events: Readonly<Record<AuditEvent, string>> = {
  login: "Connected",
  logout: "Disconnected",
  revoke: "Revoked",
  export: "Exported",
  get: "Secret asked for",
  resolve: "Used",
  refresh: "Refreshed",
  "set-default": "Made the default",
  register: "Provider added",
  remove: "Provider removed",
  scan: "Compared with files",
  "profile-create": "Profile made",
  "profile-use": "Profile chosen",
  "vault-create": "Vault made"
}

const outcomes: Readonly<Record<AuditStatus, string>> = { ok: "done", denied: "denied", failed: "failed" }

const flows: Readonly<Record<FlowKind, { readonly name: string; readonly hint: string }>> = {
  api_key: { name: "API key", hint: "You enter a key that the provider has given you." },
  pkce: { name: "In the browser", hint: "You sign in at the provider in this browser." },
  device_code: { name: "With a code", hint: "You enter a short code at the provider, on any device." },
  dcr_pkce: {
    name: "In the browser, registered by itself",
    hint: "credsvc registers at the provider, then you sign in."
  }
}

const checks: Readonly<Record<(typeof componentNames)[number], string>> = {
  spec_version: "Version",
  identity: "Identity",
  providers: "Providers",
  connections: "Connections",
  vault: "Vault",
  integrity: "Integrity"
}

/** Categories that are not written as they are. */
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
  noSuchAsset: {
    title: "There is no such file",
    text: "It belongs to a page of another version of credsvc. Load the page again."
  },

  frame: {
    skip: "Skip to the content",
    pages: "Pages",
    sections: {
      overview: "Overview",
      connections: "Connections",
      providers: "Providers",
      activity: "Activity",
      settings: "Settings"
    },
    asOf: (time: string) => `As of ${time}.`,
    reload: "Load again",
    live: "This page follows changes by itself.",
    lost: "credsvc cannot be reached; this page tries again by itself.",
    interface: "Interface for programs"
  },

  overview: {
    title: "Overview",
    lead: (profile: string) =>
      html`What this computer can reach as profile <strong>${profile}</strong>, and how that stands.`,
    totals: {
      label: "Totals",
      connections: (count: number) => count === 1 ? "connection" : "connections",
      attention: (count: number) => count === 1 ? "needs attention" : "need attention",
      used: "used in the last 24 hours",
      providers: "providers to choose from"
    },
    attention: "Needs attention",
    allWell: "Everything that is connected works.",
    connections: "Connections",
    allConnections: (count: number) => `All ${count}`,
    recent: "Recent activity",
    allActivity: "All activity",
    nothingYet: "Nothing has happened yet.",
    moreChecks: "Run all checks",
    first: {
      title: "Nothing is connected yet",
      text:
        html`Connect a provider once; then start programs with <code>credsvc run -- your-command</code>. They reach the provider without ever seeing the key.`,
      search: "Find a provider",
      button: "Search",
      all: (count: number) => `All ${count} providers`
    },
    says: (total: number, attention: number) =>
      `${connections(total)}, ${attention === 0 ? "none needs attention" : `${attention} needing attention`}.`
  },

  connection: {
    word: {
      ok: "connected",
      soon: "expires soon",
      failing: "refresh fails",
      expired: "expired",
      invalid: "not usable",
      not_connected: "not connected"
    },
    expiredText: "It cannot be renewed any more. Log in again.",
    invalidText: "It is not used any more. Log in again.",
    expiresSoon: (when: string) => `It expires ${when} and cannot be renewed by itself. Log in again before.`,
    refreshFails: (reason: string) => `The last attempt to renew it failed: ${reason}`,
    default: "used by default",
    used: "used",
    notUsed: "no recent use",
    expires: "expires",
    expiredSince: "expired",
    renewed: "renewed by itself",
    since: "connected",
    loginAgain: "Log in again",
    makeDefault: "Make default",
    disconnect: "Disconnect",
    of: (provider: string, connection: string) => `${provider}, ${connection}`,
    open: "Open"
  },

  connections: {
    title: "Connections",
    lead: (count: number, providers: number) =>
      count === 0
        ? "Nothing is connected yet."
        : `${connections(count)} to ${
          plural(providers, "provider")
        }. Programs use the default one unless they name another.`,
    add: "Connect a provider",
    custom: "custom"
  },

  providers: {
    title: "Providers",
    lead: (count: number) =>
      `${count} are known. Find one and connect it; a key is sent to the hosts of its provider only.`,
    filter: "Filter",
    search: "Search",
    searchHint: "name, host or subject",
    state: "State",
    states: {
      all: "All",
      connected: "Connected",
      attention: "Needs attention",
      not_connected: "Not connected"
    },
    type: "Login",
    types: { all: "All", oauth2: "OAuth", api_key: "API key" },
    category: "Category",
    allCategories: "All",
    apply: "Show",
    reset: "Show all",
    attention: "needs attention",
    found: (count: number) => count === 0 ? "No provider fits." : `${plural(count, "provider")}.`,
    range: (from: number, to: number, count: number) => `${from} to ${to} of ${plural(count, "provider")}.`,
    none: html`No provider fits. One of your own is added with <code>credsvc register</code>.`,
    custom: "custom",
    previous: "Previous",
    next: "Next",
    pages: "More providers",
    categoryName: (category: string) =>
      categories[category] ?? `${category.charAt(0).toUpperCase()}${category.slice(1)}`
  },

  provider: {
    crumb: "All providers",
    fallback: (name: string) => `Provider ${name}`,
    documentation: "Documentation",
    credentials: { api_key: "Keys are made at", oauth2: "Apps are made at" },
    custom: "Custom provider.",
    replaces: "Its definition was added on this computer and replaces the one that credsvc ships.",
    added: "Its definition was added on this computer and does not come with credsvc.",
    connections: "Connections",
    none: "Not connected yet.",
    says: (count: number, attention: number) =>
      `${connections(count)}${attention === 0 ? "" : `, ${attention} needing attention`}.`,
    connect: (displayName: string) => `Connect ${displayName}`,
    connectAnother: "Add a connection",
    name: "Name of the connection",
    nameHint: "Letters, digits, dot, underscore, @ and hyphen. Programs use the default one unless they name another.",
    flow: "Way to log in",
    tenant: "Address of your account",
    tenantHint: (form: string) => `In the form ${form}`,
    scopes: "Scopes",
    scopesHint: "What the provider is asked to allow, divided by spaces. Left empty: what the definition asks for.",
    more: "More choices",
    button: "Connect",
    where: "Where the credential goes",
    hosts: "Sent only to",
    noHosts: "The hosts follow from the address of your account.",
    carriers: "Sent as",
    variables: "Variables of programs",
    variablesHint: html`Programs under <code>credsvc run</code> find a placeholder in them, never the value.`,
    redirect: "Redirect URI",
    redirectHint: "To enter where the provider asks for one.",
    copy: "Copy",
    copied: "Copied",
    about: "About this provider",
    nameInCommands: "Name in commands",
    login: "Login",
    categories: "Categories",
    alternatives: "Other ways in",
    notes: "Good to know",
    end: "End all access",
    endText: (count: number) =>
      count === 1 ? "Revokes and removes the connection." : `Revokes and removes all ${count} connections.`,
    revoke: "Revoke"
  },

  flows,

  already: {
    title: (displayName: string) => `${displayName} is connected already`,
    text: (connection: string) =>
      html`There is a connection <code>${connection}</code>. You can replace its credential, or go back and give the new one another name. Until the new login is complete, the old credential stays.`,
    replace: "Replace it",
    back: "Go back"
  },

  input: {
    title: {
      client: (displayName: string) => `Enter the OAuth app for ${displayName}`,
      key: (displayName: string) => `Enter the API key for ${displayName}`,
      fields: (displayName: string) => `Enter the credentials for ${displayName}`
    },
    errorTitle: (title: string) => `Error: ${title}`,
    lead: (recipient: string | null) =>
      html`What you enter is encrypted on this computer and sent only to ${
        recipient === null ? "the hosts below" : html`<strong>${recipient}</strong>`
      }. Programs that you start with <code>credsvc run</code> do not receive it.`,
    onlyIfKnown: "Go on only if you know the hosts below.",
    ownApp: "You need an OAuth app of your own at the provider",
    redirect: "Its redirect URI has to be:",
    optional: "may be left empty",
    entered: "What was entered",
    getIt: "Get it at",
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
    enter: "and enter:",
    scan: "Or with a phone:",
    qr: "QR code of the address",
    or: "Or",
    filledIn: "open the page with the code filled in",
    compare: ", and compare it with the one above.",
    notices: "This page notices by itself when you have finished."
  },

  login: {
    completed: (displayName: string) => `${displayName} is connected`,
    stored: (connection: string) =>
      html`The connection is stored as <code>${connection}</code>. You can close this tab.`,
    use: html`Use it with: <code>credsvc run -- your-command</code>`,
    dashboard: "See it on the dashboard",
    again: (provider = "<provider>") => html`To try again: <code>credsvc login ${provider}</code>`,
    cancelled: (displayName: string) => `Login to ${displayName} cancelled`,
    nothingStored: "Nothing was stored. You can close this tab.",
    cancelledNotice: "The login was cancelled. Nothing was stored.",
    connectedNotice: (displayName: string, connection: string) =>
      html`${displayName} is connected as <code>${connection}</code>.`,
    failed: (displayName: string) => `Login to ${displayName} failed`,
    waiting: (displayName: string) => `Finishing the login to ${displayName}`,
    onward: (displayName: string) => `Log in to ${displayName}`,
    onwardText: "Sign in there and allow the access; you come back by yourself.",
    goOn: (host: string) => `Go on to ${host}`,
    cancel: "Cancel",
    noAddress: "The provider's address is not one to open:",
    expired: "This login has expired",
    expiredText: "It was open for as long as the provider and credsvc allow. Nothing was stored.",
    unknown: "There is no such login",
    unknownText: "The link is not complete, or the login has ended.",
    stale: (displayName: string) => `Form for ${displayName} already submitted`,
    staleText: "Submitting it again changed nothing.",
    staleLink: "Show the current step",
    stray: "This answer belongs to no login",
    strayText: "The login that it was for has ended, or was not started from this computer. Nothing was changed."
  },

  disconnect: {
    title: (displayName: string, connection: string) => `Disconnect ${displayName}, ${connection}?`,
    erased: "Its credential is erased on this computer.",
    programs: html`Programs under <code>credsvc run</code> lose this access with their next request.`,
    stays: (displayName: string) => `At ${displayName} the credential stays valid.`,
    instead: "Revoke all connections instead",
    keysAt: "Delete the key there:",
    nextDefault: (name: string) => html`<code>${name}</code> becomes the default.`,
    button: "Disconnect",
    back: "Keep it",
    done: (connection: string) => `${connection} is disconnected.`,
    doneDefault: (connection: string, next: string) => `${connection} is disconnected. ${next} is the default now.`
  },

  makeDefault: {
    title: (connection: string) => `Make ${connection} the default?`,
    text: html`Programs that name no connection use it from their next request on.`,
    instead: (name: string) => html`So far they use <code>${name}</code>, which stays connected.`,
    button: "Make it the default",
    back: "Leave it",
    done: (connection: string) => `${connection} is the default now.`
  },

  revoke: {
    title: (displayName: string) => `Revoke all access to ${displayName}?`,
    connections: (count: number) => `${count === 1 ? "This connection ends" : `These ${count} connections end`}:`,
    atProvider: (displayName: string) => `${displayName} is asked to make the tokens invalid.`,
    noEndpoint: (displayName: string) =>
      `credsvc cannot make a key of ${displayName} invalid: it only erases it here. Delete it at the provider too.`,
    erased: "The credentials are erased on this computer, and so is the client registered for them.",
    cannotUndo: "This cannot be undone.",
    button: "Revoke",
    back: "Keep them",
    done: (count: number, contacted: boolean) =>
      `${plural(count, "connection is", "connections are")} removed${contacted ? ", and the provider was told" : ""}.`,
    failed: "The provider could not be told everything:"
  },

  activity: {
    title: "Activity",
    lead:
      "Who used what, and every change. The log is chained: what was altered or removed later is found by verifying it.",
    provider: "Provider",
    event: "What",
    status: "Outcome",
    all: "All",
    apply: "Show",
    when: "When",
    connection: "Connection",
    profile: "Profile",
    none: "No entry fits.",
    older: "Older",
    newest: "Newest",
    pages: "More entries",
    table: "Entries, newest first",
    verify: "Verify the log",
    intact: (entries: number, head: string) =>
      html`<strong>The log is intact.</strong> ${plural(entries, "entry", "entries")}, ending in <code>${
        head.slice(0, 16)
      }</code>.`,
    broken: (problem: string) => html`<strong>The log could not be verified.</strong> ${problem}`,
    back: "All activity"
  },
  events,
  outcomes,

  settings: {
    title: "Settings",
    lead:
      html`How this credsvc is set up. It is changed with <code>credsvc</code> commands and <code>config.json</code>.`,
    profile: "Profile",
    active: "active",
    profilesHint:
      html`Each profile has connections of its own. Another is chosen with <code>credsvc profile use</code>.`,
    made: "made",
    program: "Program",
    version: "Version",
    apiVersion: "Interface",
    address: "Address",
    redirect: "Redirect URI",
    home: "Data",
    key: "Master key",
    mode: "Mode",
    source: "Source",
    noSource: "not reachable",
    checks: "Checks",
    checksText: "Tries out the vault, and reads the whole store and log.",
    run: "Run all checks"
  },

  checks: {
    title: "Checks",
    status: { ok: "Everything is in order.", degraded: "It works, with warnings.", unhealthy: "Something is wrong." },
    names: checks,
    words: { ok: "ok", warning: "warning", failed: "failed" },
    warnings: "Warnings",
    problems: "Problems",
    again: "Run them again",
    back: "Settings"
  },

  failure: {
    stale: {
      title: "This page is too old",
      text: "Nothing was changed. Open it again and repeat what you did."
    },
    noProvider: { title: "There is no such provider", text: "See the known ones on the dashboard." },
    noConnection: { title: "There is no such connection", text: "It may have been removed meanwhile." },
    badName: "is not a name for a connection: letters, digits, dot, underscore, @ and hyphen, 64 at most",
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

/** A sentence for people: with a capital letter and a full stop. */
export const sentence = (text: string): string => {
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  // A full stop after a command would be typed with it.
  return /[.!?:]$|: credsvc [^.]*$/.test(begun) ? begun : `${begun}.`
}

/** What is wrong with a field: a sentence of its own, or the end of one that begins with the field's label. */
export const fieldError = (label: string, message: string): string =>
  sentence(/^[a-z]/.test(message) ? `${label} ${message}` : message)

export const list = (items: ReadonlyArray<string>): Html =>
  html`<ul>${items.map((item) => html`<li><code>${item}</code></li>`)}</ul>`
