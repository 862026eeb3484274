/**
 * Updates the diagram of rooms in docs/architecture.md from the import table of check-rooms.ts, and leaves the rest
 * alone.
 */
import { type Room, roomNames, rooms } from "../check-rooms.ts"
import { replaceBetween } from "./replaceBetween.ts"

const reaches = (from: Room, to: Room): boolean => rooms[from].some((next) => next === to || reaches(next, to))

/** The transitive reduction of the arrows. */
const arrows = roomNames.toReversed().flatMap((room) =>
  rooms[room].filter((other) => !rooms[room].some((between) => between !== other && reaches(between, other)))
    .map((other) => `  ${room} --> ${other}`)
)

export const architecture = (): string =>
  replaceBetween("docs/architecture.md", { rooms: `\`\`\`mermaid\nflowchart TD\n${arrows.join("\n")}\n\`\`\`\n` })
