import { afterEach, assert, describe, it, vi } from "vitest"
import { compileWhenBusy } from "../../src/platform/OptimizingCompilers.ts"

/** The process is busy in a period if it needs at least half of it. */
const options = { periodMilliseconds: 20, busyMilliseconds: 10, periods: 4, idlePeriods: 3 }

const waiting = () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  let needed = 0
  vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: needed * 1000, system: 0 }))
  const enabled = { count: 0 }
  const stop = compileWhenBusy(options, () => void enabled.count++)
  /** Lets one period pass for each character: `b` is busy, `.` is idle. */
  const pass = (periods: string): void => {
    for (const period of periods) {
      needed = period === "b" ? options.busyMilliseconds : options.busyMilliseconds - 1
      vi.advanceTimersByTime(options.periodMilliseconds)
    }
  }
  return { enabled, pass, stop }
}

describe("OptimizingCompilers", () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  for (
    const [title, periods, count] of [
      ["enables the compilers once when the process has been busy", "bbbbbbbbbb", 1],
      ["leaves them off while the process is idle", "..........", 0],
      ["leaves them off after fewer busy periods", "bbb", 0],
      ["counts busy periods across short pauses", "b..b..b..b", 1],
      ["forgets busy periods after a long pause", "bbb...bbb", 0]
    ] as const
  ) {
    it(title, () => {
      const { enabled, pass } = waiting()
      pass(periods)
      assert.strictEqual(enabled.count, count)
    })
  }

  it("stops waiting", () => {
    const { enabled, pass, stop } = waiting()
    pass("bbb")
    stop()
    pass("bbbb")
    assert.strictEqual(enabled.count, 0)
  })
})
