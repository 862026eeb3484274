/**
 * Reads a command line by the model of the command tree: which words are the program's own, and what can stand at the
 * cursor. The caller looks up names that only the daemon knows.
 */
import type { CommandModel, CompletionModel, FlagModel, NameKind, ValueKind } from "../completion/CommandModel.ts"

export interface Candidate {
  readonly value: string
  readonly description: string
}

export interface WantedNames {
  readonly _tag: "Names"
  /** A prefix for each candidate, such as `--flow=`. */
  readonly prefix: string
  readonly names: NameKind
  readonly provider: string | undefined
}

type Wanted =
  | { readonly _tag: "Candidates"; readonly prefix: string; readonly candidates: ReadonlyArray<Candidate> }
  | WantedNames
  | { readonly _tag: "Files" }
  /** Another program's command line, starting at this word. */
  | { readonly _tag: "Command"; readonly at: number }

const candidatesOf = (values: ReadonlyArray<string>): ReadonlyArray<Candidate> =>
  values.map((value) => ({ value, description: "" }))

const none: Wanted = { _tag: "Candidates", prefix: "", candidates: [] }

const commandsOf = (command: CommandModel): ReadonlyArray<Candidate> =>
  command.commands.map(({ description, name }) => ({ value: name, description }))

const flagsOf = (flags: ReadonlyArray<FlagModel>, used: ReadonlySet<string>): ReadonlyArray<Candidate> =>
  flags.filter(({ names, value }) => value === "assignment" || !names.some((name) => used.has(name)))
    .map(({ description, names }) => ({ value: names[0]!, description }))

const findCommand = (command: CommandModel, name: string) => command.commands.find((each) => each.name === name)

/** The name of a flag in a word. In a cluster such as `-vo` only the last flag can have a value. */
const flagName = (word: string): string => {
  const name = word.split("=")[0]!
  return name.startsWith("--") ? name : `-${name.at(-1)}`
}

/** Reads complete words, up to the first word of another program's command line, whose index is `commandAt`. */
const readWords = ({ globalFlags, root }: CompletionModel, words: ReadonlyArray<string>) => {
  const used = new Set<string>()
  const positional: Array<string> = []
  let command = root
  let pending: FlagModel | undefined
  let ended = false
  let commandAt: number | undefined
  const known = () => [...command.flags, ...globalFlags]
  const isCommandNext = () => command.arguments[positional.length]?.value === "command"

  for (const [at, word] of words.entries()) {
    if (pending !== undefined) {
      pending = undefined
    } else if (word === "--" && !ended) {
      ended = true
      if (isCommandNext()) commandAt = at + 1
    } else if (word.startsWith("-") && word !== "-" && !ended) {
      const name = flagName(word)
      used.add(name)
      const flag = known().find(({ names }) => names.includes(name))
      if (flag?.value !== undefined && !word.includes("=")) pending = flag
    } else {
      const below = positional.length === 0 ? findCommand(command, word) : undefined
      if (below !== undefined) command = below
      else if (isCommandNext()) commandAt = at
      else positional.push(word)
    }
    if (commandAt !== undefined) break
  }
  return { command, commandAt, ended, known, pending, positional, used }
}

/** Counts the program's own arguments. They end where another program's command line begins, so `--` before it is optional. */
export const countOwn = (model: CompletionModel, argv: ReadonlyArray<string>): number => {
  const marker = argv.indexOf("--")
  const end = marker === -1 ? argv.length : marker
  return readWords(model, argv.slice(0, end)).commandAt ?? end
}

/** Tells what can stand at the cursor. `words` follow the program's name; the last one is at the cursor and may be empty. */
export const wantedAt = (model: CompletionModel, words: ReadonlyArray<string>): Wanted => {
  const current = words.at(-1) ?? ""
  const { command, commandAt, ended, known, pending, positional, used } = readWords(model, words.slice(0, -1))
  if (commandAt !== undefined) return { _tag: "Command", at: commandAt }

  const valueOf = (kind: ValueKind, prefix: string): Wanted => {
    if (typeof kind === "object") return { _tag: "Candidates", prefix, candidates: candidatesOf(kind) }
    switch (kind) {
      case "text":
        return none
      case "file":
        return { _tag: "Files" }
      case "command":
        return { _tag: "Command", at: words.length - 1 }
      case "topic": {
        const topic = positional.reduce(
          (found: CommandModel | undefined, name) => found && findCommand(found, name),
          model.root
        )
        return topic === undefined ? none : { _tag: "Candidates", prefix, candidates: commandsOf(topic) }
      }
      default:
        return { _tag: "Names", prefix, names: kind, provider: positional[0] }
    }
  }

  if (pending !== undefined) return valueOf(pending.value!, "")
  if (current.startsWith("-") && !ended) {
    const [name = "", ...value] = current.split("=")
    if (value.length === 0) return { _tag: "Candidates", prefix: "", candidates: flagsOf(known(), used) }
    const flag = known().find(({ names }) => names.includes(name))
    return flag?.value === undefined ? none : valueOf(flag.value, `${name}=`)
  }
  if (command.commands.length > 0 && positional.length === 0) {
    return { _tag: "Candidates", prefix: "", candidates: commandsOf(command) }
  }
  const last = command.arguments.at(-1)
  const argument = command.arguments[positional.length] ?? (last?.variadic === true ? last : undefined)
  if (argument !== undefined) return valueOf(argument.value, "")
  return { _tag: "Candidates", prefix: "", candidates: ended ? [] : flagsOf(command.flags, used) }
}
