/** Generates docs/events.md: the events of the audit log and of the daemon's log. */
import { AuditEvent } from "../../src/domain/wire/AuditEntry.ts"
import type { DaemonEvent } from "../../src/telemetry/DaemonLog.ts"

const audit: Readonly<Record<AuditEvent, string>> = {
  login: "a connection was created or replaced, or a login failed",
  logout: "a connection was deleted from the vault only",
  revoke: "a connection was revoked at its provider and deleted from the vault",
  export: "secrets were exported",
  get: "a secret was revealed",
  resolve: "the first use of a connection by a run, or any use by a caller without a run",
  refresh: "a token was refreshed, or the provider has ended the login",
  "set-default": "a connection became the default of its provider",
  "set-contained-only": "a connection was limited to contained runs",
  "trust-issuer": "a login accepted another issuer with `--trust-issuer`",
  grant: "a connection was granted to another profile",
  "grant-receive": "the profile received a grant",
  "grant-withdraw": "a grant was withdrawn",
  "grant-lose": "the profile lost a grant",
  register: "a provider was added",
  remove: "a provider was removed",
  scan: "`credsvc scan` compared values with stored secrets",
  "restore-file": "a command read the original of a file with placeholders, to restore it",
  "profile-create": "a profile was created",
  "profile-use": "another profile became the active one",
  "sandbox-create": "a sandbox was created",
  "sandbox-access": "the token or the certificate authority of a sandbox was read or used",
  "sandbox-rotate": "the token of a sandbox was replaced",
  "sandbox-delete": "a sandbox was deleted",
  "policy-set": "a policy was stored",
  "policy-remove": "a policy was removed",
  "run-stop": "a run was stopped",
  "run-approve": "a request that waited for the user was allowed",
  "run-deny": "a request that waited for the user was refused",
  "vault-create": "the vault was created",
  "vault-rotate": "the keys of the vault were replaced",
  "store-backup": "a backup of the store was created",
  "store-restore": "the store was restored from a backup, without the changes since that backup",
  "enrollment-code-create": "a code for a caller on another machine was created",
  "identity-enroll": "a caller on another machine was enrolled",
  "identity-disable": "an enrolled identity was disabled",
  "identity-enable": "a disabled identity was enabled",
  "trust-create": "jobs were allowed to enroll by their tokens",
  "trust-remove": "a trust was removed, with the identities of its jobs"
}

const daemon: Readonly<Record<DaemonEvent, readonly [level: string, fields: string, meaning: string]>> = {
  started: ["info", "version, pid, port, instance", "the daemon accepts connections"],
  stopping: ["info", "instance", "the daemon stops"],
  "store-outdated": ["error", "message", "a newer version has migrated the database, so the daemon exits"],
  "waiting-for-stopping-daemon": ["info", "pid", "another daemon still holds the lock of the home"],
  "removed-abandoned-files": ["warning", "count", "the daemon removed temporary files of a killed process"],
  "notice-failed": ["warning", "channel", "the daemon could not deliver a notice to a person"],
  "peer-refused": ["warning", "", "the daemon refused a network connection of another user"],
  "placeholder-misplaced": [
    "warning",
    "run, kind, place, host, method",
    "[a misplaced placeholder](security.md#misplaced-placeholders)"
  ],
  request: [
    "info",
    "request, method, route, status, milliseconds, identity",
    "a response to another machine; `request` is its header field `X-Request-Id`"
  ],
  "scopes-missing": [
    "warning",
    "run, host, command",
    "an API refused a request for lack of scopes; `command` adds them"
  ],
  "telemetry-accepted": ["info", "", "the receiver of telemetry accepts data again"],
  "telemetry-not-accepted": ["warning", "reason", "the receiver of telemetry does not accept data"],
  unexpected: [
    "error",
    "id, cause, method, route",
    "a request failed; `id` is also in the error of the client, and in the event `request`"
  ],
  log: ["any", "message, request, cause", "a message of a library, or a warning that others can reach the daemon"]
}

export const events = (): string =>
  `# Events of the logs

## Audit log

\`credsvc log\` shows entries with time, event, provider, connection, identity and status: \`ok\`, \`denied\` by a rule, or \`failed\`. The
[security document](security.md#the-audit-log) says how the log is protected.

| Event | Meaning |
|---|---|
${AuditEvent.literals.map((event) => `| \`${event}\` | ${audit[event]} |`).join("\n")}

## Daemon log

\`credsvc daemon logs\` shows lines with time, level, event and these fields. [telemetry.md](telemetry.md#the-daemon-log) describes the formats.

| Event | Level | Fields | Meaning |
|---|---|---|---|
${Object.entries(daemon).map(([event, row]) => `| \`${event}\` | ${row.join(" | ")} |`).join("\n")}
`
