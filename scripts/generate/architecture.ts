/**
 * Updates the diagram of rooms in docs/architecture.md from the import table of check-rooms.ts, and leaves the rest
 * alone.
 */
import * as fs from "node:fs"
import { type Room, roomNames, rooms } from "../check-rooms.ts"

const file = new URL("../../docs/architecture.md", import.meta.url)
const begin = "<!-- rooms: written by npm run generate -->\n"
const end = "<!-- /rooms -->"

const reaches = (from: Room, to: Room): boolean => rooms[from].some((next) => next === to || reaches(next, to))

/** The transitive reduction of the arrows. */
const arrows = roomNames.toReversed().flatMap((room) =>
  rooms[room].filter((other) => !rooms[room].some((between) => between !== other && reaches(between, other)))
    .map((other) => `  ${room} --> ${other}`)
)

export const architecture = (): string => {
  const text = fs.readFileSync(file, "utf8")
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error("docs/architecture.md has lost the marks around the diagram of rooms")
  return `${text.slice(0, from + begin.length)}\`\`\`mermaid\nflowchart TD\n${arrows.join("\n")}\n\`\`\`\n${
    text.slice(to)
  }`
}
