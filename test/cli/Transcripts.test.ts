import { assert, describe, it, onTestFinished } from "vitest"
import { check, matches, openWorkplace, transcripts } from "../support/Transcript.ts"

describe("the built program", () => {
  for (const { file, steps, title } of transcripts()) {
    it(`${file}: ${title}`, async () => {
      assert.isAbove(steps.length, 0)
      const workplace = await openWorkplace({ daemon: !file.startsWith("without-daemon") })
      onTestFinished(() => workplace.close())
      for (const step of steps) {
        const problems = check(step, await workplace.sh(step.command), workplace.directory)
        assert.deepStrictEqual(problems.join("\n"), "")
      }
    }, 240_000)
  }
})

describe("transcripts", () => {
  it("match any text and lines only by wildcards", () => {
    assert.isTrue(matches(["a … c", "…", "z"], "a b c\n1\n2\nz\n"))
    assert.isTrue(matches(["…"], ""))
    assert.isFalse(matches(["a"], "a\nb\n"))
    assert.isFalse(matches(["a.c"], "abc\n"))
    assert.isFalse(matches([], "a\n"))
  })
})
