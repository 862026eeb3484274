/** The status of a connection in words, and its row in a list. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import { type LastUses, useKey } from "../../audit/AuditLog.ts"
import type { Connection } from "../../domain/wire/Connection.ts"
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { sentence } from "../pages/Sentences.ts"
import { anchorOf } from "./DashboardPaths.ts"
import { absolute, relative, relativeTime } from "./PageTimes.ts"

/** How urgent a connection is. `bad`: unusable. `soon`: it expires within 24 hours, or its last refresh failed. */
export type Tone = "ok" | "soon" | "bad"

export interface Standing {
  readonly tone: Tone
  readonly word: string
  /** What is wrong and what to do. Absent if nothing is wrong. */
  readonly reason?: string
}

const soon = Duration.hours(24)

/** Adapts a message of the daemon to a page, where a login is a button instead of a command. */
export const reasonOf = (told: string): string =>
  sentence(told.replace(/Log in again with: credsvc .*$/s, "Log in again."))

const bad = (word: string, reason: string): Standing => ({ tone: "bad", word, reason })

const needsLogin = "The credential has expired and cannot be refreshed. Log in again."
const notValid = "The credential is no longer valid. Log in again."

const ownStandingOf = (connection: Connection, now: DateTime.Utc): Standing => {
  const { expiresAt, lastRefreshError, refusedAt, renewable, status } = connection
  switch (status) {
    case "expired":
      return bad("expired", reasonOf(lastRefreshError ?? needsLogin))
    case "invalid":
      if (refusedAt === null) return bad("not usable", reasonOf(lastRefreshError ?? notValid))
      return bad(
        "refused",
        `The provider refused this credential on ${absolute(refusedAt)} (${
          relative(refusedAt, now)
        }). Check it again, or log in again.`
      )
    case "not_connected":
      return bad("not connected", notValid)
    case "connected": {
      if (lastRefreshError !== null) {
        const reason = reasonOf(`The last refresh failed: ${lastRefreshError}`)
        return { tone: "soon", word: "refresh failed", reason }
      }
      if (expiresAt === null || renewable) return { tone: "ok", word: "connected" }
      if (DateTime.isLessThanOrEqualTo(expiresAt, now)) return bad("expired", needsLogin)
      if (!DateTime.isLessThan(expiresAt, DateTime.addDuration(now, soon))) return { tone: "ok", word: "connected" }
      const reason = `Expires ${
        relative(expiresAt, now)
      } and cannot be refreshed automatically. Log in again before then.`
      return { tone: "soon", word: "expires soon", reason }
    }
  }
}

export const standingOf = (connection: Connection, now: DateTime.Utc): Standing => {
  const standing = ownStandingOf(connection, now)
  // Only the owner of a granted connection can do what the reason asks for.
  return connection.grantedBy === undefined ? standing : { tone: standing.tone, word: standing.word }
}

const details = (connection: Connection, uses: LastUses, now: DateTime.Utc): Html => {
  const { account, connectionName, expiresAt, fields = {}, grantedBy, obtainedAt, provider, renewable, scopes } =
    connection
  const used = uses.get(useKey(provider, connectionName))?.timestamp
  const label = account.label ?? account.id
  const parts: ReadonlyArray<HtmlValue> = [
    grantedBy === undefined ? null : `granted by ${grantedBy}`,
    label,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    used === undefined
      ? "not used recently"
      : html`used ${relativeTime(used, now)}`,
    renewable
      ? "refreshed automatically"
      : expiresAt === null
      ? null
      : html`${DateTime.isLessThan(expiresAt, now) ? "expired" : "expires"} ${relativeTime(expiresAt, now)}`,
    html`connected ${relativeTime(obtainedAt, now)}`,
    scopes.length === 0 ? null : scopes.join(" ")
  ]
  return html`<p class="small">${
    parts.filter((part) => part !== null).map((part, index) => [index > 0 && " · ", part])
  }</p>`
}

export const pill = ({ tone, word }: Pick<Standing, "tone" | "word">): Html =>
  html`<span class="pill ${tone}">${word}</span>`

interface RowOptions {
  readonly uses: LastUses
  readonly now: DateTime.Utc
  readonly name: HtmlValue
  /** Whether the row has an anchor. True only on the provider's page, where connection names are unique. */
  readonly id: boolean
  readonly actions: HtmlValue
  readonly brief?: boolean
}

export const connectionRow = (connection: Connection, { actions, brief, id, name, now, uses }: RowOptions): Html => {
  const standing = standingOf(connection, now)
  return html`<li${id && html` id="${anchorOf(connection.connectionName)}"`}>
<div class="what"><strong>${name}</strong> ${pill(standing)}${
    connection.isDefault && html` <span class="pill">used by default</span>`
  }
${details(connection, uses, now)}
${
    brief !== true && standing.reason !== undefined &&
    html`<p class="small${standing.tone === "bad" && " bad-text"}">${standing.reason}</p>`
  }
</div>
${actions !== undefined && html`<div class="acts${id && " below"}">${actions}</div>`}
</li>`
}

/** Counts connections that need the user. The result ends a sentence. */
export const needsAttention = (count: number): string =>
  `${count === 0 ? "none" : count} ${count === 1 ? "needs" : "need"} attention`
