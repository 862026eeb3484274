/** The user of this process, and the user's home directory. */
import { builtins } from "../builtins.ts"
import { readOr } from "../files/ReadOrEmpty.ts"

export interface Account {
  readonly homedir: string
  readonly uid: number
  readonly username: string
}

/** The system's entry for the user of this process. Containers often lack it: the user then has only a number, and no home. */
export const account = (): Account => {
  const uid = process.getuid?.() ?? -1
  return readOr(() => builtins.os.userInfo(), { homedir: "/", uid, username: String(uid) })
}

/** The user's home directory. Node takes it from `HOME` even if `HOME` is empty, which would mean the working directory. */
export const homeDirectory = (): string => readOr(() => builtins.os.homedir(), "") || account().homedir
