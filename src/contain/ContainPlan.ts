/**
 * Plans a contained run: which files the command sees, and what it may write.
 *
 * `planOf` looks at the file system of this machine and decides; `planOptions` writes the plan as options of bwrap(1).
 */
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { linkOf, namesIn, realPathOf } from "../platform/files/ReadOrEmpty.ts"
import { gitProtection } from "./GitProtection.ts"
import { candidates, hiddenLists, isWithin, type Variables } from "./HiddenPaths.ts"
import { type Alias, aliasesOf, type MountedTree, mountedTrees } from "./HostMounts.ts"
import type { MountPoint } from "./MountPoints.ts"
import { effective, isEmpty, isHidden, keptAbove, type Mount, mountArguments } from "./Mounts.ts"
import { unixSockets } from "./UnixSockets.ts"

/** A run cannot be contained as requested. `option` is the flag that the message is about. */
export class ContainError extends Schema.TaggedError<ContainError>()("ContainError", {
  option: Schema.String,
  message: Schema.String,
  /** Whether a new plan may succeed, because a planned file has disappeared. */
  isTransient: Schema.optionalKey(Schema.Boolean)
}) {
  static of(cause: unknown): ContainError {
    return cause instanceof ContainError ? cause : new ContainError({
      option: "--contain",
      message: `failed (${(cause as Error).message}); check this machine with: credsvc doctor --contain`
    })
  }
}

export interface ContainRequest {
  /** The working directory of the command, which becomes writable. */
  readonly directory: string
  readonly homes: ReadonlyArray<string>
  readonly credsvcHome: string
  readonly runDirectory: string
  /** The directories in the run directory that are writable. All its other files are read-only. */
  readonly writableInRun: ReadonlyArray<string>
  /** Mounts over files and directories of the machine, as far as these exist. */
  readonly replaced: ReadonlyArray<Extract<Mount, { readonly source: string }>>
  /** Writable directories that are mounted over directories of the user, and so also over hidden files in these. */
  readonly own: ReadonlyArray<{ readonly target: string; readonly source: string }>
  /** The program files of credsvc, which the run may load or start at any time. */
  readonly program: string
  /** Files that must stay visible wherever they are: the programs that start the command. */
  readonly programs: ReadonlyArray<string>
  /** Directories with code that later runs, other commands or Node load. The command cannot create a missing one. */
  readonly libraries: ReadonlyArray<string>
  /** Paths of `--write` and `--hide`, which must exist. */
  readonly write: ReadonlyArray<string>
  readonly hide: ReadonlyArray<string>
  /** Paths of `config.json`, which need not exist. */
  readonly writeIfPresent: ReadonlyArray<string>
  readonly hideIfPresent: ReadonlyArray<string>
  /** The files with rules that limit the next run, and the options that name them. */
  readonly rules: ReadonlyArray<readonly [option: string, file: string]>
  /** The login files of programs, in directories that variables name. They need not exist. */
  readonly logins: ReadonlyArray<string>
  readonly variables: Variables
  /** Selects the files that the command could reach. */
  readonly reachable: (files: ReadonlyArray<string>) => ReadonlyArray<string>
}

export interface ContainPlan {
  readonly directory: string
  readonly mounts: ReadonlyArray<Mount>
  /** The files and directories that must exist during the run, so that mounts can cover them. */
  readonly mountPoints: ReadonlyArray<MountPoint>
  /** An empty file, which replaces hidden files. */
  readonly empty: string
}

/** Files of the run directory that are mounted over files of the machine. */
export const EMPTY_FILE = "empty"
export const RESOLVER_FILE = "resolv.conf"
export const HOSTS_FILE = "hosts"

/** The maximum number of symbolic links that the kernel follows in a path (path_resolution(7)). */
const MAX_LINKS = 40

/** A path that does not depend on the working directory, so that bwrap can mount it. */
type AbsolutePath = string & { readonly AbsolutePath: never }

const realPath = (file: string): AbsolutePath | undefined => realPathOf(file) as AbsolutePath | undefined

const existingPaths = (files: ReadonlyArray<string>): ReadonlyArray<AbsolutePath> => [
  ...new Set(files.flatMap((file) => realPath(file) ?? []))
]

const isDirectory = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true

const hiddenMount = (target: AbsolutePath): Mount => ({
  kind: isDirectory(target) ? "hidden-directory" : "hidden-file",
  target
})

const sameMount = (kind: "read-only" | "writable", target: AbsolutePath): Mount => ({ kind, target, source: target })

/** Expands `~` and relative paths, as in `run.write` of `config.json`. */
const absolutePath = (file: string, { directory, homes: [home = "/"] }: ContainRequest): AbsolutePath =>
  path.resolve(directory, file.replace(/^~(?=\/|$)/, home)) as AbsolutePath

/** Adds the other paths at which the same files are mounted, after comparing device and inode. */
const withAliases = (
  files: ReadonlyArray<AbsolutePath>,
  mounted: ReadonlyArray<MountedTree>
): ReadonlyArray<AbsolutePath> => {
  const isSame = ({ alias, file }: Alias): boolean => {
    try {
      const [one, other] = [fs.statSync(file), fs.statSync(alias)]
      return one.dev === other.dev && one.ino === other.ino
    } catch {
      // Another mount covers one of the two, or this process cannot access it, and so the command cannot either.
      return false
    }
  }
  const aliases = files.flatMap((file) => aliasesOf(file, mounted)).filter(isSame)
  return [...new Set([...files, ...aliases.map(({ alias }) => alias as AbsolutePath)])]
}

/** Checks a directory that becomes writable. */
const checkWritable = (
  target: string,
  option: string,
  called: string,
  { homes, vault }: Pick<Place, "homes" | "vault">
): void => {
  const fail = (reason: string): never => refuse(option, `${called} ${reason}`)
  if (isWithin(vault, target)) fail("is part of the home of credsvc; choose the directory of a project")
  if (isWithin(target, vault)) fail("contains the home of credsvc; choose a directory without it")
  if (homes.some((home) => isWithin(target, home))) {
    fail("contains your home directory, which must not become writable; choose the directory of a project")
  }
  const isOfSystem = ["/", "/dev", "/dev/shm", ...hiddenLists().privateDirectories].includes(target) ||
    ["/proc", "/sys"].some((directory) => isWithin(directory, target))
  if (isOfSystem) fail("is a directory of the system; choose the directory of a project")
}

/** Refuses links in repositories, unless `--write` names them or the `.git` that they are in. */
const refuseLinks = (links: ReadonlyArray<string>, accepted: ReadonlyArray<string>): void => {
  const isAccepted = (link: string): boolean =>
    accepted.some((file) => file === link || (path.basename(file) === ".git" && isWithin(file, link)))
  const link = links.find((link) => !isAccepted(link))
  if (link === undefined) return
  refuse(
    "--contain",
    `${link} is a symbolic link, which the command could replace to make git run other programs later; ` +
      `put the file or directory itself there, or accept the risk with --write ${link.replace(/(\/\.git)\/.*$/, "$1")}`
  )
}

/** Returns the real path of a file that other runs use, which need not exist, if the command could change, replace or create it. */
const fileInReach = (
  option: string,
  named: AbsolutePath,
  writable: ReadonlyArray<AbsolutePath>,
  shown: ReadonlyArray<Mount>
): ReadonlyArray<AbsolutePath> => {
  const directory = realPath(path.dirname(named))
  if (directory === undefined) return []
  const file = realPath(named) ?? path.join(directory, path.basename(named)) as AbsolutePath
  const isWritable = [file, named].some((each) => writable.some((above) => isWithin(above, each)))
  if (!isWritable || isHidden(shown, file)) return []
  if (named !== file) {
    return refuse(option, `${named} is reached by a symbolic link, which the command could replace: name ${file}`)
  }
  return [file]
}

/** The path itself if its directory exists, otherwise its nearest ancestor whose directory exists. */
const creatable = (file: string): string => {
  const above = path.dirname(file)
  return fs.existsSync(above) ? file : creatable(above)
}

const refuse = (option: string, message: string): never => {
  throw new ContainError({ option, message })
}

interface Place {
  readonly directory: AbsolutePath
  readonly homes: ReadonlyArray<AbsolutePath>
  readonly vault: AbsolutePath
}

/** The working directory, after checks that it may become writable, and that the home of credsvc can be hidden. */
const placeOf = (request: ContainRequest): Place => {
  const homes = existingPaths(request.homes)
  const vault = realPath(request.credsvcHome) ?? absolutePath(request.credsvcHome, request)
  const directory = realPath(request.directory) ?? absolutePath(request.directory, request)
  checkWritable(directory, "--contain", `the working directory ${directory}`, { homes, vault })
  // A path to hide that contains a home directory stays visible, because programs need the home. The vault must be hidden.
  if (homes.some((home) => isWithin(vault, home))) {
    return refuse(
      "--contain",
      `the home of credsvc ("${vault}") must not contain your home directory: move CREDSVC_HOME to a separate directory`
    )
  }
  return { directory, homes, vault }
}

/** The existing paths that `hidden-paths.json`, variables and logins name, with their aliases. `writable`, `hide`: named by the user. */
const listedIn = (
  request: ContainRequest,
  { directory, homes }: Place,
  { hide, writable }: { readonly hide: ReadonlyArray<string>; readonly writable: ReadonlyArray<string> },
  mounted: ReadonlyArray<MountedTree>
): ReadonlyArray<AbsolutePath> => {
  // Variables often name /dev/null, which must stay a device.
  const mayBeHidden = (file: string): boolean =>
    !fs.statSync(file).isCharacterDevice() && !homes.some((home) => isWithin(file, home))
  const found = [...candidates(request.homes, request.credsvcHome, request.variables), ...request.logins].flatMap(
    (name) => {
      const file = absolutePath(name, request)
      const real = realPath(file)
      if (real === undefined || !mayBeHidden(real)) return []
      return [{ real, link: file === real ? undefined : replaceableLink(file, writable) }]
    }
  )
  const listed = withAliases([...new Set(found.map(({ real }) => real))], mounted).filter(mayBeHidden)
  const above = listed.find((file) => isWithin(file, directory))
  if (above !== undefined) {
    return refuse(
      "--contain",
      `the working directory ${directory} is in ${above}, which contained runs hide; choose another directory`
    )
  }
  const fixed = [...hide, ...found.filter(({ link }) => link === undefined).map(({ real }) => real)]
  const loose = found.find(({ link, real }) => link !== undefined && !fixed.some((file) => isWithin(file, real)))
  return loose === undefined ? listed : refuse(
    "--contain",
    `${loose.link} is a symbolic link, which the command could replace to make ${loose.real} visible to the next run; ` +
      `hide the target with --hide ${loose.real}`
  )
}

/** The symbolic links on the way to the file, by their real paths. */
const linksTo = (file: string): ReadonlyArray<string> => {
  const links: Array<string> = []
  const names = file.split("/")
  let place = "/"
  for (let name = names.shift(); name !== undefined && links.length < MAX_LINKS; name = names.shift()) {
    const next = path.join(place, name)
    const target = linkOf(next)
    if (target === "") place = next
    else {
      links.push(next)
      names.unshift(...target.split("/"))
      if (path.isAbsolute(target)) place = "/"
    }
  }
  return links
}

/**
 * A link on the way to the file that the command could replace, because it is in one of these directories; undefined if there is
 * none.
 */
const replaceableLink = (file: string, directories: ReadonlyArray<string>): string | undefined =>
  linksTo(file).find((link) => directories.some((directory) => isWithin(directory, link)))

/** The paths that the user makes writable or hides. */
const namedIn = (request: ContainRequest, place: Place) => {
  type Missing = (file: string, absolute: AbsolutePath) => ReadonlyArray<AbsolutePath>
  const named = [...request.write, ...request.writeIfPresent].map((file) => absolutePath(file, request))
  const writable = [place.directory, ...existingPaths(named)]
  const found = (
    option: "--write" | "--hide",
    files: ReadonlyArray<string>,
    missing: Missing
  ): ReadonlyArray<AbsolutePath> =>
    files.flatMap((file) => {
      const absolute = absolutePath(file, request)
      const real = realPath(absolute)
      if (real === undefined) return missing(file, absolute)
      // A link to another part of a writable directory makes nothing else writable or visible.
      const outside = option === "--hide" ? writable : writable.filter((directory) => !isWithin(directory, real))
      if (replaceableLink(absolute, outside) === undefined) return real
      // The link is accepted, but its target does not become writable.
      if (option === "--write" && path.basename(absolute) === ".git") return []
      return refuse(option, `${file} is reached by a symbolic link, which the command could replace: name ${real}`)
    })
  const required = (option: "--write" | "--hide"): Missing => (file) => refuse(option, `${file} does not exist`)
  // Allows the command to create a repository.
  const creatable = (otherwise: Missing): Missing => (file, absolute) =>
    path.basename(absolute) === ".git" ? [absolute] : otherwise(file, absolute)
  const write = [
    ...found("--write", request.writeIfPresent, creatable(() => [])),
    ...found("--write", request.write, creatable(required("--write")))
  ]
  for (const file of write) checkWritable(file, "--write", file, place)
  const hide = [
    ...found("--hide", request.hideIfPresent, () => []),
    ...found("--hide", request.hide, required("--hide"))
  ]
  return { write, hide }
}

/** Protects the files in writable paths that git, later runs and other commands use. `shown`: what the command sees otherwise. */
const protectionIn = (
  request: ContainRequest,
  { directory, homes }: Place,
  { listed, writable }: Readonly<Record<"listed" | "writable", ReadonlyArray<AbsolutePath>>>,
  shown: ReadonlyArray<Mount>
) => {
  // A repository in a writable path is protected with that path, so it is not opened for a linked worktree.
  const isOpen = (common: string): boolean =>
    ![...writable, ...listed].some((file) => isWithin(file, common)) &&
    ![...homes, ...listed].some((file) => isWithin(common, file))
  const repositories = writable.filter(isDirectory).map((file) => gitProtection(file, isOpen))
  // Compares the paths as given, because the real path of a link is that of its target.
  const accepted = [...request.writeIfPresent, ...request.write].map((file) => absolutePath(file, request))
  refuseLinks(repositories.flatMap(({ links }) => links), accepted)
  const libraries = request.libraries.map((file) => creatable(path.resolve(directory, file)))
    .filter((file) => !isWithin(request.program, file))
  const programs = [...existingPaths([request.program, ...request.programs]), ...libraries]
    .map((file) => ["--contain", file] as const)
  const used = [...request.rules, ...programs]
    .flatMap(([option, file]) => fileInReach(option, path.resolve(directory, file) as AbsolutePath, writable, shown))
  // An empty directory may be a mount point, which another run removes at its end.
  const missing = used.filter((file) =>
    libraries.includes(file) && (isDirectory(file) ? namesIn(file).length === 0 : !fs.existsSync(file))
  )
  // Mounts that protect a repository take precedence over mounts that keep a directory in its place.
  const mounts = [
    ...existingPaths(used).map((file) => sameMount("read-only", file)),
    ...missing.map((target): Mount => ({ kind: "hidden-directory", target })),
    ...repositories.flatMap((repository) => repository.mounts)
  ]
  const points = repositories.flatMap(({ mountPoints }) => mountPoints).filter((point) => !isHidden(shown, point.path))
  return { mounts, points: [...missing.map((target): MountPoint => ({ path: target })), ...points], used }
}

/** What the command sees without protection: private, hidden and writable directories and files. */
const shownWith = (
  { listed, writable }: Readonly<Record<"listed" | "writable", ReadonlyArray<AbsolutePath>>>
): ReadonlyArray<Mount> => {
  const lists = hiddenLists()
  return [
    ...existingPaths(lists.privateDirectories).map((target): Mount => ({ kind: "private-directory", target })),
    ...existingPaths([...lists.keptInRun, ...lists.readOnlyInProc]).map((target) => sameMount("read-only", target)),
    ...existingPaths(lists.inProc).map(hiddenMount),
    ...listed.map(hiddenMount),
    ...writable.map((target) => sameMount("writable", target))
  ]
}

/** The mounts that hide the sockets which the command could otherwise reach, except those that are named to be written. */
const hiddenSockets = (
  request: ContainRequest,
  mounts: ReadonlyArray<Mount>,
  mounted: ReadonlyArray<MountedTree>,
  unprotected: ReadonlySet<string>
): ReadonlyArray<Mount> => {
  // bwrap mounts a new /dev, which has none of the machine's sockets.
  const isNew = (file: string) => isWithin("/dev", file) && effective(mounts, file) === undefined
  const visible = withAliases(existingPaths(unixSockets()), mounted)
    .filter((file) => !isHidden(mounts, file) && !isNew(file) && !unprotected.has(file))
  const reachable = new Set(request.reachable(visible))
  return visible.filter((file) => reachable.has(file)).map(hiddenMount)
}

/** Throws a `ContainError` if the request would make something writable that must be protected. */
export const planOf = (request: ContainRequest): ContainPlan => {
  const place = placeOf(request)
  const { directory } = place
  const mounted = mountedTrees()
  const { hide, write } = namedIn(request, place)
  const writable = [directory, ...write].filter((file) => fs.existsSync(file))
  const listed = listedIn(request, place, { hide, writable }, mounted)
  const shown = shownWith({ listed, writable })
  const { points, used, ...protection } = protectionIn(request, place, { listed, writable }, shown)
  const unprotected = new Set<string>(write)
  // A mount in a hidden directory would make its file visible.
  const protecting = protection.mounts.filter(({ target }) => !unprotected.has(target) && !isHidden(shown, target))

  const own = request.own.map(({ source, target }): Mount => ({
    kind: "writable",
    target: realPath(target) ?? target,
    source
  }))
  const isReplaced = (file: string): boolean => own.some(({ target }) => isWithin(target, file))
  // `--hide` takes precedence over writable, protected and private paths.
  const concealed = withAliases(hide, mounted)
  const isConcealed = (file: string): boolean => concealed.some((directory) => isWithin(directory, file))
  const covering = [
    ...[...[...shown, ...protecting].filter(({ target }) => !isReplaced(target)), ...own]
      .filter(({ target }) => !isConcealed(target)),
    ...concealed.map(hiddenMount)
  ]
  const covered = [...covering, ...hiddenSockets(request, covering, mounted, unprotected)]
  const kept = [...covered.filter(isEmpty), ...protecting].map(({ target }) => target)
  const mounts = [...keptAbove(covered, [...kept, ...used]), ...covered]
  // Shows an executable in a hidden directory, for example that of a version manager.
  const programs = existingPaths(request.programs).filter((file) => isHidden(mounts, file))

  const missing = own.map(({ target }) => ({ path: target })).filter((point) => !fs.existsSync(point.path))
  const needed = [...missing, ...points].filter((point) => !unprotected.has(point.path) && !isConcealed(point.path))
  return {
    directory,
    mounts: [...mounts, ...programs.map((file) => sameMount("read-only", file)), ...ofRun(request)],
    mountPoints: [...new Map(needed.map((point) => [point.path, point])).values()],
    empty: path.join(request.runDirectory, EMPTY_FILE)
  }
}

/** The mounts of the run directory, of its writable parts, and of its files that replace files of the machine. */
const ofRun = (request: ContainRequest): ReadonlyArray<Mount> => {
  const { runDirectory, writableInRun } = request
  const inRun = (name: string, target: string): Mount => ({
    kind: "read-only",
    target,
    source: path.join(runDirectory, name)
  })
  const replaced = [inRun(RESOLVER_FILE, "/etc/resolv.conf"), inRun(HOSTS_FILE, "/etc/hosts"), ...request.replaced]
  return [
    sameMount("read-only", absolutePath(runDirectory, request)),
    ...writableInRun.map((target) => sameMount("writable", absolutePath(target, request))),
    ...replaced.flatMap((mount) => {
      const target = realPath(mount.target)
      return target === undefined ? [] : [{ ...mount, target }]
    })
  ]
}

/** The path on this machine of the file that the command sees at a path, or undefined if it is hidden. */
export const sourceOf = ({ mounts }: ContainPlan, file: string): string | undefined => {
  const real = realPath(file) ?? file
  const mount = effective(mounts, real)
  if (mount === undefined) return real
  return "source" in mount ? path.join(mount.source, path.relative(mount.target, real)) : undefined
}

/** The path in a word of a command, which may follow the name of an option or `@`, as in `--data=@file`. */
const pathIn = (word: string): string => word.replace(/^-{1,2}[\w-]+=/, "").replace(/^@/, "")

/** Returns a message for each word of a command that names a file which the command does not see. */
export const hiddenWords = (
  { directory, mounts }: ContainPlan,
  command: ReadonlyArray<string>
): ReadonlyArray<string> =>
  command.flatMap((word) => {
    const named = pathIn(word)
    const file = realPath(path.resolve(directory, named))
    const mount = file === undefined ? undefined : effective(mounts, file)
    if (file === undefined || mount === undefined || !isHidden(mounts, file)) return []
    const reason = mount.kind === "private-directory"
      ? `a contained run has a ${mount.target} of its own`
      : `contained runs hide ${mount.target}`
    return `the command does not see ${named}, because ${reason}; use a file in the working directory`
  })

/** The options of bwrap(1) for the plan. `filter`: the descriptor of the system call filter. */
export const planOptions = (plan: ContainPlan, filter: number): ReadonlyArray<string> => [
  ...mountArguments(plan.mounts, plan.empty),
  "--seccomp",
  String(filter),
  "--chdir",
  plan.directory
]
