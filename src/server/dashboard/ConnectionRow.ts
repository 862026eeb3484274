/** The status of a connection in words, and its row in a list. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import type { Connection } from "../../domain/wire/Connection.ts"
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { sentence, texts } from "../pages/Texts.ts"
import { anchorOf } from "./Places.ts"
import { absolute, relative, relativeTime } from "./Times.ts"

/** `bad`: unusable. `soon`: usable, but will need the user soon. */
export type Tone = "ok" | "soon" | "bad"

export interface Standing {
  readonly tone: Tone
  readonly word: string
  /** What is wrong and what to do. Absent if nothing is. */
  readonly reason?: string
}

const soon = Duration.hours(24)
const { word } = texts.connection

/** Adapts a message of the daemon to a page, where a login is a button instead of a command. */
export const reasonOf = (told: string): string =>
  sentence(told.replace(/Log in again with: credsvc .*$/s, `${texts.connection.loginAgain}.`))

const ownStandingOf = (connection: Connection, now: DateTime.Utc): Standing => {
  const { expiresAt, lastRefreshError, refusedAt, renewable, status } = connection
  switch (status) {
    case "expired":
      return { tone: "bad", word: word.expired, reason: reasonOf(lastRefreshError ?? texts.connection.expiredText) }
    case "invalid":
      if (refusedAt !== null) {
        const reason = texts.connection.refusedText(absolute(refusedAt), relative(refusedAt, now))
        return { tone: "bad", word: word.refused, reason }
      }
      return { tone: "bad", word: word.invalid, reason: reasonOf(lastRefreshError ?? texts.connection.invalidText) }
    case "not_connected":
      return { tone: "bad", word: word.not_connected, reason: texts.connection.invalidText }
    case "connected":
      if (lastRefreshError !== null) {
        return {
          tone: "soon",
          word: word.failing,
          reason: reasonOf(texts.connection.refreshFails(lastRefreshError))
        }
      }
      if (expiresAt === null || renewable) return { tone: "ok", word: word.ok }
      if (DateTime.isLessThanOrEqualTo(expiresAt, now)) {
        return { tone: "bad", word: word.expired, reason: texts.connection.expiredText }
      }
      return DateTime.isLessThan(expiresAt, DateTime.addDuration(now, soon))
        ? { tone: "soon", word: word.soon, reason: texts.connection.expiresSoon(relative(expiresAt, now)) }
        : { tone: "ok", word: word.ok }
  }
}

export const standingOf = (connection: Connection, now: DateTime.Utc): Standing => {
  const { reason, ...standing } = ownStandingOf(connection, now)
  // Only the owner of a granted connection can do what the reason asks for.
  return reason === undefined || connection.grantedBy !== undefined ? standing : { ...standing, reason }
}

/** The time of each connection's last use, by {@link useKey}. */
export type LastUses = ReadonlyMap<string, DateTime.Utc>

export const useKey = (provider: string, connection: string): string => `${provider}/${connection}`

const details = (connection: Connection, uses: LastUses, now: DateTime.Utc): Html => {
  const { account, connectionName, expiresAt, fields = {}, grantedBy, obtainedAt, provider, renewable, scopes } =
    connection
  const used = uses.get(useKey(provider, connectionName))
  const label = account.label ?? account.id
  const parts: ReadonlyArray<HtmlValue> = [
    grantedBy === undefined ? null : texts.connection.grantedBy(grantedBy),
    label,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    used === undefined
      ? texts.connection.notUsed
      : html`${texts.connection.used} ${relativeTime(used, now)}`,
    renewable
      ? texts.connection.renewed
      : expiresAt === null
      ? null
      : html`${DateTime.isLessThan(expiresAt, now) ? texts.connection.expiredSince : texts.connection.expires} ${
        relativeTime(expiresAt, now)
      }`,
    html`${texts.connection.since} ${relativeTime(obtainedAt, now)}`,
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
  /** Whether the row has an anchor. Only on the provider's page, where connection names are unique. */
  readonly id: boolean
  readonly actions: HtmlValue
  readonly brief?: boolean
}

export const connectionRow = (connection: Connection, { actions, brief, id, name, now, uses }: RowOptions): Html => {
  const standing = standingOf(connection, now)
  return html`<li${id && html` id="${anchorOf(connection.connectionName)}"`}>
<div class="what"><strong>${name}</strong> ${pill(standing)}${
    connection.isDefault && html` <span class="pill">${texts.connection.default}</span>`
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
