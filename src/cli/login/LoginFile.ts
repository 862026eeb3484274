/**
 * Takes over the login that a program has in a file, and gives it back. Recipes say where the file is.
 *
 * The file is replaced only after the daemon has sealed the login, and the daemon forgets the original only after the
 * file is restored.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { ConnectionsGroup } from "../../api/ConnectionsGroup.ts"
import { CredentialsGroup } from "../../api/CredentialsGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { Paths } from "../../config/Paths.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../../domain/Errors.ts"
import { PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import { readLoginText } from "../../domain/text/LoginText.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import type { LoginPlaces } from "../../domain/wire/OriginalFile.ts"
import { RestoredFile } from "../../domain/wire/OriginalFile.ts"
import { orElse } from "../../platform/files/IfPresent.ts"
import { pointed, pointersIn } from "../../platform/JsonPointer.ts"
import * as ProcFs from "../../platform/process/ProcFs.ts"
import { giveOwnLogin, loginFile } from "../../run/recipes/AppliedRecipe.ts"
import type { Recipe } from "../../run/recipes/RecipeFile.ts"
import { allRecipes } from "../../run/recipes/Recipes.ts"
import { connectionDocument } from "../output/ConnectionDocument.ts"
import { Output } from "../output/Output.ts"
import { readUserFile, replaceUserFile, restoreUserFile, type UserFile } from "./UserFile.ts"

const refused = (message: string) => OperationNotAllowedError.of(message)

interface ProgramFile {
  readonly recipe: Recipe
  readonly file: string
  readonly login: NonNullable<Recipe["login"]>
  readonly places: LoginPlaces
}

const programFiles = Effect.map(
  allRecipes,
  (known) =>
    known.flatMap(({ recipe }): ReadonlyArray<ProgramFile> =>
      recipe.login?.tokens === undefined
        ? []
        : [{ recipe, file: loginFile(recipe.login), login: recipe.login, places: recipe.login.tokens }]
    )
)

/** Tells whether a file has tokens that are not placeholders. */
export const hasTokens = ({ file, places: { access, refresh } }: ProgramFile): boolean => {
  const document = orElse(() => readLoginText(fs.readFileSync(file, "utf8")), undefined)?.document
  return [access, refresh].flatMap((place) => place === undefined ? [] : pointersIn(document, place)).some((place) => {
    const token = pointed(document, place)
    return typeof token === "string" && token !== "" && !token.includes(PLACEHOLDER)
  })
}

/** The login files of programs that have tokens. */
export const filesWithTokens = Effect.map(programFiles, (files) => files.filter(hasTokens))

/** Lists the files of a program or a provider. Files with tokens come first. */
export const filesOf = (name: string) =>
  Effect.map(programFiles, (files) => {
    const isNamed = ({ recipe }: ProgramFile) => recipe.name === name || recipe.programs.includes(name)
    const own = files.some(isNamed) ? files.filter(isNamed) : files.filter(({ places }) => places.provider === name)
    return own.toSorted((one, other) => Number(hasTokens(other)) - Number(hasTokens(one)))
  })

const interpreters = /^(?:node|bun|deno)$/

/** Lists the processes that run the program for the user. They may have its tokens in memory and write them again. */
const running = ({ packages = [], programs }: Recipe) =>
  Effect.map(Effect.promise(() => ProcFs.pids().catch(() => [])), (pids) =>
    pids.filter((pid) => {
      const { env, getuid } = process
      if (ProcFs.uid(pid) !== getuid?.() || ProcFs.startedWith(pid, "HOME") !== env["HOME"]) return false
      const [program = "", script = ""] = ProcFs.commandLine(pid)
      const word = interpreters.test(path.basename(program)) ? script : program
      return programs.includes(path.basename(word)) || packages.some((name) => word.includes(`/node_modules/${name}/`))
    }))

export interface LoginFileInput {
  readonly connection: ConnectionName
  readonly force: boolean
  readonly adopt: boolean
  readonly keep: boolean
  readonly undo: boolean
}

const found = Effect.fnUntraced(function*(name: string) {
  const [first] = yield* filesOf(name)
  if (first !== undefined) return first
  const names = (yield* programFiles).map(({ recipe }) => recipe.name).join(", ")
  return yield* InvalidRequestError.at("<provider>", `no login file of "${name}" is known: expected one of ${names}`)
})

const undo = Effect.fnUntraced(function*({ file }: ProgramFile, force: boolean) {
  const output = yield* Output
  if (!(yield* restoreUserFile(file, force))) return yield* refused(`The vault has no original of ${file}.`)
  if (output.json) {
    return yield* output.document(Schema.encodeSync(RestoredFile)({ status: "restored", path: file }))
  }
  yield* output.note(`Restored ${file}.`)
})

/** Makes the vault forget the login of a file that could not be replaced, which the program still refreshes itself. */
const giveBack = Effect.fnUntraced(function*({ file, text }: UserFile, replaced: string) {
  const now = yield* Effect.exit(readUserFile(file))
  // The file was replaced after all, only the directory could not be synced.
  if (now._tag === "Success" && now.value.text === replaced) return
  const { restore } = (yield* DaemonClient).of(CredentialsGroup)
  yield* Effect.ignore(restore({ payload: { path: file, content: Redacted.make(text) } }))
})

/** Takes over the login of a program, or gives it back. */
export const loginByFile = Effect.fnUntraced(function*(
  name: string,
  { connection: chosen, force, keep, undo: isUndo }: LoginFileInput
) {
  const client = yield* DaemonClient
  const output = yield* Output
  const program = yield* found(name)
  const { file, login, places, recipe } = program
  if (isUndo) return yield* undo(program, force)
  const present = yield* readUserFile(file)
  const document = readLoginText(present.text)?.document
  if (document !== undefined && pointersIn(document, places.access).length === 0) {
    return yield* refused(
      `${file} has no access token. A login with an API key, or in the keyring of the system, cannot be taken over: ${
        login.keyring === undefined ? "" : `${login.keyring}, or `
      }log in inside credsvc run.`
    )
  }
  const pids = keep || force ? [] : yield* running(recipe)
  if (pids.length > 0) {
    return yield* refused(
      `${recipe.description} is running (process ${
        pids.join(", ")
      }), and may write its tokens to the file again. End it first, or add --force.`
    )
  }
  const { connection, content, provider } = yield* client.of(CredentialsGroup).adopt({
    payload: {
      path: file,
      content: Redacted.make(present.text),
      places,
      keep,
      force,
      ...(chosen === defaultConnectionName ? {} : { connection: chosen })
    }
  })
  const replaced = Redacted.value(content)
  if (keep) giveOwnLogin(recipe, (yield* Paths).home, replaced)
  else yield* Effect.onError(replaceUserFile(present, replaced), () => giveBack(present, replaced))
  if (output.json) {
    return yield* output.document(
      connectionDocument(yield* client.of(ConnectionsGroup).get({ params: { provider, connection } }))
    )
  }
  const again = `credsvc login ${recipe.name}`
  yield* output.note(`Took over the login of ${recipe.description} as ${provider} (connection "${connection}").`)
  yield* output.note(
    keep
      ? `Contained runs get placeholders until the access token expires. Then repeat: ${again} --keep`
      : `${file} has placeholders now, which work in credsvc run only. To undo this: ${again} --undo`
  )
})
