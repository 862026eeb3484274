/** Draws a bar chart as SVG, readable on light and dark pages. The same values always give the same text. */
import type { Chart } from "./Section.ts"

const width = 760
const labelWidth = 300
const valueWidth = 90
const rowHeight = 26
const barHeight = 16
const top = 34

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

const number = (value: number): string => value >= 100 ? value.toFixed(0) : value.toPrecision(3)

/** Pages show the file as an image, so its colors follow the reader's color scheme, not the page. */
const style =
  `text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 } rect { fill: #8c959f }
.first { fill: #0969da } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6e7681 } .first { fill: #4493f8 } }`

/** Candidates without a value have no bar. */
export const chartSvg = ({ title, unit, ...chart }: Chart): string => {
  const bars = chart.bars.filter(({ value }) => !Number.isNaN(value))
  const height = top + bars.length * rowHeight + 6
  const most = Math.max(...bars.map(({ value }) => value))
  const space = width - labelWidth - valueWidth
  const rows = bars.map(({ label, value }, index) => {
    const y = top + index * rowHeight
    const length = Math.max(1, Math.round(space * value / most))
    const baseline = y + 13
    return [
      `<text x="${labelWidth - 8}" y="${baseline}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="2"${
        index === 0 ? " class=\"first\"" : ""
      }/>`,
      `<text x="${labelWidth + length + 6}" y="${baseline}">${number(value)}${escaped(unit)}</text>`
    ].join("\n")
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(`${title}: ${bars.map(({ label, value }) => `${label} ${number(value)}${unit}`).join(", ")}`)}</title>
<style>${style}</style>
<text x="8" y="18" class="title">${escaped(title)}</text>
${rows.join("\n")}
</svg>
`
}
