/**
 * Files that only their owner may read, written so that a crash or a race leaves either the old or the new content.
 *
 * The calls are synchronous, except for `replaceFileUnblocking`: the files are small, and if another fiber could run in
 * the middle of an operation, the guarantees below would be lost.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { builtins } from "../builtins.ts"
import { errorCode } from "../ErrorCode.ts"
import { isRunning } from "../process/ProcessIdentity.ts"

const problems = {
  not_found: "does not exist",
  foreign_owner: "belongs to another user",
  writable_by_others: "can be changed by other users",
  readable_by_others: "can be read by other users; remove their permissions with: chmod 600",
  symbolic_link: "is a symbolic link, which is not followed here",
  not_a_file: "is not a regular file",
  not_a_directory: "is not a directory",
  other_format: "has another format"
} as const

const writeObstacles: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EROFS: "it is on a read-only file system"
}

/** A file or directory that is missing, is unsafe to use, or could not be read or written. */
export class SecureFileError extends Data.TaggedError("SecureFileError")<{
  readonly path: string
  readonly problem: keyof typeof problems | "too_large" | "io"
  readonly code?: string
  readonly maxBytes?: number
}> {
  override get message(): string {
    if (this.problem === "too_large") return `${this.path} is larger than ${this.maxBytes} bytes`
    if (this.problem !== "io") return `${this.path} ${problems[this.problem]}`
    const cause = writeObstacles[this.code ?? ""]
    return cause === undefined
      ? `${this.path} could not be read or written (${this.code ?? "unknown error"})`
      : `${this.path} could not be written because ${cause}`
  }
}

const { constants } = fs

// Windows has neither uids nor mode bits.
const ownUid = (): number | undefined => process.getuid?.()
const NOFOLLOW = constants.O_NOFOLLOW ?? 0

const fail = (file: string, problem: SecureFileError["problem"], code?: string): SecureFileError =>
  new SecureFileError(code === undefined ? { path: file, problem } : { path: file, problem, code })

/** Performs one operation on a file. */
export type Perform = <A>(operation: string, file: string, evaluate: () => A) => Effect.Effect<A, SecureFileError>

const failureOf = (file: string, cause: unknown): SecureFileError => {
  if (cause instanceof SecureFileError) return cause
  const code = errorCode(cause)
  if (code === "ENOENT") return fail(file, "not_found", code)
  if (code === "ELOOP") return fail(file, "symbolic_link", code)
  return fail(file, "io", code)
}

const perform: Perform = (_operation, file, evaluate) =>
  Effect.try({ try: evaluate, catch: (cause) => failureOf(file, cause) })

/**
 * Performs every operation below.
 *
 * Tests replace this function to make operations fail as a full disk does. It is a reference with a default, because a
 * required service would appear in the types of twenty layers that all get the same one.
 */
export const FileOperations = Context.Reference<Perform>("credsvc/platform/files/SecureFiles", {
  defaultValue: () => perform
})

const attempt: Perform = (operation, file, evaluate) =>
  Effect.flatMap(FileOperations, (perform) => perform(operation, file, evaluate))

const syncDirectory = (directory: string): void => {
  if (process.platform === "win32") return
  const fd = fs.openSync(directory, "r")
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

interface Temporary {
  readonly fd: number
  readonly temporary: string
}

/** Runs `use`. If it fails, closes and removes the file. */
const orAbandon = ({ fd, temporary }: Temporary, use: () => void): void => {
  try {
    use()
  } catch (cause) {
    fs.closeSync(fd)
    fs.rmSync(temporary, { force: true })
    throw cause
  }
}

/** The permissions and the group of an existing file, for a file that replaces it. */
type Like = Pick<fs.Stats, "gid" | "mode">

/** Writes a temporary file beside `file`, with a unique name. The caller syncs and closes it. */
const openTemporary = (file: string, content: Uint8Array | string, like?: Like): Temporary => {
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${process.pid}.${builtins.crypto.randomBytes(6).toString("hex")}.tmp`
  )
  const opened = { fd: fs.openSync(temporary, "wx", 0o600), temporary }
  orAbandon(opened, () => {
    // Sets the mode explicitly: a umask can only remove permissions, but default ACLs of a file system can add them.
    fs.fchmodSync(opened.fd, 0o600)
    fs.writeFileSync(opened.fd, content)
    if (like === undefined) return
    if (fs.fstatSync(opened.fd).gid !== like.gid) fs.fchownSync(opened.fd, ownUid() ?? 0, like.gid)
    fs.fchmodSync(opened.fd, like.mode & 0o7777)
  })
  return opened
}

/** Writes and syncs a temporary file. */
const writeTemporary = (file: string, content: Uint8Array | string, like?: Like): string => {
  const opened = openTemporary(file, content, like)
  orAbandon(opened, () => fs.fsyncSync(opened.fd))
  fs.closeSync(opened.fd)
  return opened.temporary
}

const rename = (temporary: string, file: string): void => {
  try {
    fs.renameSync(temporary, file)
  } catch (cause) {
    fs.rmSync(temporary, { force: true })
    throw cause
  }
}

/** The names that `openTemporary` creates, with the process ID as the first group. */
const temporaryName = /^\..+\.(\d+)\.[0-9a-f]{12}\.tmp$/

const checkOpened = (file: string, stat: fs.Stats): void => {
  if (!stat.isFile()) throw fail(file, "not_a_file")
  const uid = ownUid()
  if (uid !== undefined && stat.uid !== uid) throw fail(file, "foreign_owner")
}

const checkComponent = (component: string, stat: fs.Stats): void => {
  const uid = ownUid()
  if (uid === undefined) return
  if (stat.uid !== uid && stat.uid !== 0) throw fail(component, "foreign_owner")
  // In a sticky directory others can add entries but not replace ours. A link itself has no permissions.
  if (!stat.isSymbolicLink() && (stat.mode & 0o022) !== 0 && (stat.mode & 0o1000) === 0) {
    throw fail(component, "writable_by_others")
  }
}

const checkComponents = (target: string, seen = 0): void => {
  if (seen > 40) throw fail(target, "symbolic_link", "ELOOP")
  const absolute = path.resolve(target)
  let current = path.parse(absolute).root
  checkComponent(current, fs.lstatSync(current))
  for (const part of absolute.slice(current.length).split(path.sep).filter((part) => part !== "")) {
    const parent = current
    current = path.join(current, part)
    const stat = fs.lstatSync(current)
    checkComponent(current, stat)
    if (stat.isSymbolicLink()) {
      checkComponents(path.resolve(parent, fs.readlinkSync(current)), seen + 1)
    }
  }
}

/** Makes new files accessible only to their owner. Only for processes that belong to credsvc. */
export const setPrivateUmask: Effect.Effect<void> = Effect.sync(() => {
  process.umask(0o077)
})

/**
 * Creates a directory and its parents. Does not use Node's option `recursive`, which never returns where an existing
 * directory reports ENOENT for a new one, as `/proc` does.
 */
const makeDirectory = (directory: string): void => {
  if (fs.existsSync(directory)) return
  const parent = path.dirname(directory)
  if (parent !== directory) makeDirectory(parent)
  try {
    fs.mkdirSync(directory, { mode: 0o700 })
  } catch (cause) {
    // Another process may have created it meanwhile.
    if (errorCode(cause) !== "EEXIST") throw cause
  }
}

/** Creates a directory with mode 0700 and checks it. The mode of an existing directory is reported by `broaderThanOwner`. */
export const ensurePrivateDirectory = (directory: string): Effect.Effect<void, SecureFileError> =>
  attempt("ensurePrivateDirectory", directory, () => {
    makeDirectory(directory)
    checkComponents(directory)
    const stat = fs.statSync(directory)
    if (!stat.isDirectory()) throw fail(directory, "not_a_directory")
    const uid = ownUid()
    if (uid !== undefined && stat.uid !== uid) throw fail(directory, "foreign_owner")
  })

/** Checks that only this user or root can change any component of the path. Follows links. */
export const checkPath = (target: string): Effect.Effect<void, SecureFileError> =>
  attempt("checkPath", target, () => checkComponents(target))

/** Checks that the path is missing, or is a regular file of this user and not a symbolic link. */
export const checkFile = (file: string): Effect.Effect<void, SecureFileError> =>
  attempt("checkFile", file, () => {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stat === undefined) return
    if (stat.isSymbolicLink()) throw fail(file, "symbolic_link")
    checkOpened(file, stat)
  })

const readOpened = (file: string, flags: number, maxBytes: number, check: (stat: fs.Stats) => void): Uint8Array => {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  const fd = fs.openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags)
  try {
    const stat = fs.fstatSync(fd)
    check(stat)
    if (stat.size > maxBytes) throw new SecureFileError({ path: file, problem: "too_large", maxBytes })
    return new Uint8Array(fs.readFileSync(fd))
  } finally {
    fs.closeSync(fd)
  }
}

/** Reads a regular file of this user. Rejects symbolic links. */
export const readFile = (
  file: string,
  { maxBytes = Infinity }: { readonly maxBytes?: number } = {}
): Effect.Effect<Uint8Array, SecureFileError> =>
  attempt("readFile", file, () => readOpened(file, NOFOLLOW, maxBytes, (stat) => checkOpened(file, stat)))

/** Whether a file is in a memory file system, where systemd, Docker and Kubernetes put secrets with their own permissions. */
const isInMemory = (file: string): boolean =>
  process.platform === "linux" && [0x01021994, 0x858458f6].includes(fs.statfsSync(file).type)

/**
 * Why credsvc must not use a file with a secret that an administrator or a platform provides. On a disk, only the
 * file's owner may be able to read it.
 */
export const secretProblem = (
  stat: Pick<fs.Stats, "mode" | "uid">,
  uid: number,
  inMemory: boolean
): "foreign_owner" | "writable_by_others" | "readable_by_others" | undefined => {
  if (stat.uid !== uid && stat.uid !== 0) return "foreign_owner"
  if ((stat.mode & 0o022) !== 0) return "writable_by_others"
  return !inMemory && (stat.mode & 0o044) !== 0 ? "readable_by_others" : undefined
}

/** Reads a secret that an administrator or a platform provides. Follows links, because Kubernetes secrets are links. */
export const readProvidedSecret = (file: string, maxBytes: number): Effect.Effect<Uint8Array, SecureFileError> =>
  attempt("readProvidedSecret", file, () => {
    checkComponents(file)
    return readOpened(file, 0, maxBytes, (stat) => {
      if (!stat.isFile()) throw fail(file, "not_a_file")
      const uid = ownUid()
      const problem = uid === undefined ? undefined : secretProblem(stat, uid, isInMemory(file))
      if (problem !== undefined) throw fail(file, problem)
    })
  })

/** Creates a file that is written only once, such as a key. If processes race, all of them get the same bytes. */
export const createOnce = (
  file: string,
  content: Uint8Array | string
): Effect.Effect<{ readonly created: boolean; readonly bytes: Uint8Array }, SecureFileError> =>
  attempt("createOnce", file, () => {
    const temporary = writeTemporary(file, content)
    try {
      // link(2) fails if the name exists, whereas rename(2) would replace the file.
      fs.linkSync(temporary, file)
      return true
    } catch (cause) {
      if (errorCode(cause) === "EEXIST") return false
      throw cause
    } finally {
      fs.rmSync(temporary, { force: true })
      syncDirectory(path.dirname(file))
    }
  }).pipe(
    Effect.flatMap((created) => Effect.map(readFile(file), (bytes) => ({ created, bytes })))
  )

/**
 * Replaces the whole content. A reader sees either the old or the new file, even after a crash. Only the owner may read
 * the file. With `like`, it gets the permissions and the group of that file instead.
 */
export const replaceFile = (
  file: string,
  content: Uint8Array | string,
  like?: Like
): Effect.Effect<void, SecureFileError> =>
  attempt("replaceFile", file, () => {
    rename(writeTemporary(file, content, like), file)
    syncDirectory(path.dirname(file))
  })

/**
 * Replaces the whole content of a file that describes this process. A system crash can leave the file empty, which
 * readers must expect. After a crash, its content is outdated in any case.
 */
export const replaceProcessFile = (file: string, content: string): Effect.Effect<void, SecureFileError> =>
  attempt("replaceFile", file, () => {
    const { fd, temporary } = openTemporary(file, content)
    fs.closeSync(fd)
    rename(temporary, file)
  })

/** Runs a call that waits for the disk, in a thread of Node's pool. */
const waited = (file: string, call: (done: fs.NoParamCallback) => void): Effect.Effect<void, SecureFileError> =>
  Effect.callback((resume) =>
    call((error) => resume(error === null ? Effect.void : Effect.fail(failureOf(file, error))))
  )

const syncAndClose = (file: string, fd: number): Effect.Effect<void, SecureFileError> =>
  Effect.ensuring(waited(file, (done) => fs.fsync(fd, done)), Effect.sync(() => fs.closeSync(fd)))

/**
 * Like `replaceFile`, but does not block the process while the disk writes, for files that change under load. The
 * caller must prevent concurrent replacements of the file. Cannot be interrupted.
 */
export const replaceFileUnblocking = (
  file: string,
  content: Uint8Array | string
): Effect.Effect<void, SecureFileError> =>
  Effect.gen(function*() {
    const { fd, temporary } = yield* attempt("replaceFile", file, () => openTemporary(file, content))
    yield* syncAndClose(file, fd).pipe(
      Effect.andThen(waited(file, (done) => fs.rename(temporary, file, done))),
      Effect.onError(() => Effect.sync(() => fs.rmSync(temporary, { force: true })))
    )
    if (process.platform === "win32") return
    const directory = path.dirname(file)
    yield* syncAndClose(directory, yield* attempt("replaceFile", directory, () => fs.openSync(directory, "r")))
  }).pipe(Effect.uninterruptible)

/** Whether a file has a format, by its first 32 bytes, which are filled up with zeros, and its size. */
type HasFormat = (start: Buffer, size: number) => boolean

const matches = (file: string, hasFormat: HasFormat): boolean => {
  const start = Buffer.alloc(32)
  const fd = fs.openSync(file, "r")
  try {
    fs.readSync(fd, start, 0, start.length, 0)
    return hasFormat(start, fs.fstatSync(fd).size)
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * Copies a regular file to a new file that only its owner may read, without blocking the process. A reader sees the
 * whole file or none. Refuses a file of another format before it copies. Returns false if the new file exists.
 */
export const copyOnce = (
  from: string,
  file: string,
  hasFormat: HasFormat = () => true
): Effect.Effect<boolean, SecureFileError> =>
  Effect.gen(function*() {
    yield* attempt("copyOnce", from, () => {
      // Opening a named pipe would wait for its writer.
      if (!fs.statSync(from).isFile()) throw fail(from, "not_a_file")
      if (!matches(from, hasFormat)) throw fail(from, "other_format")
    })
    const { fd, temporary } = yield* attempt("copyOnce", file, () => openTemporary(file, ""))
    const copied = Effect.gen(function*() {
      yield* waited(from, (done) => fs.copyFile(from, temporary, done))
      // The copy has the permissions of the original.
      yield* attempt("copyOnce", file, () => fs.chmodSync(temporary, 0o600))
    })
    yield* copied.pipe(
      Effect.onError(() => Effect.sync(() => fs.closeSync(fd))),
      Effect.andThen(syncAndClose(file, fd)),
      Effect.andThen(waited(file, (done) => fs.link(temporary, file, done))),
      Effect.ensuring(Effect.sync(() => fs.rmSync(temporary, { force: true })))
    )
    yield* attempt("copyOnce", file, () => syncDirectory(path.dirname(file)))
    return true
  }).pipe(
    Effect.catchIf((error) => error.code === "EEXIST", () => Effect.succeed(false)),
    Effect.uninterruptible
  )

/** Opens a file for appending, for a log or a child process's output. The caller closes the descriptor. */
export const openAppend = (file: string): Effect.Effect<number, SecureFileError> =>
  attempt("openAppend", file, () => {
    const fd = fs.openSync(
      file,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NOFOLLOW | (constants.O_NONBLOCK ?? 0),
      0o600
    )
    try {
      checkOpened(file, fs.fstatSync(fd))
    } catch (cause) {
      fs.closeSync(fd)
      throw cause
    }
    return fd
  })

/** Removes a file, which may be missing. */
export const removeFile = (file: string): Effect.Effect<void, SecureFileError> =>
  attempt("removeFile", file, () => fs.rmSync(file, { force: true }))

/**
 * Removes temporary files that killed processes of this user left in a directory, for one file or all. Returns their number.
 *
 * Other running processes may still need their files. This process has none yet, because it opens the store later.
 */
export const removeAbandonedFiles = (directory: string, of = ""): Effect.Effect<number, SecureFileError> =>
  Effect.flatMap(listDirectory(directory), (names) =>
    attempt("removeAbandonedFiles", directory, () => {
      let removed = 0
      for (const name of names) {
        const pid = Number(temporaryName.exec(name)?.[1] ?? 0)
        if (pid === 0 || !name.startsWith(`.${of}`) || (pid !== process.pid && isRunning(`${pid}-`))) continue
        const file = path.join(directory, name)
        const stat = fs.lstatSync(file, { throwIfNoEntry: false })
        if (stat === undefined || !stat.isFile() || stat.uid !== (ownUid() ?? stat.uid)) continue
        fs.rmSync(file, { force: true })
        removed++
      }
      if (removed > 0) syncDirectory(directory)
      return removed
    }))

interface BroadPermission {
  readonly path: string
  readonly mode: number
}

/** Lists all files and directories at and below `root` that others can access. Skips missing paths and links. */
export const broaderThanOwner = (
  root: string,
  options: { readonly limit?: number } = {}
): Effect.Effect<ReadonlyArray<BroadPermission>, SecureFileError> =>
  attempt("broaderThanOwner", root, () => {
    const found: Array<BroadPermission> = []
    const limit = options.limit ?? 100
    const visit = (target: string, depth: number): void => {
      const stat = fs.lstatSync(target, { throwIfNoEntry: false })
      if (stat === undefined || stat.isSymbolicLink() || found.length >= limit) return
      if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) {
        found.push({ path: target, mode: stat.mode & 0o777 })
      }
      if (stat.isDirectory() && depth > 0) {
        for (const entry of fs.readdirSync(target)) visit(path.join(target, entry), depth - 1)
      }
    }
    visit(root, 8)
    return found
  })

/** Lists the names in a directory, in code-point order. Empty if the directory does not exist. */
const listDirectory = (directory: string): Effect.Effect<ReadonlyArray<string>, SecureFileError> =>
  attempt("listDirectory", directory, () => fs.readdirSync(directory).toSorted()).pipe(
    Effect.catchIf((error) => error.problem === "not_found", () => Effect.succeed([]))
  )
