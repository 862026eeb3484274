import { assert, describe, it } from "@effect/vitest"
import { ResolveBatch } from "../../../src/proxy/routing/ResolveBatch.ts"

/** Waits until a pending call has started. */
const turn = async () => {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
}

const setUp = () => {
  const calls: Array<{ readonly request: string; readonly done: (outcome: string) => void }> = []
  const batch = new ResolveBatch<string, string>((request, done) => {
    calls.push({ request, done })
  })
  const outcomes: Array<string> = []
  const ask = (key: string, name: string) =>
    batch.ask(key, key, { settled: (outcome) => outcomes.push(`${name}:${outcome}`) })
  return { calls, outcomes, ask }
}

describe("ResolveBatch", () => {
  it("shares one call among the requests of an event-loop turn", async () => {
    const { ask, calls, outcomes } = setUp()
    ask("k", "a")
    ask("k", "b")
    await turn()
    assert.lengthOf(calls, 1)
    calls[0]?.done("1")
    assert.deepStrictEqual(outcomes, ["a:1", "b:1"])
  })

  it("starts calls immediately while requests are sequential, and collects requests once some were simultaneous", async () => {
    const { ask, calls, outcomes } = setUp()
    for (let sequential = 0; sequential < 4; sequential++) {
      ask("k", "a")
      assert.lengthOf(calls, sequential)
      await turn()
      calls[sequential]?.done("1")
    }
    ask("k", "b")
    assert.lengthOf(calls, 5)
    ask("k", "c")
    ask("k", "d")
    calls[4]?.done("2")
    assert.lengthOf(calls, 5)
    await turn()
    assert.lengthOf(calls, 6)
    calls[5]?.done("3")
    ask("k", "e")
    assert.lengthOf(calls, 6)
    await turn()
    assert.lengthOf(calls, 7)
    calls[6]?.done("4")
    assert.deepStrictEqual(outcomes, ["a:1", "a:1", "a:1", "a:1", "b:2", "c:3", "d:3", "e:4"])
  })

  it("makes no call for a request whose outcome is known", async () => {
    let known: string | undefined = "1"
    const calls: Array<string> = []
    const batch = new ResolveBatch<string, string>((request) => calls.push(request), () => known)
    const outcomes: Array<string> = []
    const ask = () => batch.ask("k", "k", { settled: (outcome) => outcomes.push(outcome) })
    ask()
    known = undefined
    ask()
    await turn()
    assert.deepStrictEqual([outcomes, calls], [["1"], ["k"]])
  })

  it("serves a request only from a call that began after the request arrived", async () => {
    const { ask, calls, outcomes } = setUp()
    ask("k", "early")
    await turn()
    ask("k", "late")
    ask("k", "later")
    calls[0]?.done("old")
    assert.deepStrictEqual(outcomes, ["early:old"])
    await turn()
    assert.lengthOf(calls, 2)
    calls[1]?.done("new")
    assert.deepStrictEqual(outcomes, ["early:old", "late:new", "later:new"])
  })

  it("does not cache an outcome", async () => {
    const { ask, calls } = setUp()
    ask("k", "a")
    await turn()
    calls[0]?.done("1")
    ask("k", "b")
    await turn()
    assert.lengthOf(calls, 2)
  })

  it("has at most one active call per key and does not mix keys", async () => {
    const { ask, calls } = setUp()
    for (let i = 0; i < 5; i++) {
      ask("k", "a")
      ask("l", "b")
      await turn()
    }
    assert.deepStrictEqual(calls.map(({ request }) => request).toSorted(), ["k", "l"])
  })

  it("ignores a second outcome of a call", async () => {
    const { ask, calls, outcomes } = setUp()
    ask("k", "a")
    await turn()
    ask("k", "b")
    calls[0]?.done("1")
    await turn()
    calls[0]?.done("again")
    assert.deepStrictEqual(outcomes, ["a:1"])
    calls[1]?.done("2")
    assert.deepStrictEqual(outcomes, ["a:1", "b:2"])
  })
})
