/**
 * Takes over the login that a program has in a file, and gives it back. Recipes say where the file is.
 *
 * The file is replaced only after the daemon has sealed the login, and the daemon forgets the original only after the
 * file is restored.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as path from "node:path"
import { Paths } from "../../config/Paths.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../../domain/Errors.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { readLoginText } from "../../domain/text/LoginText.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { sha256 } from "../../platform/Digest.ts"
import { realPathOf } from "../../platform/files/ReadOrEmpty.ts"
import { stringsAt } from "../../platform/JsonPointer.ts"
import { type KeyringEntry, keyringName } from "../../platform/process/KeyringEntries.ts"
import * as ProcFs from "../../platform/process/ProcFs.ts"
import { ownDirectories } from "../../run/recipes/OwnDirectories.ts"
import { loginFile, putOwnLogin, tokensIn } from "../../run/recipes/ProgramLoginFile.ts"
import type { Recipe } from "../../run/recipes/RecipeFile.ts"
import { allRecipes, isProgramOf } from "../../run/recipes/Recipes.ts"
import { call } from "../api/OperationCall.ts"
import { Output } from "../output/Output.ts"
import type { LoginInput } from "../tree/CommandInputs.ts"
import { readUserFile, replaceUserFile, restoreUserFile, type UserFile } from "./UserFile.ts"

const refusal = (message: string) => OperationNotAllowedError.of(message)

/** The entry of the keyring that a program uses in place of its file, if any. */
const entryOf = ({ entry }: NonNullable<Recipe["login"]>, file: string): KeyringEntry | undefined => {
  const directory = entry && realPathOf(path.dirname(file))
  return entry && directory !== undefined
    ? { ...entry, account: entry.account.replace("{directory}", sha256(directory).slice(0, 16)) }
    : undefined
}

/** Returns the login files that recipes describe. `name` selects a program or, if none has this name, a provider. */
const filesOf = (name?: string) =>
  Effect.map(allRecipes, (known) => {
    const files = known.flatMap((recipe) => {
      const { login } = recipe
      if (login === undefined) return []
      const file = loginFile(login)
      return [{ recipe, login, file, entry: entryOf(login, file) }]
    })
    if (name === undefined) return files
    const named = files.filter(({ recipe }) => [recipe.name, ...recipe.programs].includes(name))
    return named.length > 0 ? named : files.filter(({ login }) => login.tokens.provider === name)
  })
type ProgramFile = Effect.Success<ReturnType<typeof filesOf>>[number]

const nameOf = ({ entry, file }: UserFile): string =>
  entry === undefined ? file : `the entry "${entry.service}" of the ${keyringName}`

/**
 * The programs whose files or keyring entries have tokens, not only placeholders, and the names of these places. `name`: only
 * this program, or the programs of this provider.
 */
export const loggedIn = Effect.fnUntraced(function*(name?: string) {
  const found = yield* Effect.forEach(yield* filesOf(name), (program) =>
    readUserFile(program.file, program.entry).pipe(
      Effect.map((present) =>
        tokensIn(present.text, program.login.tokens).some((token) => !token.includes(PLACEHOLDER))
          ? [{ program, place: nameOf(present) }]
          : []
      ),
      Effect.orElseSucceed(() => [])
    ))
  return found.flat()
})

const interpreters = /^(?:node|bun|deno)$/

/** Lists the processes that run the program for the user. They may have its tokens in memory and write them again. */
const runningProcesses = (recipe: Recipe) =>
  Effect.map(Effect.promise(() => ProcFs.pids().catch(() => [])), (pids) =>
    pids.filter((pid) => {
      const { env, getuid } = process
      if (ProcFs.uid(pid) !== getuid?.() || ProcFs.startedWith(pid, "HOME") !== env["HOME"]) return false
      const [program = "", script = ""] = ProcFs.commandLine(pid)
      return isProgramOf(recipe, interpreters.test(path.basename(program)) ? script : program)
    }))

const findProgramFile = Effect.fnUntraced(function*(name: string) {
  const first = (yield* loggedIn(name))[0]?.program ?? (yield* filesOf(name))[0]
  if (first !== undefined) return first
  const names = (yield* filesOf()).map(({ recipe }) => recipe.name).join(", ")
  return yield* InvalidRequestError.at("<provider>", `unknown login file "${name}": expected one of ${names}`)
})

const undo = Effect.fnUntraced(function*({ entry, file, recipe }: ProgramFile, { force }: LoginInput) {
  const output = yield* Output
  if (!(yield* restoreUserFile(file, { force, entry }))) return yield* refusal(`The vault has no original of ${file}.`)
  if (output.json) return yield* output.document({ status: "restored", path: file })
  yield* output.note(`Restored the login of ${recipe.description}.`)
})

/** Deletes a login from the vault if its file could not be replaced: the program still refreshes the login. */
const giveBack = Effect.fnUntraced(function*({ entry, file, text }: UserFile, replaced: string) {
  const now = yield* Effect.exit(readUserFile(file, entry))
  // The file was replaced, but its directory could not be synced.
  if (now._tag === "Success" && now.value.text === replaced) return
  yield* Effect.ignore(call("credentials.restore", { path: file, content: Redacted.make(text) }))
})

/** Why the place has no login that can be taken over, or undefined if it has one. */
const tokenProblem = ({ login }: ProgramFile, present: UserFile): string | undefined => {
  const document = readLoginText(present.text)
  if (document === undefined || stringsAt(document, login.tokens.access).length > 0) return undefined
  const keyring = login.keyring === undefined || present.entry !== undefined ? "" : `${login.keyring}, or `
  return `${
    nameOf(present)
  } has no access token. A login with an API key, or in the keyring of the system, cannot be taken ` +
    `over: ${keyring}log in inside credsvc run.`
}

const runningProblem = Effect.fnUntraced(function*(recipe: Recipe) {
  const pids = yield* runningProcesses(recipe)
  return pids.length === 0
    ? undefined
    : `${recipe.description} is running (process ${pids.join(", ")}), and may write its tokens to the file again. ` +
      "End it first, or add --force."
})

/** The program's directories that contained runs see. They do not see the keyring. */
const seenDirectories = Effect.fnUntraced(function*(recipe: Recipe) {
  const { home } = yield* Paths
  return yield* Effect.try({
    try: () => ownDirectories(recipe, home, () => false).own,
    catch: (cause) => refusal(Object(cause).message)
  })
})

const tellTaken = Effect.fnUntraced(function*(
  { recipe }: ProgramFile,
  place: string,
  { connection, keep, provider }: { readonly connection: string; readonly keep: boolean; readonly provider: string }
) {
  const output = yield* Output
  const again = `credsvc login ${recipe.name}`
  yield* output.note(`Took over the login of ${recipe.description} as ${provider} (connection "${connection}").`)
  yield* output.note(
    keep
      ? `Contained runs get placeholders until the access token expires. Then repeat: ${again} --keep`
      : `${place[0]!.toUpperCase()}${place.slice(1)} now has placeholders, which work only in credsvc run. ` +
        `To undo this: ${again} --undo`
  )
})

/** Takes over the login of a program, or gives it back. */
export const loginByFile = Effect.fnUntraced(function*(name: string, input: LoginInput) {
  const output = yield* Output
  const program = yield* findProgramFile(name)
  if (input.undo) return yield* undo(program, input)
  const { entry, file, login, recipe } = program
  const { connection: chosen, force, keep } = input
  const present = yield* readUserFile(file, entry)
  const problem = tokenProblem(program, present) ?? (keep || force ? undefined : yield* runningProblem(recipe))
  if (problem !== undefined) return yield* refusal(problem)
  const own = keep || present.entry !== undefined ? yield* seenDirectories(recipe) : []
  const { connection, content: replaced, provider } = yield* call("credentials.adopt", {
    path: file,
    content: Redacted.make(present.text),
    places: login.tokens,
    keep,
    force,
    ...(chosen === defaultConnectionName ? {} : { connection: chosen })
  })
  if (!keep) yield* Effect.onError(replaceUserFile(present, replaced), () => giveBack(present, replaced))
  putOwnLogin(login, own, replaced)
  if (output.json) return yield* output.document(yield* call("connections.get", { provider, connection }))
  yield* tellTaken(program, nameOf(present), { connection, keep, provider })
})
