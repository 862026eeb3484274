/** The pages `/ui/settings` and `/ui/checks`. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { apiVersion } from "../../domain/wire/ApiVersion.ts"
import { componentNames, type ComponentStatus, type Readiness } from "../../domain/wire/Health.ts"
import type { Profile } from "../../domain/wire/Profile.ts"
import { type Html, html } from "../pages/Html.ts"
import { sentence, texts } from "../pages/Texts.ts"
import { copyable, crumb } from "./Elements.ts"
import { dashboardPage, type Moment } from "./Frame.ts"
import { checksPath, settingsPath } from "./Places.ts"
import { relativeTime } from "./Times.ts"

export interface Settings {
  readonly moment: Moment
  readonly profiles: ReadonlyArray<Profile>
  readonly version: string
  readonly address: string
  readonly redirectUri: string
  readonly home: string
  readonly key: { readonly mode: string; readonly source: string | null; readonly description: string }
}

const profileRow = ({ active, createdAt, handle }: Profile, { now }: Moment): Html =>
  html`<li><div class="what"><strong>${handle}</strong> ${
    active && html`<span class="pill ok">${texts.settings.active}</span>`
  }<p class="small">${texts.settings.made} ${relativeTime(createdAt, now)}</p></div></li>`

export const settingsPage = (
  { address, home, key, moment, profiles, redirectUri, version }: Settings
): HttpServerResponse => {
  const words = texts.settings
  return dashboardPage(200, {
    title: words.title,
    section: "settings",
    moment,
    content: html`<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
<div class="columns"><div class="stack">
<section class="card" aria-labelledby="program-title"><h2 id="program-title">${words.program}</h2>
<dl>
<dt>${words.version}</dt><dd>${version}</dd>
<dt>${words.apiVersion}</dt><dd>${apiVersion}</dd>
<dt>${words.address}</dt><dd>${copyable("address", address)}</dd>
<dt>${words.redirect}</dt><dd>${copyable("redirect-uri", redirectUri)}</dd>
<dt>${words.home}</dt><dd>${copyable("home", home)}</dd>
</dl></section>
<section class="card" aria-labelledby="key-title"><h2 id="key-title">${words.key}</h2>
<dl>
<dt>${words.mode}</dt><dd><code>${key.mode}</code></dd>
<dt>${words.source}</dt><dd>${
      key.source === null ? words.noSource : html`<code>${key.source}</code>`
    }<p class="hint">${key.description}</p></dd>
</dl></section>
</div><div class="stack">
<section class="card" id="profiles" data-live aria-labelledby="profile-title"><h2 id="profile-title">${words.profile}</h2>
<ul class="rows">${profiles.map((profile) => profileRow(profile, moment))}</ul>
<p class="hint">${words.profilesHint}</p></section>
<section class="card" aria-labelledby="checks-title"><h2 id="checks-title">${words.checks}</h2>
<p class="small">${words.checksText}</p>
<p><a class="button outline" href="${checksPath}">${words.run}</a></p></section>
</div></div>`
  })
}

const tones = { ok: "ok", warning: "soon", failed: "bad" } as const

const checkRow = (name: (typeof componentNames)[number], { message, status }: ComponentStatus): Html =>
  html`<li><div class="what"><strong>${texts.checks.names[name]}</strong><p class="small">${
    sentence(message)
  }</p></div><span class="pill ${tones[status]}">${texts.checks.words[status]}</span></li>`

const sentences = (title: string, tone: "bad" | "warn", items: ReadonlyArray<string>): Html | undefined =>
  items.length === 0
    ? undefined
    : html`<div class="notice ${tone}"><p><strong>${title}</strong></p>${
      items.map((item) => html`<p>${sentence(item)}</p>`)
    }</div>`

export const checksPage = (moment: Moment, report: Readiness): HttpServerResponse => {
  const words = texts.checks
  return dashboardPage(200, {
    title: words.title,
    section: "settings",
    moment,
    narrow: true,
    content: html`${crumb(settingsPath, words.back)}
<section class="card"><h1>${words.title}</h1>
<p class="lead" role="status">${words.status[report.status]}</p>
${sentences(words.problems, "bad", report.problems)}
${sentences(words.warnings, "warn", report.warnings)}
<ul class="rows">${componentNames.map((name) => checkRow(name, report.checks[name]))}</ul>
<p><a class="button outline" href="${checksPath}">${words.again}</a></p>
</section>`
  })
}
