import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..")
const read = (file: string): string => fs.readFileSync(path.join(root, file), "utf8")

const documents = [
  ...fs.globSync("*.md", { cwd: root }),
  ...fs.globSync("docs/**/*.md", { cwd: root })
].map((file) => file.replaceAll("\\", "/")).toSorted()

const code = fs.globSync("{src,test,scripts}/**/*.{ts,js,mjs,cjs,py,sh,txt}", {
  cwd: root,
  exclude: ["**/node_modules/**"]
})

/** The anchor of a heading on the common forges. */
const anchorOf = (heading: string): string =>
  heading.replaceAll("`", "").toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(/\s/g, "-")

const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set([...read(file).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1]!)))

const withoutCode = (text: string): string => text.replaceAll(/```[\s\S]*?```/g, "").replaceAll(/`[^`\n]*`/g, "")

const linksOf = (file: string): ReadonlyArray<string> => {
  const text = withoutCode(read(file))
  return [
    ...[...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!),
    ...[...text.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map((match) => match[1]!)
  ].filter((link) => !/^[a-z]+:/.test(link))
}

const threatsSection = /^## Threats and defenses$([\s\S]*?)^## /m.exec(read("docs/security.md"))?.[1] ?? ""

const threats = threatsSection.split(/^\* /m).slice(1).map((entry) => ({
  title: /^\*\*(.+?)\*\*/.exec(entry)?.[1] ?? entry,
  tests: [...(/Tests:\s([\s\S]*?)\.$/m.exec(entry)?.[1] ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1]!)
}))

describe("documents", () => {
  for (const file of documents) {
    it(`link only to files and headings that exist: ${file}`, () => {
      for (const link of linksOf(file)) {
        const [target = "", anchor] = link.split("#")
        const linked = target === "" ? file : path.posix.normalize(path.posix.join(path.posix.dirname(file), target))
        assert.isTrue(fs.existsSync(path.join(root, linked)), `${link}: ${linked} does not exist`)
        if (anchor !== undefined && linked.endsWith(".md")) {
          assert.include([...anchorsOf(linked)], anchor, link)
        }
      }
    })
  }

  it("number each decision uniquely, and repeat the number in its title", () => {
    const files = fs.globSync("docs/decisions/*.md", { cwd: root }).map((file) => file.replaceAll("\\", "/"))
    const numbers = files.map((file) => Number(/\/(\d{4})-/.exec(file)?.[1]))
    assert.deepStrictEqual([...new Set(numbers)].toSorted((a, b) => a - b), numbers.toSorted((a, b) => a - b))
    for (const [at, file] of files.entries()) assert.isTrue(read(file).startsWith(`# ${numbers[at]}. `), file)
  })

  it("name tests that exist for every threat of docs/security.md", () => {
    assert.isAbove(threats.length, 60)
    for (const { tests, title } of threats) {
      assert.isNotEmpty(tests, title)
      for (const test of tests) {
        assert.isTrue(fs.existsSync(path.join(root, "test", `${test}.test.ts`)), `${title}: ${test}`)
      }
    }
  })

  it("describe where tests are: each in the directory of its module, as AGENTS.md says", () => {
    const modules = fs.globSync("**/*.ts", { cwd: path.join(root, "src") }).map((file) => file.replaceAll("\\", "/"))
    const directories = new Set(modules.map((file) => path.posix.dirname(file)))
    const rooms = new Set(modules.map((file) => file.split("/")[0]))
    for (const found of fs.globSync("**/*.test.ts", { cwd: path.join(root, "test") })) {
      const file = found.replaceAll("\\", "/")
      const [room = ""] = file.split("/")
      if (!rooms.has(room)) continue
      assert.isTrue(directories.has(path.posix.dirname(file)), `test/${file}: src/ has no such directory`)
      const tested = file.replace(/(?:\.[a-z0-9]+)?\.test\.ts$/, ".ts")
      const name = `/${path.posix.basename(tested)}`
      const same = modules.filter((module) => module.startsWith(`${room}/`) && module.endsWith(name))
      if (same.length > 0) assert.include(same, tested)
    }
  })

  it("name threats in words, as code does, and not by codes of another document", () => {
    for (const file of [...documents, ...code]) {
      assert.notMatch(read(file), /\([A-E]\d{1,2}(?:, ?[A-E]\d{1,2})*\)/, file)
    }
  })
})
