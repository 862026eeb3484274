/** The page `/ui/settings`. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { apiVersion } from "../../domain/wire/ApiVersion.ts"
import type { Profile } from "../../domain/wire/Profile.ts"
import { type Html, html } from "../pages/Html.ts"
import { copyable } from "./Elements.ts"
import { dashboardPage, type Moment } from "./Frame.ts"
import { relativeTime } from "./Times.ts"

interface Settings {
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
    active && html`<span class="pill ok">active</span>`
  }<p class="small">created ${relativeTime(createdAt, now)}</p></div></li>`

export const settingsPage = (
  { address, home, key, moment, profiles, redirectUri, version }: Settings
): HttpServerResponse =>
  dashboardPage(200, {
    title: "Settings",
    section: "settings",
    moment,
    content: html`<h1>Settings</h1>
<p class="lead">The configuration of this credsvc. Change it with <code>credsvc</code> commands or <code>config.json</code>.</p>
<div class="columns"><div class="stack">
<section class="card" aria-labelledby="program-title"><h2 id="program-title">Program</h2>
<dl>
<dt>Version</dt><dd>${version}</dd>
<dt>API version</dt><dd>${apiVersion}</dd>
<dt>Address</dt><dd>${copyable("address", address)}</dd>
<dt>Redirect URI</dt><dd>${copyable("redirect-uri", redirectUri)}</dd>
<dt>Data directory</dt><dd>${copyable("home", home)}</dd>
</dl></section>
<section class="card" aria-labelledby="key-title"><h2 id="key-title">Master key</h2>
<dl>
<dt>Mode</dt><dd><code>${key.mode}</code></dd>
<dt>Source</dt><dd>${
      key.source === null ? "unavailable" : html`<code>${key.source}</code>`
    }<p class="hint">${key.description}</p></dd>
</dl></section>
</div><div class="stack">
<section class="card" id="profiles" data-live aria-labelledby="profile-title"><h2 id="profile-title">Profile</h2>
<ul class="rows">${profiles.map((profile) => profileRow(profile, moment))}</ul>
<p class="hint">Each profile has its own connections. Switch with <code class="command">credsvc profile use</code>.</p></section>
</div></div>`
  })
