import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"
import { check, matches, openWorkplace, parseTranscript } from "../support/Transcript.ts"

const directory = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "transcripts")
const files = fs.readdirSync(directory).filter((file) => file.endsWith(".txt"))

describe("the built program", () => {
  for (const file of files) {
    const transcript = parseTranscript(fs.readFileSync(path.join(directory, file), "utf8"))

    it(`${file}: ${transcript.title}`, async () => {
      assert.isAbove(transcript.steps.length, 0)
      const workplace = await openWorkplace({ daemon: !file.startsWith("without-daemon") })
      onTestFinished(() => workplace.close())
      for (const step of transcript.steps) {
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
