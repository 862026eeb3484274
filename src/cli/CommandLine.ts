/** Computes what can stand at the cursor of a command line. The caller looks up names that only the daemon knows. */
import type { CommandModel, CompletionModel, FlagModel, NameKind, ValueKind } from "./completion/CommandModel.ts"

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

/** `words` are those after the program's name. The last one is at the cursor, and may be empty. */
export const wantedAt = ({ globalFlags, root }: CompletionModel, words: ReadonlyArray<string>): Wanted => {
  const current = words.at(-1) ?? ""
  const used = new Set<string>()
  const positional: Array<string> = []
  let command = root
  let pending: FlagModel | undefined
  let ended = false
  const known = () => [...command.flags, ...globalFlags]

  for (const [at, word] of words.slice(0, -1).entries()) {
    if (pending !== undefined) {
      pending = undefined
    } else if (word === "--" && !ended) {
      ended = true
      if (command.arguments[0]?.value === "command") return { _tag: "Command", at: at + 1 }
    } else if (word.startsWith("-") && word !== "-" && !ended) {
      const name = word.split("=")[0]!
      used.add(name)
      const flag = known().find(({ names }) => names.includes(name))
      if (flag?.value !== undefined && !word.includes("=")) pending = flag
    } else {
      const below = findCommand(command, word)
      if (below !== undefined && positional.length === 0) {
        command = below
        continue
      }
      if (command.arguments[0]?.value === "command") return { _tag: "Command", at }
      positional.push(word)
    }
  }

  const valueOf = (kind: ValueKind, prefix: string): Wanted => {
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
          root
        )
        return topic === undefined ? none : { _tag: "Candidates", prefix, candidates: commandsOf(topic) }
      }
      case "provider":
      case "connected":
      case "connection":
      case "assignment":
      case "profile":
      case "policy":
      case "sandbox":
      case "run":
      case "identity":
        return { _tag: "Names", prefix, names: kind, provider: positional[0] }
      default:
        return { _tag: "Candidates", prefix, candidates: candidatesOf(kind) }
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
