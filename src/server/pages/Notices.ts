/** Notices on pages. */
import { type Html, html, type HtmlValue } from "./Html.ts"

/** Warns that the definition of a provider is not bundled with credsvc. */
export const customNotice = (
  { overridesBundled, source }: { readonly overridesBundled: boolean; readonly source: "bundled" | "custom" },
  more?: string
): Html | undefined =>
  source === "bundled"
    ? undefined
    : html`<div class="notice warn" role="note"><p><strong>Custom provider.</strong> ${
      overridesBundled
        ? "Its definition was added on this computer and replaces the bundled one."
        : "Its definition was added on this computer; credsvc does not include it."
    }${more !== undefined && ` ${more}`}</p></div>`

/** A notice shown once after an action. It receives the focus, so that screen readers announce it. */
export const doneNotice = (tone: "good" | "warn" | "bad", content: HtmlValue): Html =>
  html`<div class="notice ${tone}" role="status" tabindex="-1" autofocus>${content}</div>`
