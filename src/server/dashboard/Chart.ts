/** Draws counts over time as bars, as SVG without a script. */
import { type Html, html, type HtmlValue } from "../pages/Html.ts"
import { texts } from "../pages/Texts.ts"
import { type Outcome, type Outcomes, type Series, totalOf } from "./RequestCounts.ts"

/** From the bottom of a bar to its top. */
const outcomes: ReadonlyArray<Outcome> = ["succeeded", "failed", "refused"]

const height = 100
const step = 10
const gap = 2
/** The least height of a part of a bar that is not zero, so that one refusal among thousands of requests is visible. */
const leastHeight = 3

/** A round number at or above the highest bar. */
const ceilingOf = (highest: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= highest)!
}

export const highestOf = ({ intervals }: Series): number => Math.max(...intervals.map(totalOf))

const describe = (outcome: Outcomes): string =>
  outcomes.map((name) => texts.requests.counted[name](outcome[name])).join(", ")

interface Part {
  readonly outcome: Outcome
  readonly x: number
  readonly y: number
  readonly height: number
}

const partsOf = (counts: Outcomes, index: number, ceiling: number): ReadonlyArray<Part> => {
  let top = height
  return outcomes.filter((outcome) => counts[outcome] > 0).map((outcome) => {
    const size = Math.max(leastHeight, Math.round(counts[outcome] / ceiling * height))
    top = Math.max(0, top - size)
    return { outcome, x: index * step + gap / 2, y: top, height: size }
  })
}

/** The chart is an image for assistive technology: a table has the same numbers. */
const image = ({ intervals, total }: Series, name: string, kind: "large" | "small", content: HtmlValue): Html =>
  html`<svg class="chart ${kind}" viewBox="0 0 ${
    intervals.length * step
  } ${height}" preserveAspectRatio="none" role="img" aria-label="${name}: ${
    describe(total)
  }">${content}<path class="axis" d="M0 ${height}H${intervals.length * step}"/></svg>`

/** A chart with its axes. `labels` name the intervals. */
export const chart = (series: Series, labels: ReadonlyArray<string>, name: string): Html => {
  const ceiling = ceilingOf(highestOf(series))
  const width = series.intervals.length * step
  const bars = series.intervals.map((counts, index) =>
    totalOf(counts) > 0 &&
    html`<g><title>${labels[index]}: ${describe(counts)}</title><rect class="hover" x="${
      index * step
    }" y="0" width="${step}" height="${height}"/>${
      partsOf(counts, index, ceiling).map(({ height, outcome, x, y }) =>
        html`<rect class="${outcome}" x="${x}" y="${y}" width="${step - gap}" height="${height}"/>`
      )
    }</g>`
  )
  return html`<figure class="plot"><div class="scale" aria-hidden="true"><span>${ceiling}</span><span>${
    ceiling % 2 === 0 && ceiling / 2
  }</span><span>0</span></div>${
    image(series, name, "large", [html`<path class="grid" d="M0 0H${width}M0 50H${width}"/>`, bars])
  }<div class="span" aria-hidden="true"><span>${labels[0]}</span><span>${
    labels[Math.floor(labels.length / 2)]
  }</span><span>${labels.at(-1)}</span></div></figure>`
}

/** A small chart for a row of a table. `highest` gives all rows the same scale. */
export const sparkline = (series: Series, highest: number, name: string): Html => {
  const parts = series.intervals.flatMap((counts, index) => partsOf(counts, index, Math.max(1, highest)))
  const drawn = (outcome: Outcome): string =>
    parts.filter((part) => part.outcome === outcome).map(({ height, x, y }) =>
      `M${x} ${y}h${step - gap}v${height}h${gap - step}z`
    ).join("")
  return image(
    series,
    name,
    "small",
    outcomes.map((outcome) => series.total[outcome] > 0 && html`<path class="${outcome}" d="${drawn(outcome)}"/>`)
  )
}

export const legend: Html = html`<ul class="legend" aria-hidden="true">${
  outcomes.map((name) => html`<li class="${name}">${texts.requests.outcomes[name]}</li>`)
}</ul>`
