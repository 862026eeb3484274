/**
 * Tells a person elsewhere that something waits for them: a question of a run, or a connection that needs another login.
 *
 * A notice names what waits and leads to a page of the daemon. It contains no request, no credential and no way to answer.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { AuditLog } from "../audit/AuditLog.ts"
import type { NoticeTargets } from "../config/file/ConfigDocument.ts"
import { ConfigFile } from "../config/file/ConfigFile.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { builtins } from "../platform/builtins.ts"
import { randomId } from "../platform/Digest.ts"
import { ExpiringSet } from "../platform/ExpiringSet.ts"
import { isExecutable } from "../platform/files/FindProgram.ts"
import * as SecureFiles from "../platform/files/SecureFiles.ts"
import { commandOutput } from "../platform/process/CommandOutput.ts"
import { Profiles } from "../profiles/Profiles.ts"
import { DaemonLog } from "../telemetry/DaemonLog.ts"

interface Notice {
  readonly kind: "question" | "login"
  readonly profile: string
  /** The name of the run or connection that waits. */
  readonly subject: string
  readonly text: string
  /** The page of the daemon that the notice leads to. */
  readonly path: string
}

/** The maximum number of notices in delivery; further ones are dropped. */
const maxDelivered = 16
/** The minimum time between two notices about one subject, in milliseconds. Notices before that are dropped. */
const quiet = 60_000
/** Two more attempts, after 1 and 10 seconds. */
const retries = { times: 2, schedule: Schedule.exponential("1 second", 10) }
const commandMillis = 10_000
const notifySend = "/usr/bin/notify-send"
const reach = { allowLoopback: false, publicOnly: false }

/** The failure of a delivery: whether another attempt may succeed. */
type IsTemporary = boolean

const run = (command: readonly [string, ...ReadonlyArray<string>]) =>
  Effect.mapError(commandOutput(command, { milliseconds: commandMillis }), (): IsTemporary => false)

/** Makes the function that sends a notice to the targets of a profile. `baseUrl`: the base URL of the daemon's pages. */
const makeDeliver = Effect.fnUntraced(function*(baseUrl: string) {
  const http = yield* OAuthHttp
  const log = yield* DaemonLog

  const post = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
    http.request(reach, { method: "POST", url, headers, body: Redacted.make(body) }).pipe(
      Effect.mapError((): IsTemporary => true),
      Effect.filterOrFail(
        ({ status }) => status >= 200 && status < 300,
        ({ status }): IsTemporary => status >= 500 || status === 429 || status === 408
      )
    )

  /** Sends to a webhook, signed as in Standard Webhooks: the ID, the time and the body, with HMAC-SHA256. */
  const hook = Effect.fnUntraced(function*(
    { secretFile: file, url }: NonNullable<NoticeTargets["webhook"]>,
    id: string,
    body: string
  ) {
    const bytes = yield* Effect.mapError(SecureFiles.readFile(file, { maxBytes: 1024 }), (): IsTemporary => false)
    const [, encoded = ""] = /^whsec_([\w+/=]+)$/.exec(Buffer.from(bytes).toString("utf8").trim()) ?? []
    if (encoded === "") return yield* Effect.fail<IsTemporary>(false)
    const timestamp = String(Math.floor((yield* DateTime.now).epochMilliseconds / 1000))
    const signature = builtins.crypto.createHmac("sha256", Buffer.from(encoded, "base64"))
      .update(`${id}.${timestamp}.${body}`).digest("base64")
    yield* post(url, {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`
    }, body)
  })

  return Effect.fnUntraced(function*({ path, ...notice }: Notice, targets: NoticeTargets) {
    const id = randomId()
    const url = baseUrl + path
    const title = `credsvc: ${notice.kind}`
    const body = JSON.stringify({ ...notice, url, at: DateTime.formatIso(yield* DateTime.now) })
    const { command, desktop, ntfy, webhook } = targets
    const channels: Readonly<Record<string, Effect.Effect<unknown, IsTemporary> | undefined>> = {
      command: command && run([...command, title, notice.text, url]),
      desktop: desktop && run([notifySend, "--app-name=credsvc", title, `${notice.text}\n${url}`]),
      webhook: webhook && hook(webhook, id, body),
      ntfy: ntfy === undefined ? undefined : post(ntfy, { title, click: url }, notice.text)
    }
    yield* Effect.forEach(
      Object.entries(channels),
      ([channel, effect]) =>
        effect === undefined ? Effect.void : effect.pipe(
          Effect.retry({
            ...retries,
            while: (isTemporary) => isTemporary
          }),
          Effect.catch(() => Effect.sync(() => log.write("warning", "notice-failed", { channel })))
        ),
      { concurrency: "unbounded", discard: true }
    )
  })
})

const make = Effect.fnUntraced(function*(baseUrl: string) {
  const audit = yield* AuditLog
  const config = yield* ConfigFile
  const profiles = yield* Profiles
  const scope = yield* Effect.scope
  const deliver = yield* makeDeliver(baseUrl)
  const sent = new ExpiringSet(quiet)
  const delivering = yield* Semaphore.make(maxDelivered)

  const send = Effect.fnUntraced(function*(notice: Notice) {
    const { notices } = yield* config.read
    const targets = Object.hasOwn(notices, notice.profile) ? notices[notice.profile] : undefined
    const now = (yield* DateTime.now).epochMilliseconds
    const key = `${notice.kind} ${notice.profile} ${notice.subject}`
    if (targets === undefined || sent.has(key, now)) return
    yield* Effect.suspend(() => {
      sent.add(key, now)
      return deliver(notice, targets)
    }).pipe(delivering.withPermitsIfAvailable(1), Effect.forkIn(scope, { startImmediately: true }))
  }, (effect) => Effect.ignore(effect))

  yield* audit.onAppended(({ connection, event, identity, provider, status }) =>
    event === "refresh" && status === "failed"
      ? send({
        kind: "login",
        profile: identity,
        subject: `${provider} ${connection}`,
        text: `The connection "${connection}" for ${provider} needs another login.`,
        path: "/ui/connections"
      })
      : Effect.void
  )

  const problems = Effect.gen(function*() {
    const { notices } = yield* config.read
    if (Object.keys(notices).length === 0) return []
    const known = new Set<string>((yield* profiles.list).map(({ handle }) => handle))
    const programs = Object.values(notices).flatMap(({ command, desktop }) =>
      [command?.[0], desktop === true ? notifySend : undefined].filter((program) => program !== undefined)
    )
    const unknown = Object.keys(notices).filter((profile) => !known.has(profile))
    const missing = programs.filter((program) => !isExecutable(program))
    return [
      ...unknown.map((profile) =>
        `config.json has notices for the profile ${profile}, which does not exist. Correct the name.`
      ),
      ...missing.map((program) =>
        `config.json sends notices with ${program}, which is not an executable program. Install it, or correct its path.`
      )
    ]
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))

  return { send, problems }
})

export class Notices extends Context.Service<Notices, {
  /** Sends a notice in the background, if the profile has targets. */
  readonly send: (notice: Notice) => Effect.Effect<void>

  /** Describes each setting of notices that has no effect. */
  readonly problems: Effect.Effect<ReadonlyArray<string>>
}>()("credsvc/runs/Notices") {
  /** `baseUrl`: the base URL of the daemon's pages. */
  static readonly layerNoDeps = (baseUrl: string) => Layer.effect(Notices, make(baseUrl))
}
