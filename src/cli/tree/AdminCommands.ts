/** The commands `admin …`, and `enroll`. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { plural } from "../../domain/text/Plural.ts"
import type { MasterKeySource } from "../../domain/wire/Health.ts"
import { codeLifetime, IdentityName } from "../../domain/wire/Identity.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { ProviderName } from "../../domain/wire/ProviderName.ts"
import { keyLifetime, TrustName } from "../../domain/wire/Trust.ts"
import { enrollParams } from "./CommandInputs.ts"
import { command, group, lazy } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

const grantee = (name: string, description: string) =>
  Param.single(Flag.withSchema(Flag.String(name), ProfileHandle), description, "<profile>")

/** How to keep the key that opens a backup, by its source. */
const keepKey: Readonly<Record<MasterKeySource, (description: string) => string>> = {
  env: (place) => `Keep a copy of the value of the ${place} separate from the backup.`,
  key_file: (place) => `Keep a copy of the ${place} separate from the backup.`,
  local_key: (place) => `Keep a copy of the ${place} separate from the backup.`,
  keyring: (place) =>
    `Keep a copy of the key's entry in the ${place} separate from the backup. On another machine, CREDSVC_MASTER_KEY_FILE ` +
    `can name a file with the key.`
}

const trust = group("trust", {
  description:
    "Allow CI jobs and workloads to enroll for a short time with their own ID tokens, without a stored secret",
  examples: "credsvc admin trust list"
}, [
  operationCommand("trusts.create", {
    name: "add",
    args: {
      profile: Param.argument("profile", "The profile whose connections the jobs will use", ProfileHandle),
      name: Param.named("name", TrustName, "Name of the trust (default: the name of the profile)"),
      issuer: Param.single("issuer", "Issuer of the tokens: github, gitlab, buildkite, or an https URL", "<url>"),
      audience: Param.optional(
        "audience",
        "The only accepted audience of tokens (default: the base URL of the daemon)"
      ),
      providers: Param.repeatable(
        Flag.String("provider").pipe(Flag.withSchema(ProviderName)),
        "Allow the jobs to use only credentials of this provider; repeatable",
        "<name>"
      ).pipe(Flag.map((names) => names.length === 0 ? null : names)),
      policies: Param.ruleFlags.policies,
      expires_in: Param.lifetime(
        "lifetime",
        keyLifetime.standard,
        "Lifetime of a job's key, from 1m to 1d (default: 1h)"
      )
    },
    flags: {
      claims: Param.repeatable(
        "claim",
        "Claim that the token must have; `*` matches any characters except '/' and ':'; repeatable, all must match",
        "<name>=<pattern>"
      ).pipe(Flag.filterMap(
        (pairs) => {
          const claims = pairs.map((pair) => pair.split(/=(.*)/s, 2))
          const isValid = claims.every(([name, pattern]) => name && pattern) &&
            new Set(claims.map(([name]) => name)).size === pairs.length
          return isValid ? Option.some(Object.fromEntries(claims)) : Option.none()
        },
        () => "<name>=<pattern>, once for each claim"
      )),
      jwks: Param.optional(
        Param.path("jwks"),
        "File with the issuer's keys (JWKS), used instead of the keys that the issuer publishes"
      )
    },
    prepare: () => import("../parse/InputText.ts").then((m) => m.readTrust),
    summary: "Allow jobs whose tokens have these claims to enroll",
    examples: `
  credsvc admin trust add ci --issuer github --claim repository=acme/shop --claim ref=refs/heads/main
  credsvc admin trust add ci --name deploy --issuer gitlab --claim project_path=acme/shop --claim ref_protected=true --lifetime 15m
  credsvc admin trust add ci --name pods --issuer https://kubernetes.example.com --jwks jwks.json --claim sub=system:serviceaccount:shop:web`,
    text: ({ audience, expires_in, name, profile }, output) =>
      output.note(
        `Jobs that match the trust "${name}" can use the connections of the profile ${profile}, each for ${
          plural(Math.round(expires_in / 60), "minute")
        }.`,
        `Their tokens need the audience ${audience}. Enroll in a job with: credsvc enroll --job`
      )
  }),
  operationCommand("trusts.list", {
    examples: "credsvc admin trust list",
    text: ({ trusts }, output) =>
      output.data(output.table(trusts, {
        TRUST: ({ name }) => name,
        PROFILE: ({ profile }) => profile,
        ISSUER: ({ issuer }) => issuer,
        CLAIMS: ({ claims }) => Object.entries(claims).map((claim) => claim.join("=")).join(" "),
        PROVIDERS: ({ providers }) => providers?.join(", ") ?? "all"
      }))
  }),
  operationCommand("trusts.remove", {
    examples: "credsvc admin trust remove ci",
    text: ({ identities, name }, output) =>
      output.note(`Removed the trust ${name}, with ${plural(identities, "identity", "identities")} of its jobs.`)
  })
])

export const admin = group("admin", {
  description:
    "Administer a daemon that other machines use: enroll their callers, disable them, and grant them connections. Works only on the " +
    "machine of the daemon",
  summary: "Administer a daemon that other machines use",
  examples: "credsvc admin enroll-code work"
}, [
  trust,
  operationCommand("identities.createCode", {
    name: "enroll-code",
    args: {
      profile: Param.argument("profile", "The profile whose connections the caller will use", ProfileHandle),
      name: Param.named(
        "name",
        IdentityName,
        "Name of the identity (default: the name of the profile, with a number if necessary)"
      ),
      expires_in: Param.lifetime("expires", codeLifetime.standard, "Lifetime of the code, from 1m to 1d (default: 15m)")
    },
    summary: "Print a single-use code that enrolls the key of a caller on another machine",
    examples: `
  credsvc admin enroll-code work
  credsvc admin enroll-code work --name laptop --expires 1h`,
    text: ({ code, expires_at, name, profile }, output) =>
      Effect.andThen(
        output.data(code),
        output.note(
          `The code enrolls "${name}" for the profile ${profile}, once. It expires ${output.time(expires_at)}.`,
          "Enter it on the other machine with: CREDSVC_DAEMON_URL=https://… credsvc enroll"
        )
      )
  }),
  operationCommand("identities.list", {
    name: "identities",
    examples: "credsvc admin identities",
    text: ({ identities }, output) =>
      output.data(output.table(identities, {
        IDENTITY: ({ name }) => name,
        PROFILE: ({ profile }) => profile,
        STATUS: ({ disabled_at, job }) =>
          disabled_at !== null
            ? { text: "disabled", style: "yellow" }
            : job === null || Date.parse(job.expires_at) > Date.now()
            ? { text: "enabled", style: "green" }
            : { text: "expired", style: "yellow" },
        ENROLLED: ({ created_at }) => output.time(created_at),
        KEY: ({ key_id }) => key_id
      }))
  }),
  operationCommand("grants.create", {
    name: "grant",
    args: {
      provider: Param.provider,
      grantee: grantee("to", "Profile that may use the connection"),
      connection: Param.connectionOrDefault
    },
    summary: "Allow another profile to use a connection",
    examples: `
  credsvc admin grant openai --to team
  credsvc admin grant openai --connection work --to team`,
    text: ({ connection, grantee, provider }, output) =>
      output.note(
        `The profile ${grantee} may use the connection "${connection}" for ${provider}.`,
        "note: Callers of that profile get the credential on their own machines with each use, and could read it. To be sure " +
          "that nobody has it after a withdrawal, replace the credential at the provider."
      )
  }),
  operationCommand("grants.withdraw", {
    args: {
      grantee: grantee("from", "Profile that may no longer use the connection"),
      connection: Param.connectionOrDefault
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
      output.data(output.table(grants, {
        PROVIDER: ({ provider }) => provider,
        CONNECTION: ({ connection }) => connection,
        OWNER: ({ owner }) => owner,
        "GRANTED TO": ({ grantee }) => grantee,
        SINCE: ({ created_at }) => output.time(created_at)
      }))
  }),
  operationCommand("system.replicas", {
    name: "doctor",
    summary:
      "Check all daemons that share the PostgreSQL database: their responses, versions, readiness, clocks and keys",
    examples: "credsvc admin doctor",
    fails: ({ problems }) => problems.length > 0,
    text: ({ problems, replicas }, output) =>
      Effect.andThen(
        output.data(output.table(replicas, {
          DAEMON: ({ name, own }) => own ? `${name} (this one)` : name,
          STATE: ({ report, silent_milliseconds }) =>
            report === null
              ? { text: `silent for ${Math.round(silent_milliseconds / 1000)} s`, style: "red" }
              : {
                text: report.status,
                style: ({ ok: "green", degraded: "yellow", unhealthy: "red" } as const)[report.status]
              },
          VERSION: ({ report }) => report?.version ?? "-",
          SCHEMA: ({ report }) => String(report?.schema ?? "-"),
          CLOCK: ({ report }) => report === null ? "-" : `${report.clock_milliseconds} ms`,
          KEY: ({ report }) => report?.key_id ?? "-",
          STARTED: ({ report }) => report === null ? "-" : output.time(report.started_at),
          HOME: ({ report }) => report?.home ?? "-"
        })),
        output.tell(...problems.map((problem) => `problem: ${problem}`))
      )
  }),
  operationCommand("vault.backup", {
    args: { file: Param.argument("file", "The new file, which the daemon writes on its own machine") },
    prepare: () => import("../parse/InputText.ts").then((m) => m.backupFile),
    description:
      "Write a copy of the store (SQLite or PostgreSQL) to a new file while the daemon is in use, and verify it. " +
      "The copy contains connections, policies, grants, callers, custom providers, identities and both logs, but " +
      "not the master key, config.json or the files of sandboxes",
    summary: "Write a verified copy of the store to a file",
    examples: "credsvc admin backup credsvc.backup",
    text: ({ audit_entries, bytes, file, key_description, key_id, key_source, request_batches, rows }, output) =>
      output.note(
        `Wrote ${file} (${bytes} bytes), and verified ${plural(rows, "row")}, ` +
          `${plural(audit_entries, "audit entry", "audit entries")} and ${
            plural(request_batches, "batch", "batches")
          } of requests.`,
        `The backup does not contain the master key ${key_id}, without which nobody can restore it. ${
          keepKey[key_source](key_description)
        }`
      )
  }),
  command("restore", {
    params: {
      file: Param.argument("file", "The file that `credsvc admin backup` has written"),
      check: Param.toggle("check", "Verify the backup with the key of this home, and change nothing"),
      replace: Param.toggle("replace", "Replace the existing store of this home, and keep a copy of it in the home")
    },
    handler: lazy(() => import("../commands/Restore.ts").then((m) => m.restore)),
    fails: ["OperationNotAllowedError"],
    document: "what was verified, where the store is now, and where the previous store is",
    description:
      "Restore the store of this home (a file, or the PostgreSQL database of CREDSVC_DATABASE_URL) from a backup. " +
      "The daemons must be stopped, and the home needs the master key of the backup. Verifies every row and both logs, and records the restore " +
      "in the audit log",
    summary: "Restore the store from a backup",
    examples: `
  credsvc admin restore credsvc.backup --check
  credsvc admin restore credsvc.backup`
  }),
  operationCommand("identities.disable", {
    examples: "credsvc admin disable laptop",
    text: ({ name }, output) => output.note(`Disabled the identity ${name}. Its next request is refused.`)
  }),
  operationCommand("identities.enable", {
    examples: "credsvc admin enable laptop",
    text: ({ name }, output) => output.note(`Enabled the identity ${name}.`)
  })
])

export const enroll = command("enroll", {
  params: enrollParams,
  handler: lazy(() => import("../commands/Enroll.ts").then((m) => m.enroll)),
  calls: ["identities.enroll", "trusts.enroll"],
  prints: "identities.enroll",
  description:
    "Enroll the key of this machine at the daemon of CREDSVC_DAEMON_URL, with a code from its administrator. Asks for the " +
    "code, or reads it from stdin without a terminal. With --job, uses the token of GitHub Actions, " +
    "of CREDSVC_ID_TOKEN, or of a file (CREDSVC_ID_TOKEN_FILE, or the projected volume of the hosting guide)",
  summary: "Enroll the key of this machine at a daemon on another machine",
  examples: `
  CREDSVC_DAEMON_URL=https://credsvc.example.com credsvc enroll
  CREDSVC_DAEMON_URL=https://credsvc.example.com credsvc enroll --job`
})
