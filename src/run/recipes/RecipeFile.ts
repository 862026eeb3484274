/** The format of recipes, which describe as data how runs start a program. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import { InvalidRequestError, type Problem } from "../../domain/Errors.ts"
import { problemsOf } from "../../domain/text/SchemaProblems.ts"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import { LoginPlaces } from "../../domain/wire/OriginalFile.ts"
import { ProviderName } from "../../domain/wire/ProviderName.ts"

const matching = (pattern: RegExp, expected: string) => Schema.String.check(Schema.isPattern(pattern, { expected }))

const Name = matching(
  /^[a-z0-9][a-z0-9-]{0,31}$/u,
  "1 to 32 lower-case letters, digits or '-', beginning with a letter or digit"
)
const InHome = matching(/^~(?:\/(?!\.\.?(?:\/|$))[^/]+)+$/u, "a path below the home directory, such as ~/.acme")
const Below = matching(/^(?!\.\.?(?:\/|$))[^/]+(?:\/(?!\.\.?(?:\/|$))[^/]+)*$/u, "a path below the directory")
const Variable = matching(/^[A-Za-z_][A-Za-z0-9_]*$/u, "the name of a variable")

const Texts = Schema.Array(Schema.NonEmptyString)
const Variables = Schema.Record(Variable, Schema.String)
const optional = Schema.optionalKey

export const RecipeFile = Schema.Struct({
  $schema: optional(Schema.String),
  name: Name,
  description: Schema.NonEmptyString,
  /** The names of the program's executables. */
  programs: Texts.check(Schema.isMinLength(1)),
  /** npm packages that contain the program. */
  packages: optional(Texts),
  contained: optional(Schema.Struct({
    /** Directories that the program writes to. The run has its own in their place. */
    directories: optional(Schema.Array(Schema.Struct({
      path: InHome,
      /** The files that are copied from the user's directory when the run's own is created. */
      copy: optional(Schema.Array(Below)),
      /** Files that are created together with the run's own directory: the content by path. */
      files: optional(Schema.Record(Below, Schema.String))
    }))),
    hide: optional(Schema.Array(InHome)),
    /** Variables that are set unless the user has set them. `~/` at the beginning is the home directory. */
    set: optional(Variables),
    /** Arguments that precede the user's own. */
    arguments: optional(Texts)
  })),
  /** Further providers that the program logs in to. Other runs do not intercept login servers that other clients use as well. */
  logins: optional(Schema.Array(ProviderName)),
  /** The program's own login, which takes precedence over placeholders of connections. */
  login: optional(Schema.Struct({
    file: InHome,
    /** A variable that names the directory of the file. */
    directory: optional(Variable),
    /** Where the file has the tokens of a provider that declares logins, so that credsvc can take them over. */
    tokens: LoginPlaces,
    /** Whether a login with real tokens also takes precedence over the placeholders of connections. */
    real: optional(Schema.Literal(true)),
    /** A variable that also provides a login. */
    variable: optional(Variable),
    set: optional(Variables),
    unset: optional(Schema.Array(Variable)),
    /** The first arguments of the program's login command, for which variables that prevent a login are unset. */
    arguments: optional(Texts),
    /** The entry of the system's keyring in place of the file. `{directory}` is a digest of the file's directory. */
    entry: optional(Schema.Struct({ service: Schema.NonEmptyString, account: Schema.NonEmptyString })),
    /** How to make the program use the file instead of the system's keyring. */
    keyring: optional(Schema.NonEmptyString),
    /**
     * The members of the file that belong to the login. Contained runs get them if credsvc took over the login and the
     * file is at the top of a private directory.
     */
    members: optional(Texts)
  })),
  hooks: optional(Schema.Array(Schema.Literals(["python", "bun", "chromium", "mcp"]))),
  notes: optional(Texts)
})
export type Recipe = typeof RecipeFile.Type

const decode = Schema.decodeUnknownResult(RecipeFile, { onExcessProperty: "error", errors: "all" })

/** Reads the text of a recipe's file. */
export const readRecipeFile = (file: string, text: string): Result.Result<Recipe, InvalidRequestError> =>
  parseStrictJson(text).pipe(
    Result.mapError((problem): ReadonlyArray<Problem> => [problem]),
    Result.flatMap((value) => Result.mapError(decode(value), problemsOf)),
    Result.filterOrFail(
      ({ name }) => name === path.basename(file, ".json"),
      () => [{ path: "/name", message: "must match the file name" }]
    ),
    Result.mapError((problems) =>
      InvalidRequestError.of(problems.map((each) => ({ ...each, path: `${file} ${each.path}`.trimEnd() })))
    )
  )
