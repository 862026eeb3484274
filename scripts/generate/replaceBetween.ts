import * as fs from "node:fs"

/** The document with new content between `<!-- name: written by npm run generate -->` and `<!-- /name -->`. */
export const replaceBetween = (file: string, name: string, content: string): string => {
  const text = fs.readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")
  const begin = `<!-- ${name}: written by npm run generate -->\n`
  const from = text.indexOf(begin)
  const to = text.indexOf(`<!-- /${name} -->`)
  if (from < 0 || to < from) throw new Error(`${file} has lost the marks around ${name}`)
  return text.slice(0, from + begin.length) + content + text.slice(to)
}
