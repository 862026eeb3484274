/** Routes that change something: the dashboard's forms and their confirmation pages. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Connections } from "../../connections/Connections.ts"
import { ConnectionChecks } from "../../connections/use/ConnectionChecks.ts"
import type { ProviderName } from "../../domain/definition/Provider.ts"
import { ConnectionNotFoundError, type Problem } from "../../domain/Errors.ts"
import { Answer, QuestionId } from "../../domain/rules/Question.ts"
import { plural } from "../../domain/text/Plural.ts"
import { problemsOf } from "../../domain/text/SchemaProblems.ts"
import { StartLogin } from "../../domain/wire/AuthSession.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import type { Revoked } from "../../domain/wire/ConnectionResults.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { type ProfileHandle } from "../../domain/wire/Profile.ts"
import type { RunName } from "../../domain/wire/Run.ts"
import { FlowRunner } from "../../flows/FlowRunner.ts"
import { Profiles } from "../../profiles/Profiles.ts"
import { ProviderRegistry } from "../../providers/ProviderRegistry.ts"
import { RunQuestions } from "../../runs/RunQuestions.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { currentPeer } from "../http/CurrentCaller.ts"
import { Instance } from "../http/Instance.ts"
import { doneNotice, type Html, html } from "../pages/Html.ts"
import { type Form, layerPages, param, type Response } from "../pages/PageRequests.ts"
import { seeOther } from "../pages/Pages.ts"
import { answeredText } from "./ApprovalsPage.ts"
import { reasonOf } from "./ConnectionRow.ts"
import { Dashboard } from "./Dashboard.ts"
import { approvalsPath, loginPath, providerPath, runsPath, withQuery } from "./DashboardPaths.ts"
import { ofConnection, ofProvider, type Page, withFailurePage, withForm } from "./DashboardRequests.ts"
import { providerPage } from "./ProviderPage.ts"
import { stopPage } from "./RunsPage.ts"
import { alreadyConnectedPage, disconnectPage, makeDefaultPage, revokePage } from "./StepPages.ts"

const decodeQuestion = Schema.decodeUnknownExit(QuestionId)
const decodeAnswer = Schema.decodeUnknownExit(Answer)

const checkTones = {
  works: "good",
  limited: "good",
  refused: "bad",
  unexpected: "warn",
  unreachable: "warn",
  not_checked: "warn"
} as const

const decodeLogin = Schema.decodeUnknownResult(StartLogin)

const readLogin = (provider: ProviderName, form: Form): Result.Result<StartLogin, ReadonlyArray<Problem>> => {
  const given = (name: string): string | undefined => form.get(name)?.trim() || undefined
  const scopes = given("scopes")?.split(/\s+/)
  const fields = {
    provider,
    connection: given("connection") ?? defaultConnectionName,
    flow: given("flow"),
    scopes,
    base_url: given("base_url"),
    force: form.get("force") === "true"
  }
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return Result.mapError(decodeLogin(present), problemsOf)
}

const told = (tone: "good" | "warn" | "bad", text: string): Html => doneNotice(tone, html`<p>${text}</p>`)

const revokedNotice = ({ connections, failures, providerContacted }: Revoked): Html => {
  const atProvider = providerContacted && failures.length === 0 ? " and revoked at the provider" : ""
  const text = `${plural(connections.length, "connection")} removed${atProvider}.`
  return failures.length === 0
    ? told("good", text)
    : doneNotice(
      "warn",
      html`<p>${text} Some tokens could not be revoked at the provider:</p>${
        failures.map((failure) => html`<p>${failure}</p>`)
      }`
    )
}

/** Goes back to a page of the dashboard, and shows a notice there. */
type GoBack = (path: string, notice: Html) => Response

/** The route that starts a login. */
const makeLoginRoute = Effect.gen(function*() {
  const { baseUrl } = yield* Instance
  const dashboard = yield* Dashboard
  const flows = yield* FlowRunner
  const profiles = yield* Profiles
  const registry = yield* ProviderRegistry

  const start = Effect.fnUntraced(function*(name: ProviderName, form: Form) {
    const provider = yield* registry.get(name)
    const refused = (problems: ReadonlyArray<Problem>) =>
      Effect.map(
        dashboard.connections(name),
        (view) => providerPage({ view, page: 1, provider, baseUrl, refused: { values: form, problems } })
      )
    const login = readLogin(name, form)
    if (Result.isFailure(login)) return yield* refused(login.failure)
    return yield* flows.start(yield* profiles.active, login.success, "dashboard").pipe(
      Effect.map(({ sessionId }) => seeOther(loginPath(sessionId))),
      Effect.catchTags({
        ConnectionAlreadyExistsError: ({ connection }) =>
          Effect.map(dashboard.moment, (moment) => alreadyConnectedPage({ ...provider, moment }, connection, form)),
        InvalidRequestError: ({ problems }) => refused(problems)
      })
    )
  })

  return { connect: ofProvider((name) => withForm((form) => start(name, form))) }
})

/** The pages that ask whether to change a connection. */
const makeQuestionRoutes = Effect.gen(function*() {
  const connections = yield* Connections
  const dashboard = yield* Dashboard
  const profiles = yield* Profiles
  const registry = yield* ProviderRegistry

  const stepOf = (name: ProviderName) =>
    Effect.zipWith(registry.get(name), dashboard.moment, ({ definition }, moment) => ({ definition, moment }))

  /** Lists the connections that the profile can change. Connections that others have granted to it are not among them. */
  const listOf = Effect.fnUntraced(function*(name: ProviderName) {
    const all = yield* connections.list(yield* profiles.active, name)
    return all.filter(({ grantedBy }) => grantedBy === undefined)
  })

  /** Finds one connection that the profile can change, and the others of its provider. */
  const chosen = Effect.fnUntraced(function*(provider: ProviderName, name: ConnectionName) {
    const list = yield* listOf(provider)
    const others = list.filter(({ connectionName }) => connectionName !== name)
    const connection = list.find(({ connectionName }) => connectionName === name)
    if (connection !== undefined) return { connection, others }
    return yield* ConnectionNotFoundError.of(provider, name, list.map(({ connectionName }) => connectionName))
  })

  return {
    askDisconnect: ofConnection(Effect.fnUntraced(function*(provider, name) {
      const { connection, others: [next] } = yield* chosen(provider, name)
      const nextDefault = connection.isDefault ? next?.connectionName : undefined
      return disconnectPage(yield* stepOf(provider), connection, nextDefault)
    })),
    askDefault: ofConnection(Effect.fnUntraced(function*(provider, name) {
      const { others } = yield* chosen(provider, name)
      return makeDefaultPage(yield* stepOf(provider), name, others.find(({ isDefault }) => isDefault)?.connectionName)
    })),
    askRevoke: ofProvider(Effect.fnUntraced(function*(provider) {
      const list = yield* listOf(provider)
      return list.length === 0 ? seeOther(providerPath(provider)) : revokePage(yield* stepOf(provider), list)
    }))
  }
})

/** The routes that change a connection. */
const makeConnectionRoutes = Effect.fnUntraced(function*(back: GoBack) {
  const checks = yield* ConnectionChecks
  const connections = yield* Connections
  const profiles = yield* Profiles

  /** A form that changes connections, and then shows a notice on the page of their provider. */
  const change = <E>(provider: ProviderName, act: (profile: ProfileHandle) => Effect.Effect<Html, E>) =>
    withForm(() => Effect.map(Effect.flatMap(profiles.active, act), (notice) => back(providerPath(provider), notice)))

  return {
    disconnect: ofConnection((provider, name) =>
      change(
        provider,
        (profile) =>
          Effect.map(connections.logout(profile, provider, name), ({ newDefault }) =>
            told("good", `${name} disconnected.${newDefault === null ? "" : ` ${newDefault} is now the default.`}`))
      )
    ),
    check: ofConnection((provider, name) =>
      change(provider, (profile) =>
        checks.check(profile, provider, name).pipe(
          Effect.map(({ message, outcome }) => told(checkTones[outcome], reasonOf(message))),
          // The request with the credential could not be sent.
          Effect.catchTag(
            ["CredentialMissingError", "RefreshFailedError", "TokenExpiredError"],
            ({ message }) => Effect.succeed(told("bad", reasonOf(message)))
          )
        ))
    ),
    makeDefault: ofConnection((provider, name) =>
      change(
        provider,
        (profile) =>
          Effect.as(connections.setDefault(profile, provider, name), told("good", `${name} is now the default.`))
      )
    ),
    revoke: ofProvider((provider) =>
      change(provider, (profile) => Effect.map(connections.revoke(profile, provider), revokedNotice))
    )
  }
})

/** The routes that stop a run or answer its questions. */
const makeRunRoutes = Effect.fnUntraced(function*(back: GoBack) {
  const dashboard = yield* Dashboard
  const registered = yield* RunRegistry
  const questions = yield* RunQuestions

  /** Opens the page for the run in the address, or goes back to the list if that run has ended. */
  const ofRun = <E>(page: (name: RunName) => Page<E>) =>
    withFailurePage(Effect.flatMap(param("run"), (name) =>
      Effect.flatMap(registered.list, (runs) => {
        const run = runs.find((run) => run.name === name && run.stoppedAt === null)
        return run === undefined
          ? Effect.succeed(back(runsPath, told("warn", "This run has already ended.")))
          : page(run.name)
      })))

  return {
    askStop: ofRun((name) => Effect.map(dashboard.moment, (moment) => stopPage(moment, name))),
    stop: ofRun((name) =>
      withForm(Effect.fnUntraced(function*() {
        const stopped = yield* registered.stopRun(yield* currentPeer, name)
        return back(runsPath, told("good", `${plural(stopped.length, "run")} stopped.`))
      }))
    ),
    answer: withFailurePage(Effect.flatMap(param("id"), (text) => {
      const id = decodeQuestion(text)
      if (Exit.isFailure(id)) return Effect.succeed(seeOther(approvalsPath))
      return withForm(Effect.fnUntraced(function*(form) {
        const given = decodeAnswer(form.get("answer"))
        if (Exit.isFailure(given)) return seeOther(approvalsPath)
        const notice = yield* questions.answer(yield* currentPeer, id.value, given.value).pipe(
          Effect.map((question) =>
            doneNotice(given.value === "no" ? "warn" : "good", answeredText(question, given.value))
          ),
          Effect.catchTag("OperationNotAllowedError", ({ message }) => Effect.succeed(told("bad", message)))
        )
        return back(approvalsPath, notice)
      }))
    }))
  }
})

export const layer = layerPages(Effect.gen(function*() {
  const { notices } = yield* Dashboard
  const back: GoBack = (path, notice) => seeOther(withQuery(path, { notice: notices.put(notice) }))
  return {
    ...yield* makeLoginRoute,
    ...yield* makeQuestionRoutes,
    ...yield* makeConnectionRoutes(back),
    ...yield* makeRunRoutes(back)
  }
}))
