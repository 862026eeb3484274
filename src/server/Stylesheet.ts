/** The one stylesheet of all pages. System fonts, both colour schemes, no image and no script. */
export const stylesheetPath = "/ui/style.css"

export const stylesheet = `:root {
  color-scheme: light dark;
  --ground: #f6f6f3;
  --card: #ffffff;
  --ink: #1d2126;
  --quiet: #5b636d;
  --line: #dcded9;
  --field: #ffffff;
  --field-line: #8a919a;
  --accent: #1f5f4a;
  --accent-ink: #ffffff;
  --accent-hover: #174a39;
  --tint: #eef4f1;
  --warn: #7a4a00;
  --warn-ground: #fdf3dd;
  --warn-line: #e4c27a;
  --bad: #a3211d;
  --bad-ground: #fdeceb;
  --bad-line: #e5a6a3;
  --shadow: 0 1px 2px rgb(20 24 28 / 6%), 0 8px 28px rgb(20 24 28 / 6%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a;
    --card: #1c2024;
    --ink: #e9ebec;
    --quiet: #a3abb3;
    --line: #31363c;
    --field: #14171a;
    --field-line: #767f89;
    --accent: #7fd1b0;
    --accent-ink: #0d2219;
    --accent-hover: #9fe0c6;
    --tint: #1d2a26;
    --warn: #f1cf8a;
    --warn-ground: #2b2415;
    --warn-line: #6a5526;
    --bad: #ffb3ae;
    --bad-ground: #2e1b1a;
    --bad-line: #7a3a37;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 36rem; margin: 0 auto; padding: 2.5rem 1rem 3rem; }
main.wide { max-width: 52rem; }
.mark {
  display: flex;
  align-items: center;
  gap: .5rem;
  margin: 0 0 1.25rem .25rem;
  color: var(--quiet);
  font-size: .9375rem;
  font-weight: 600;
  letter-spacing: .01em;
  text-decoration: none;
}
.mark svg { width: 1.125rem; height: 1.125rem; fill: none; stroke: var(--accent); stroke-width: 2; }
.card {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: .875rem;
  box-shadow: var(--shadow);
  padding: 1.75rem;
}
.card + .card { margin-top: 1.25rem; }
h1 { margin: 0 0 .375rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; }
h2 { margin: 0; font-size: 1.0625rem; line-height: 1.35; font-weight: 620; }
p { margin: 0 0 1rem; }
.lead { color: var(--quiet); margin-bottom: 1.5rem; }
.small { color: var(--quiet); font-size: .875rem; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:hover { color: var(--accent-hover); }
code, kbd { font: .9em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .375rem; }
label { display: block; margin-bottom: .375rem; font-weight: 600; }
.field { margin-bottom: 1.25rem; }
input[type="text"], input[type="password"] {
  width: 100%;
  padding: .6875rem .8125rem;
  border: 1px solid var(--field-line);
  border-radius: .5rem;
  background: var(--field);
  color: inherit;
  font: 1rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
input:focus-visible { outline-offset: 0; border-color: var(--accent); }
input[aria-invalid="true"] { border-color: var(--bad); }
.hint { margin: .375rem 0 0; color: var(--quiet); font-size: .875rem; }
.error { margin: .375rem 0 0; color: var(--bad); font-size: .9375rem; font-weight: 550; }
.error::before { content: "\\26A0\\FE0E\\00A0"; }
.notice { margin: 0 0 1.25rem; padding: .8125rem 1rem; border: 1px solid; border-radius: .5rem; font-size: .9375rem; }
.notice p:last-child { margin: 0; }
.notice.warn { color: var(--warn); background: var(--warn-ground); border-color: var(--warn-line); }
.notice.bad { color: var(--bad); background: var(--bad-ground); border-color: var(--bad-line); }
.notice strong { font-weight: 650; }
dl { margin: 1.5rem 0 0; padding-top: 1.25rem; border-top: 1px solid var(--line); display: grid; gap: .625rem 1.25rem;
  grid-template-columns: max-content minmax(0, 1fr); font-size: .9375rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
dd ul { margin: 0; padding: 0; list-style: none; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; }
button, .button {
  display: inline-block;
  padding: .6875rem 1.375rem;
  border: 1px solid var(--accent);
  border-radius: .5rem;
  background: var(--accent);
  color: var(--accent-ink);
  font-family: inherit;
  font-size: 1rem;
  font-weight: 600;
  line-height: 1.3;
  text-decoration: none;
  cursor: pointer;
  transition: background-color .12s ease-out;
}
button:hover, .button:hover { background: var(--accent-hover); border-color: var(--accent-hover); color: var(--accent-ink); }
button.plain { background: none; border-color: transparent; color: var(--quiet); padding-inline: .75rem; }
button.plain:hover { color: var(--ink); background: var(--tint); }
button.compact { padding: .375rem .75rem; font-size: .875rem; }
button.outline { background: none; color: var(--accent); border-color: var(--line); }
button.outline:hover { background: var(--tint); color: var(--accent); border-color: var(--accent); }
.code code { font-size: 1.75rem; font-weight: 600; letter-spacing: .08em; }
.done { width: 2.75rem; height: 2.75rem; margin-bottom: 1rem; fill: none; stroke: var(--accent); stroke-width: 2; }
.rows { margin: 1rem 0 0; padding: 0; list-style: none; }
.rows > li {
  display: flex;
  flex-wrap: wrap;
  gap: .375rem .75rem;
  align-items: center;
  padding: .75rem 0;
  border-top: 1px solid var(--line);
}
.rows .name { font-weight: 600; margin-inline-end: auto; }
.rows .name a { color: inherit; }
.rows .name .small { font-weight: 400; display: block; }
.rows form { margin: 0; }
.rows + form { margin-top: 1.5rem; }
.card > :last-child, .card > .rows:last-child > li:last-child { margin-bottom: 0; padding-bottom: 0; }
.pill { padding: .125rem .625rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--quiet); font-size: .8125rem;
  font-weight: 550; white-space: nowrap; }
.pill.connected { color: var(--accent); border-color: var(--accent); }
.pill.expired, .pill.invalid { color: var(--bad); border-color: var(--bad-line); }
.head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline; justify-content: space-between; }
footer { margin: 1.5rem .25rem 0; color: var(--quiet); font-size: .8125rem; }
@media (max-width: 26rem) {
  main { padding-top: 1.25rem; }
  .card { padding: 1.25rem; }
  dl { grid-template-columns: minmax(0, 1fr); gap: .125rem; }
  dd { margin-bottom: .625rem; }
  .actions button { width: 100%; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (forced-colors: active) { .pill, .card, .notice { border: 1px solid; } }
`
