/**
 * Makes V8 compile the functions that common commands call when it compiles their file.
 *
 * Node's compile cache contains only what V8 compiles without running the code, so each start would compile again what
 * it calls. V8 compiles a function expression in parentheses at once (docs/decisions/0027-single-executable.md).
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "rolldown/utils"
import { environment, startDaemon } from "./lib/Daemon.ts"
import { succeed, temporaryDirectory } from "./lib/Programs.ts"

/** What users do most often, with a daemon and a key for openai. */
export const commonCommands: ReadonlyArray<ReadonlyArray<string>> = [
  ["get", "openai"],
  ["list"],
  ["__complete", "login", "g"],
  ["run", "--", process.execPath, "-e", "0"]
]

/** Stores a key from the standard input. */
export const firstLogin: ReadonlyArray<string> = ["login", "openai", "--stdin"]
export const exampleKey = "sk-build-0123456789abcdef0123456789abcdef"

/**
 * The environment of a program with its own home and temporary files below the directory, because a run looks at the temporary
 * directories of other runs.
 */
export const environmentIn = (directory: string): NodeJS.ProcessEnv =>
  environment(path.join(directory, "home"), { TMPDIR: directory })

/** Disables long timers, so that the called functions do not depend on how long the commands take. */
const withoutTimers = [
  "--import",
  `data:text/javascript,${
    encodeURIComponent(`for (const name of ["setTimeout", "setInterval"]) {
  const set = globalThis[name]
  globalThis[name] = (callback, delay, ...args) => set(delay < 100 ? callback : () => {}, delay, ...args)
}`)
  }`
]

/** Runs the commands with a daemon. Returns when the daemon has ended. */
const withDaemon = async (
  program: string,
  env: NodeJS.ProcessEnv,
  commands: ReadonlyArray<ReadonlyArray<string>>
): Promise<void> => {
  await using _ = await startDaemon(env, { file: program, nodeOptions: withoutTimers })
  for (const args of commands) {
    succeed(process.execPath, [...withoutTimers, program, ...args], { env, input: exampleKey })
  }
}

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{
      readonly ranges: ReadonlyArray<
        { readonly startOffset: number; readonly endOffset: number; readonly count: number }
      >
    }>
  }>
}

/** Where the called functions of each file begin and end, as `<begin>:<end>`. */
const calledFunctions = (coverage: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const files = new Map<string, Set<string>>()
  for (const name of fs.readdirSync(coverage)) {
    const { result } = JSON.parse(fs.readFileSync(path.join(coverage, name), "utf8")) as Coverage
    for (const { functions, url } of result.filter(({ url }) => url.startsWith("file:"))) {
      const file = fileURLToPath(url)
      const called = files.get(file) ?? new Set()
      files.set(file, called)
      for (const { ranges: [whole] } of functions) {
        if (whole !== undefined && whole.count > 0) called.add(`${whole.startOffset}:${whole.endOffset}`)
      }
    }
  }
  return files
}

/** The code with these functions in parentheses. Declarations and methods, which cannot be in any, stay as they are. */
export const inParentheses = (code: string, functions: ReadonlySet<string>): string => {
  const parentheses: Array<readonly [at: number, text: "(" | ")"]> = []
  const add = ({ end, start }: { readonly start: number; readonly end: number }): void => {
    if (functions.has(`${start}:${end}`)) parentheses.push([start, "("], [end, ")"])
  }
  new Visitor({ ArrowFunctionExpression: add, FunctionExpression: add }).visit(parseSync("code.js", code).program)
  const parts: Array<string> = []
  let at = 0
  for (const [next, text] of parentheses.toSorted(([a], [b]) => a - b)) {
    parts.push(code.slice(at, next), text)
    at = next
  }
  return parts.join("") + code.slice(at)
}

/** Runs the program in the directory and puts the functions that it calls in parentheses. */
export const compileCalledFunctions = async (directory: string): Promise<void> => {
  using temporary = temporaryDirectory("build")
  // Resolves links, as V8 does in the URLs that it reports.
  const files = fs.realpathSync(directory)
  const program = path.join(files, "credsvc.js")
  const coverage = path.join(temporary.path, "coverage")
  const env = environmentIn(temporary.path)
  // Creates the home, which happens once.
  await withDaemon(program, env, [firstLogin])
  await withDaemon(program, { ...env, NODE_V8_COVERAGE: coverage }, commonCommands)
  for (const [file, called] of calledFunctions(coverage)) {
    // Node caches no code of the program's entry, which older versions of Node must be able to read.
    if (path.dirname(file) !== files || file === program) continue
    fs.writeFileSync(file, inParentheses(fs.readFileSync(file, "utf8"), called))
  }
}
