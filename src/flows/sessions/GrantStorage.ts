/** Ends logins with what their grants hold: stores it as a connection, or revokes it at the server. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { Connections } from "../../connections/Connections.ts"
import { ClientCredentialsRepo } from "../../connections/oauth/ClientCredentialsRepo.ts"
import { pinnedIssuer } from "../../connections/oauth/Issuers.ts"
import { Revocations } from "../../connections/oauth/Revocations.ts"
import type { ProviderDefinition } from "../../domain/definition/Provider.ts"
import { OperationNotAllowedError, VaultUnavailableError } from "../../domain/Errors.ts"
import { fingerprint } from "../../providers/Fingerprint.ts"
import { baseUrlOfKey } from "../../providers/KeyCheck.ts"
import type { Grant, HeldTokens, LoginRequest } from "../Flow.ts"
import { AuthSessions, type StoredSession } from "./AuthSessions.ts"

const storeRetry = Schedule.spaced("2 seconds")

const accountWarning = (known: Grant["account"], account: Grant["account"]): string | undefined => {
  if (typeof known?.id !== "string" || typeof account?.id !== "string" || known.id === account.id) return undefined
  const [before, now] = [known, account].map(({ id, label }) => label ?? id)
  return `The login belongs to another account than before: ${now} instead of ${before}.`
}

/** Makes the functions that store the grant of a login, or revoke it. */
export const make = Effect.gen(function*() {
  const sessions = yield* AuthSessions
  const clients = yield* ClientCredentialsRepo
  const connections = yield* Connections
  const revocations = yield* Revocations
  const scope = yield* Effect.scope

  /** Revokes the tokens of a login that stores none, at the server that issued them. */
  const giveBack = (
    session: StoredSession,
    definition: ProviderDefinition | undefined,
    { client, existing, grantValues, oauth, refreshToken, values }: HeldTokens
  ) =>
    oauth === undefined || existing === "unchanged"
      ? Effect.void
      : clients.list(session.profile, session.provider).pipe(
        Effect.flatMap((known) => {
          const issuer = pinnedIssuer(oauth, definition?.authType === "oauth2" ? definition : undefined, known)
          // A client that was entered in this login is not stored.
          const clientSecret = client?.credentials.clientSecret ?? issuer.client.clientSecret
          const secrets = { values, refreshToken, grantValues }
          return revocations.giveBack({ ...issuer, client: { ...issuer.client, clientSecret } }, secrets)
        }),
        Effect.ignore,
        Effect.forkIn(scope),
        Effect.asVoid
      )

  /** Returns the effect that stores the connection of a grant, and ends the session in the same transaction. */
  const savingOf = Effect.fnUntraced(function*(session: StoredSession, request: LoginRequest, grant: Grant) {
    const { definition } = request
    const { content } = session
    const { client, existing: _, warning, ...credential } = grant
    const baseUrl = credential.baseUrl ?? content.baseUrl ?? baseUrlOfKey(definition, credential.values)
    const before = yield* Effect.option(
      connections.get(session.profile, session.provider, session.name, { reveal: false })
    )
    const accounts = accountWarning(Option.getOrUndefined(before)?.account, grant.account)
    const warnings = [warning, accounts].filter((text) => text !== undefined)
    return connections.save(session.profile, {
      ...credential,
      provider: session.provider,
      connection: session.name,
      flow: session.flow,
      containedOnly: content.containedOnly,
      baseUrl,
      definitionFp: fingerprint(definition, baseUrl),
      requestedScopes: credential.grantValues === undefined ? undefined : content.scopes,
      scopes: credential.scopes ?? content.scopes
    }, {
      force: content.force,
      // Runs in the same transaction, so that the session ends if and only if its connection is stored.
      also: Effect.gen(function*() {
        if (definition.authType === "oauth2" && client !== undefined) {
          const { credentials, issuer } = client
          yield* clients.save({ profile: session.profile, definition, baseUrl, issuer }, credentials)
        }
        const ended = yield* sessions.end(session, "completed", {
          message: `${definition.displayName} is connected.`,
          warning: warnings.length === 0 ? null : warnings.join(" "),
          error: null
        })
        if (ended === undefined) {
          return yield* VaultUnavailableError.of("The login was changed or ended before it was stored. Log in again.")
        }
      })
    })
  })

  /** Whether another operation has ended or changed the session. False if the store cannot be read. */
  const isOver = ({ content: { sessionId }, generation }: StoredSession) =>
    sessions.find(sessionId).pipe(
      Effect.map((now) => now?.generation !== generation),
      Effect.orElseSucceed(() => false)
    )

  /** Stores the connection of a grant and ends the session. Does nothing if another operation has ended the session. */
  const storeGrant = Effect.fnUntraced(function*(session: StoredSession, request: LoginRequest, grant: Grant) {
    const save = yield* savingOf(session, request, grant)
    const release = giveBack(session, request.definition, grant)
    /** Retries until the session has ended: the server may have invalidated the refresh token that the user entered. */
    const saveLater = save.pipe(
      Effect.retry({
        schedule: storeRetry,
        while: ({ _tag }) =>
          _tag === "VaultUnavailableError" ? Effect.map(isOver(session), (ended) => !ended) : Effect.succeed(false)
      }),
      Effect.tapError(() => release),
      Effect.ignore
    )
    const failed = Effect.fnUntraced(function*(error: Effect.Error<typeof save>) {
      if (error._tag !== "VaultUnavailableError") {
        yield* release
        return yield* error._tag === "ProviderNotFoundError" ? OperationNotAllowedError.of(error.message) : error
      }
      const hasEnded = yield* isOver(session)
      if (grant.existing !== undefined && !hasEnded) {
        yield* Effect.logWarning("a refreshed token could not be stored and is kept in memory until it can be stored")
        return void (yield* Effect.forkIn(saveLater, scope))
      }
      // A login that waits for input keeps its tokens, so that the input can be submitted again.
      if (session.content.action.type !== "enter_input") yield* release
      if (!hasEnded) return yield* error
    })
    yield* Effect.catch(Effect.asVoid(save), failed)
  })

  return { giveBack, storeGrant }
})
