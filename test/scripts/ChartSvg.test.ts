import { assert, describe, it } from "vitest"
import { chartSvg } from "../../scripts/bench/lib/ChartSvg.ts"

const chart = {
  name: "throughput",
  title: "Requests & responses",
  unit: "/s",
  bars: [{ label: "credsvc", value: 6453.2 }, { label: "<others>", value: 3226.6 }]
}

describe("chartSvg", () => {
  it("draws bars in proportion to their values, and always the same text for the same values", () => {
    const svg = chartSvg(chart)
    assert.strictEqual(chartSvg(structuredClone(chart)), svg)
    const lengths = [...svg.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, length]) => Number(length))
    assert.deepStrictEqual(lengths, [370, 185])
    assert.include(svg, "6453/s")
  })

  it("escapes labels, and has colors for light and dark pages", () => {
    const svg = chartSvg(chart)
    assert.include(svg, "&lt;others&gt;")
    assert.include(svg, "Requests &amp; responses")
    assert.notInclude(svg, "<others>")
    assert.include(svg, "prefers-color-scheme: dark")
  })
})
