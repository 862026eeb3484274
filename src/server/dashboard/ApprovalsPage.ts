/**
 * The page `/ui/approvals`: requests outside the rules of runs, which wait for the user.
 *
 * A shown request stays where it is until the page is loaded again. Otherwise a program could withdraw its request just
 * before a click, which would then approve the next one. For the same reason the buttons appear only some time after
 * the page has loaded or the pointer has entered it: the user may still be clicking on the previous page.
 */
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { type Answer, type Question, requestText } from "../../domain/rules/Question.ts"
import { type Html, html, type HtmlValue, postForm } from "../pages/Html.ts"
import { answerPath, approvalsPath } from "./DashboardPaths.ts"
import { dashboardPage, type Moment } from "./Frame.ts"
import { absoluteTime } from "./PageTimes.ts"

const answers: Readonly<Record<Answer, { readonly button: string; readonly done: string }>> = {
  once: { button: "Allow once", done: "Allowed once:" },
  run: { button: "Allow for this run", done: "Allowed for this run:" },
  always: { button: "Always allow", done: "Always allowed:" },
  no: { button: "Deny", done: "Denied for this run:" }
}

const requestOf = (question: Question): Html => html`<code>${requestText(question)}</code>`

const list = (items: ReadonlyArray<string>): HtmlValue =>
  items.map((item, at) => html`${at > 0 && ", "}<code>${item}</code>`)

/** Describes the effect of an answer, for a notice. */
export const answeredText = (question: Question, answer: Answer): Html =>
  answer === "once" || answer === "no"
    ? html`<p>${answers[answer].done} ${requestOf(question)}</p>`
    : html`<p>${answers[answer].done} ${
      question.tokens === undefined ? list(question.rules) : "any number of tokens"
    }</p>`

const answerButton = (answer: Answer, kind: string): Html =>
  html`<button class="${kind}" name="answer" value="${answer}">${answers[answer].button}</button>`

const card = (question: Question): Html => {
  const { expiresAt, id, policies, program, rules, run, tokens } = question
  return html`<section class="card" aria-labelledby="question-${id}"><h2 id="question-${id}">${requestOf(question)}</h2>
<dl>
<dt>Run</dt><dd><code>${run}</code>${program !== undefined && html` ${program}`}</dd>
${
    tokens === undefined
      ? html`<dt>Rule</dt><dd>${
        rules.length === 0 ? "No rule can allow this request, so it can be allowed only once." : list(rules)
      }</dd>`
      : html`<dt>Tokens</dt><dd>${tokens} used, which is the limit of the run</dd>`
  }
${policies.length > 0 && html`<dt>Policies</dt><dd>${list(policies)}</dd>`}
<dt>Waits until</dt><dd>${absoluteTime(expiresAt)}</dd>
</dl>
${
    postForm(
      answerPath(id),
      html`<div class="actions late">${answerButton("once", "outline")} ${
        (rules.length > 0 || tokens !== undefined) && answerButton("run", "outline")
      } ${policies.length > 0 && answerButton("always", "outline")} ${answerButton("no", "danger")}</div>`
    )
  }
</section>`
}

export const approvalsPage = ({ moment, notice, questions }: {
  readonly moment: Moment
  readonly questions: ReadonlyArray<Question>
  readonly notice: Html | undefined
}): HttpServerResponse =>
  dashboardPage(200, {
    title: "Approvals",
    section: "approvals",
    moment,
    notice,
    content: html`<h1>Approvals</h1>
<p class="lead">Requests outside the rules of runs that were started with <code class="command">credsvc run --ask</code>.</p>
<div id="questions" class="stack"${questions.length === 0 && html` data-live`}>${
      questions.length === 0
        ? html`<section class="card"><p class="empty">No request waits for your approval.</p></section>`
        : questions.map(card)
    }</div>
<p id="waiting" role="status" data-live>${
      questions.length > 0 &&
      html`${
        questions.length === 1 ? "1 request waits for you." : `${questions.length} requests wait for you.`
      } <a href="${approvalsPath}">Reload</a>`
    }</p>`
  })
