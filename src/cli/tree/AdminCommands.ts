import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { plural } from "../../domain/text/Plural.ts"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import type { MasterKeySource } from "../../domain/wire/Health.ts"
import { codeLifetime, IdentityName } from "../../domain/wire/Identity.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { calls, described, fails, lazy, prints, printsDocument } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

const grantedConnection = Flag.String("connection").pipe(
  Flag.withSchema(ConnectionName),
  Flag.withDefault(defaultConnectionName),
  Flag.withMetavar("<name>"),
  Flag.withDescription("Connection name (default: default)")
)

const grantee = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(ProfileHandle),
    Flag.withMetavar("<profile>"),
    Flag.withDescription(description)
  )

/** How to keep the key that opens a backup, by its source. */
const keepKey: Readonly<Record<MasterKeySource, (description: string) => string>> = {
  env: (place) => `Keep the value of the ${place} apart from it.`,
  key_file: (place) => `Keep a copy of the ${place} apart from it.`,
  local_key: (place) => `Keep a copy of the ${place} apart from it.`,
  keyring: (place) =>
    `Keep a copy of its entry in the ${place} apart from it; elsewhere, CREDSVC_MASTER_KEY_FILE can name a file with it.`
}

export const admin = Command.make("admin").pipe(
  described(
    "Administer a daemon that other machines use: enroll their callers, disable them, and grant them connections. Only on the " +
      "machine of the daemon",
    "credsvc admin enroll-code work",
    "Administer a daemon that other machines use"
  ),
  Command.withSubcommands([
    operationCommand("identities.createCode", {
      name: "enroll-code",
      args: {
        profile: Param.argument("profile", "The profile whose connections the caller will use", ProfileHandle),
        name: Param.optional(
          Flag.String("name").pipe(Flag.withSchema(IdentityName)),
          "Name of the identity (default: the name of the profile, with a number if necessary)",
          "<name>"
        ),
        expires_in: Param.duration("expires", 1).pipe(
          Flag.map((millis) => Math.ceil(millis / 1000)),
          Flag.withDefault(codeLifetime.standard),
          Flag.withDescription("Lifetime of the code, from 1m to 1d (default: 15m)")
        )
      },
      summary: "Print a code with which a caller on another machine enrolls its key, once",
      examples: `
  credsvc admin enroll-code work
  credsvc admin enroll-code work --name laptop --expires 1h`,
      text: ({ code, expires_at, name, profile }, output) =>
        Effect.all([
          output.data(code),
          output.note(
            `The code enrolls "${name}" for the profile ${profile}, once. It expires ${output.time(expires_at)}.`
          ),
          output.note("Enter it on the other machine with: CREDSVC_DAEMON_URL=https://… credsvc enroll")
        ], { discard: true })
    }),
    operationCommand("identities.list", {
      name: "identities",
      examples: "credsvc admin identities",
      text: ({ identities }, output) =>
        output.data(output.table(
          ["IDENTITY", "PROFILE", "STATUS", "ENROLLED", "KEY"],
          identities.map(({ created_at, disabled_at, key_id, name, profile }) => [
            name,
            profile,
            disabled_at === null ? { text: "enabled", style: "green" } : { text: "disabled", style: "yellow" },
            output.time(created_at),
            key_id
          ])
        ))
    }),
    operationCommand("grants.create", {
      name: "grant",
      args: {
        provider: Param.provider,
        grantee: grantee("to", "Profile that may use the connection"),
        connection: grantedConnection
      },
      summary: "Let another profile use a connection",
      examples: `
  credsvc admin grant openai --to team
  credsvc admin grant openai --connection work --to team`,
      text: ({ connection, grantee, provider }, output) =>
        Effect.andThen(
          output.note(`The profile ${grantee} may use the connection "${connection}" for ${provider}.`),
          output.note(
            "note: Its callers on other machines get the credential with each use and could read it there. To be sure that nobody has " +
              "it after a withdrawal, replace it at the provider."
          )
        )
    }),
    operationCommand("grants.withdraw", {
      args: {
        grantee: grantee("from", "Profile that may no longer use the connection"),
        connection: grantedConnection
      },
      summary: "Withdraw the use of a connection from another profile",
      examples: "credsvc admin withdraw openai --from team",
      text: ({ connection, grantee, provider }, output) =>
        output.note(`The profile ${grantee} may no longer use the connection "${connection}" for ${provider}.`)
    }),
    operationCommand("grants.list", {
      name: "grants",
      examples: "credsvc admin grants",
      text: ({ grants }, output) =>
        output.data(output.table(
          ["PROVIDER", "CONNECTION", "OWNER", "GRANTED TO", "SINCE"],
          grants.map(({ connection, created_at, grantee, owner, provider }) => [
            provider,
            connection,
            owner,
            grantee,
            output.time(created_at)
          ])
        ))
    }),
    operationCommand("vault.backup", {
      args: { file: Param.argument("file", "The new file, on the machine of the daemon, which writes it") },
      prepare: () => import("../parse/InputText.ts").then((m) => m.backupFile),
      description:
        "Write a copy of the store to a new file while the daemon is used, from SQLite or PostgreSQL, and verify it. It has " +
        "connections, policies, grants, callers, custom providers, identities and both logs; it does not have the master key, " +
        "config.json, and the files of sandboxes",
      summary: "Write a verified copy of the store to a file",
      examples: "credsvc admin backup credsvc.backup",
      text: ({ audit_entries, bytes, file, key_description, key_id, key_source, request_batches, rows }, output) =>
        Effect.andThen(
          output.note(
            `Wrote ${file} (${bytes} bytes), and verified ${plural(rows, "row")}, ` +
              `${plural(audit_entries, "audit entry", "audit entries")} and ${
                plural(request_batches, "batch", "batches")
              } of requests.`
          ),
          output.note(
            `The backup does not contain the master key ${key_id}, without which nobody can restore it. ${
              keepKey[key_source](key_description)
            }`
          )
        )
    }),
    Command.make("restore", {
      file: Param.argument("file", "The file that `credsvc admin backup` has written"),
      check: Param.toggle("check", "Verify the backup with the key of this home, and change nothing"),
      replace: Param.toggle("replace", "Replace the store that this home has, and keep it as a copy in the home")
    }, lazy(() => import("../commands/Restore.ts").then((m) => m.restore))).pipe(
      fails("OperationNotAllowedError"),
      printsDocument("what was verified, where the store is now, and where the former one is"),
      described(
        "Restore the store of this home, a file or the PostgreSQL database of CREDSVC_DATABASE_URL, from a backup. The daemons must " +
          "be stopped, and the home needs the master key of the backup. Verifies every row and both logs, and records the restore " +
          "in the audit log",
        `
  credsvc admin restore credsvc.backup --check
  credsvc admin restore credsvc.backup`,
        "Restore the store from a backup"
      )
    ),
    operationCommand("identities.disable", {
      examples: "credsvc admin disable laptop",
      text: ({ name }, output) => output.note(`Disabled the identity ${name}. Its next request is refused.`)
    }),
    operationCommand("identities.enable", {
      examples: "credsvc admin enable laptop",
      text: ({ name }, output) => output.note(`Enabled the identity ${name}.`)
    })
  ])
)

export const enroll = Command.make("enroll", {}, lazy(() => import("../commands/Enroll.ts").then((m) => m.enroll)))
  .pipe(
    calls(["identities.enroll"]),
    prints("identities.enroll"),
    described(
      "Enroll the key of this machine at the daemon of CREDSVC_DAEMON_URL, with a code of its administrator. Asks for the " +
        "code, or reads it from stdin without a terminal",
      "CREDSVC_DAEMON_URL=https://credsvc.example.com credsvc enroll",
      "Enroll the key of this machine at a daemon on another one"
    )
  )
