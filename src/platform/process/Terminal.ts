/** Tells whether a standard stream is a terminal. */
import * as fs from "node:fs"
import { builtins } from "../builtins.ts"

export const isTerminal = (fd: 0 | 1 | 2): boolean => {
  try {
    return fs.fstatSync(fd).isCharacterDevice() && builtins.tty.isatty(fd)
  } catch {
    return false
  }
}
