/** Why a PostgreSQL database cannot be used, in sentences without any part of the password. */
import * as SqlError from "effect/sql/SqlError"
import { StoreError } from "../StoreError.ts"
import type { DatabaseAddress } from "./DatabaseUrl.ts"

/** The failure to open the database, with a message for the user. */
export const unusable = (message: string, cause: unknown = undefined) =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause, message, operation: "open" }) })

/** The message about a pooler that loses the settings. */
export const unkeptSettings = (name: string) =>
  `a pooler such as PgBouncer at ${name} does not keep the settings of a session; set CREDSVC_DATABASE_URL to the ` +
  "address of PostgreSQL itself"

const rootMessage = (error: unknown): string => {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (!(at.cause instanceof Error)) return at.message
  }
  return "unknown error"
}

/** Replaces a failure to open the database by one whose message explains it. */
export const asUnusable = (name: string) => (error: SqlError.SqlError | StoreError): SqlError.SqlError => {
  if (error._tag === "StoreError") return unusable(error.message, error)
  const { reason } = error
  if (reason._tag === "ConnectionError" && reason.operation === "open") return error
  switch (reason._tag) {
    case "AuthenticationError":
      return unusable(`PostgreSQL at ${name} rejected the user or the password of CREDSVC_DATABASE_URL`, reason.cause)
    case "AuthorizationError":
      return unusable(
        `the user of CREDSVC_DATABASE_URL must own the schema of credsvc at ${name} (${rootMessage(reason.cause)})`,
        reason.cause
      )
    default: {
      const message = rootMessage(reason.cause)
      if (message.includes("unsupported startup parameter")) return unusable(unkeptSettings(name), reason.cause)
      return unusable(
        message.includes("read-write mode")
          ? `PostgreSQL at ${name} is a standby, or its configuration allows only reading`
          : `PostgreSQL at ${name} cannot be used (${message})`,
        reason.cause
      )
    }
  }
}

/** The failure to use a database whose schema was changed outside of credsvc. */
export const unexpectedDifference = ({ name }: DatabaseAddress, difference: string) =>
  new StoreError({
    file: name,
    problem: "unexpected_schema",
    message:
      `the database at ${name} does not have the schema that credsvc created (${difference}); restore it from a ` +
      "backup, or use a schema that only credsvc uses"
  })

/** The failure to use a database that a newer version has migrated. */
export const newerSchema = ({ name }: DatabaseAddress, version: number) =>
  StoreError.newerSchema(name, `the database at ${name}`, version)
