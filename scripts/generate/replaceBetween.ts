import * as fs from "node:fs"

/** The document with new contents, by name, between `<!-- name: written by npm run generate -->` and `<!-- /name -->`. */
export const replaceBetween = (file: string, contents: Readonly<Record<string, string>>): string => {
  let text = fs.readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")
  for (const [name, content] of Object.entries(contents)) {
    const begin = `<!-- ${name}: written by npm run generate -->\n`
    const from = text.indexOf(begin)
    const to = text.indexOf(`<!-- /${name} -->`)
    if (from < 0 || to < from) throw new Error(`${file} has lost the marks around ${name}`)
    text = text.slice(0, from + begin.length) + content + text.slice(to)
  }
  return text
}
