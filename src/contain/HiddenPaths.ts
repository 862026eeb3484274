/**
 * The paths that a contained run hides: credential stores, sockets of agents and daemons, and private directories of other programs.
 *
 * `assets/hidden-paths.json` has the lists, and docs/contained-runs.md explains them. Users add to them with `--hide` and `run.hide` in
 * `config.json`.
 */
import * as path from "node:path"
import { requireAsset } from "../platform/files/PackageFiles.ts"
import { textOf } from "../platform/files/ReadOrEmpty.ts"

interface HiddenLists {
  /** Paths relative to the home directory, by their kind. */
  readonly inHome: Readonly<Record<string, ReadonlyArray<string>>>
  /** Paths relative to `~/.config`. */
  readonly inConfig: ReadonlyArray<string>
  /** Absolute paths. Most are readable only by root, who may also start runs. */
  readonly inSystem: ReadonlyArray<string>
  /** Parts of `/proc` that show the memory, keys and hardware of the machine. */
  readonly inProc: ReadonlyArray<string>
  /** Parts of `/proc` through which root changes the machine. bwrap protects only some of them. */
  readonly readOnlyInProc: ReadonlyArray<string>
  /** Directories of sockets and temporary files. The run gets private ones. */
  readonly privateDirectories: ReadonlyArray<string>
  /** Directories below `/run` that contain programs and libraries (NixOS). */
  readonly keptInRun: ReadonlyArray<string>
  /** Maps each variable to the directory in the home directory that it relocates, together with the hidden paths in it. */
  readonly relocatedBy: Readonly<Record<string, string>>
  /** Variables that name credential files or sockets, in lists separated by colons. */
  readonly namedBy: ReadonlyArray<string>
  /** Variables with addresses of agents, buses, displays and editors, and those with which a CI job proves its identity. */
  readonly withheldVariables: ReadonlyArray<string>
}

let read: HiddenLists | undefined

export const hiddenLists = (): HiddenLists =>
  read ??= JSON.parse(requireAsset("hidden-paths.json", import.meta.url)) as HiddenLists

/** Settings of Claude Code, which are hidden while they contain a key: its own, or one for an MCP server. */
const CLAUDE_SETTINGS = ".claude.json"
const WITH_KEY = /"primaryApiKey"\s*:\s*"|"(?:env|headers)"\s*:\s*\{\s*"/

export type Variables = Readonly<Record<string, string | undefined>>

export const isWithin = (directory: string, file: string): boolean =>
  file === directory || file.startsWith(directory.endsWith("/") ? directory : directory + "/")

/** Follows the variables that move a directory of the home, such as `XDG_CONFIG_HOME`. Returns other paths unchanged. */
export const relocated = (file: string, home: string, variables: Variables): string => {
  const name = path.relative(home, file)
  const [moved] = Object.entries(hiddenLists().relocatedBy)
    .filter(([variable, from]) => isWithin(from, name) && (variables[variable] ?? "") !== "")
    .toSorted(([, one], [, other]) => other.length - one.length)
  return moved === undefined ? file : path.resolve(variables[moved[0]]! + name.slice(moved[1].length))
}

/** Whether a variable names credential files or sockets. npm reads its variables in any spelling. */
const isNaming = (name: string): boolean =>
  hiddenLists().namedBy.includes(name) || /^npm_config_userconfig$/i.test(name)

/** The paths to hide, from the lists and from variables. They need not exist; those from variables may be relative. */
export const candidates = (
  homes: ReadonlyArray<string>,
  credsvcHome: string,
  variables: Variables
): ReadonlyArray<string> => {
  const lists = hiddenLists()
  const inHome = [...Object.values(lists.inHome).flat(), ...lists.inConfig.map((name) => path.join(".config", name))]
  const moved = Object.entries(lists.relocatedBy).flatMap(([variable, from]) => {
    const to = variables[variable] ?? ""
    return to === "" ? [] : inHome.filter((name) => isWithin(from, name)).map((name) => to + name.slice(from.length))
  })
  const named = Object.entries(variables).flatMap(([name, value = ""]) =>
    isNaming(name) ? value.split(path.delimiter).filter((file) => file !== "") : []
  )
  // Gemini CLI has its own home directory below the directory that the variable names.
  const above = [...homes, ...[variables["GEMINI_CLI_HOME"] ?? ""].filter((home) => home !== "")]
  return [
    credsvcHome,
    ...above.flatMap((home) => [".credsvc", ...inHome].map((name) => path.join(home, name))),
    ...lists.inSystem,
    ...moved,
    ...named
  ].filter((file) => path.basename(file) !== CLAUDE_SETTINGS || WITH_KEY.test(textOf(file)))
}
