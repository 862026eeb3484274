/** Finds the token with which a CI system or a cluster says which job or workload this is. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as fs from "node:fs"
import { InvalidRequestError, OperationNotAllowedError } from "../../domain/Errors.ts"
import { isLoopbackLiteral } from "../../platform/sockets/IpAddress.ts"
import { readText } from "../parse/InputText.ts"

type Failure = InvalidRequestError | OperationNotAllowedError

interface Source {
  readonly name: string
  /** Whether the command runs where this source has a token. */
  readonly isHere: (environment: NodeJS.ProcessEnv) => boolean
  /** Obtains the token, for the given audience if the job can choose the audience. */
  readonly token: (environment: NodeJS.ProcessEnv, audience: string) => Effect.Effect<string, Failure>
  /** Where the audience is configured, if the job cannot choose it. */
  readonly audience?: string
}

const milliseconds = 30_000

/** The file with the service account token of the Pod in docs/hosting/kubernetes-job.yaml. */
const projectedFile = "/var/run/secrets/credsvc/token"

const failure = (detail: string) => OperationNotAllowedError.of(detail)

const ofGitHub = (address: string, secret: string, audience: string) => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || (url.protocol !== "https:" && !isLoopbackLiteral(url.hostname))) {
    return Effect.fail(InvalidRequestError.at("ACTIONS_ID_TOKEN_REQUEST_URL", "expected an https URL"))
  }
  url.searchParams.set("audience", audience)
  return Effect.tryPromise({
    try: async () => {
      const response = await fetch(url, {
        headers: { accept: "application/json", authorization: `Bearer ${secret}` },
        redirect: "error",
        signal: AbortSignal.timeout(milliseconds)
      })
      const { value } = await response.json() as { readonly value?: unknown }
      if (typeof value !== "string") throw new Error(`status ${response.status}`)
      return value
    },
    // Never the cause, which may contain the address with the secret.
    catch: () =>
      failure(`GitHub Actions issued no token at ${url.host}. Try again, and check the permission id-token: write`)
  }).pipe(Effect.retry({ times: 2, schedule: Schedule.exponential("500 millis") }))
}

const missing = (remedy: string) => Effect.fail(failure(`This job has no token. ${remedy}`))

/** The sources of tokens, in the order in which they are tried. The first source that applies to this job is used. */
const sources: ReadonlyArray<Source> = [
  {
    name: "CREDSVC_ID_TOKEN_FILE",
    isHere: ({ CREDSVC_ID_TOKEN_FILE: file }) => file !== undefined,
    token: ({ CREDSVC_ID_TOKEN_FILE: file }) => readText({ file, flag: "CREDSVC_ID_TOKEN_FILE", maxKib: 16 }),
    audience: "where the token is issued"
  },
  {
    name: "CREDSVC_ID_TOKEN",
    isHere: ({ CREDSVC_ID_TOKEN: token }) => token !== undefined,
    token: ({ CREDSVC_ID_TOKEN: token = "" }) => Effect.succeed(token),
    audience: "in `id_tokens` of .gitlab-ci.yml"
  },
  {
    name: "GitHub Actions",
    isHere: ({ GITHUB_ACTIONS: flag }) => flag === "true",
    token: ({ ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret, ACTIONS_ID_TOKEN_REQUEST_URL: url }, audience) =>
      url === undefined || secret === undefined
        ? Effect.fail(failure("This job may not request a token. Add to the job: permissions: { id-token: write }"))
        : ofGitHub(url, secret, audience)
  },
  {
    name: "GitLab CI",
    isHere: ({ GITLAB_CI: flag }) => flag === "true",
    token: (_, audience) => missing(`Add to the job: id_tokens: { CREDSVC_ID_TOKEN: { aud: "${audience}" } }`)
  },
  {
    name: "Buildkite",
    isHere: ({ BUILDKITE: flag }) => flag === "true",
    token: (_, audience) =>
      missing(`Set CREDSVC_ID_TOKEN to the output of: buildkite-agent oidc request-token --audience ${audience}`)
  },
  {
    name: "Kubernetes",
    isHere: () => fs.existsSync(projectedFile),
    token: () => readText({ file: projectedFile, flag: projectedFile, maxKib: 16 }),
    audience: "in the projected volume of the pod"
  }
]

/** Finds the token of this job. `chosen` is the value of `--audience`, and `standard` its default. */
export const findToken = Effect.fnUntraced(function*(chosen: string | undefined, standard: string) {
  const environment = process.env
  const source = sources.find(({ isHere }) => isHere(environment))
  if (source === undefined) {
    return yield* failure(
      "This is not a job of GitHub Actions, GitLab CI or Buildkite, nor a pod with a token for credsvc. For another issuer, set " +
        "CREDSVC_ID_TOKEN_FILE to a file with the token."
    )
  }
  if (chosen !== undefined && source.audience !== undefined) {
    return yield* InvalidRequestError.at("--audience", `has no effect: the audience is set ${source.audience}`)
  }
  const token = (yield* source.token(environment, chosen ?? standard)).trim()
  if (token === "") return yield* failure(`${source.name} has an empty token.`)
  return Redacted.make(token)
})
