import { afterEach, describe, expect, it, vi } from "vitest"
import type { ProxyRoutes } from "../../../src/domain/wire/ProxyRoutes.ts"
import * as RouteTable from "../../../src/proxy/routing/RouteTable.ts"
import { RouteWatch } from "../../../src/proxy/routing/RouteWatch.ts"
import { route } from "../../support/ProxyHarness.ts"
import { turn } from "../../support/UpstreamPeer.ts"

/** The routes of one host, whose name contains the version. */
const list = (version: string): ProxyRoutes => ({
  version,
  routes: [route(`v${version}.example`, "example")],
  placeholders: [],
  baseUrls: [],
  cloudIdentities: []
})

const setUp = () => {
  const calls: Array<{ readonly version: string; readonly done: (list: ProxyRoutes | undefined) => void }> = []
  const first = list("1")
  const watch = new RouteWatch(
    RouteTable.make(first.version, first.routes),
    {},
    (version, done) => void calls.push({ version, done })
  )
  const told: Array<string> = []
  /** Starts a lookup and waits for the call to the daemon. */
  const ask = async () => {
    const before = calls.length
    watch.refreshed({ settled: ({ version }) => told.push(version) })
    while (calls.length === before) await turn()
  }
  return { ask, calls, told, watch }
}

afterEach(() => {
  vi.useRealTimers()
})

describe("RouteWatch", () => {
  it("uses the daemon's table, and keeps the previous table if it has not changed", async () => {
    const { ask, calls, told, watch } = setUp()
    await ask()
    calls[0]?.done(list("2"))
    await ask()
    calls[1]?.done(undefined)
    expect(calls.map(({ version }) => version)).toEqual(["1", "2"])
    expect(told).toEqual(["2", "2"])
    expect(watch.current.patterns).toEqual(["v2.example"])
  })

  it("uses the previous table if the daemon takes two seconds, and the late response afterwards", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { ask, calls, told, watch } = setUp()
    await ask()
    vi.advanceTimersByTime(1999)
    expect(told).toEqual([])
    vi.advanceTimersByTime(1)
    expect(told).toEqual(["1"])
    calls[0]?.done(list("2"))
    expect(told).toEqual(["1"])
    expect(watch.current.version).toBe("2")
  })

  it("drops responses that arrive out of order", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    for (const [answer, version] of [[list("3"), "3"], [undefined, "1"]] as const) {
      const { ask, calls, told, watch } = setUp()
      await ask()
      vi.advanceTimersByTime(2000)
      await ask()
      calls[1]?.done(answer)
      calls[0]?.done(list("2"))
      expect(watch.current.version).toBe(version)
      await ask()
      expect(calls[2]?.version).toBe(version)
      expect(told).toEqual(["1", version])
    }
  })
})
