/** Terminals as standard streams. */
import * as fs from "node:fs"
import { builtins } from "../builtins.ts"
import { readOr } from "../files/ReadOrEmpty.ts"

/** Whether standard input (0), output (1) or error (2) is a terminal. */
export const isTerminal = (fd: 0 | 1 | 2): boolean =>
  readOr(() => fs.fstatSync(fd).isCharacterDevice() && builtins.tty.isatty(fd), false)
