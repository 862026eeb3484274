/** The address of a PostgreSQL database. */
import * as Result from "effect/Result"

/** The parts of a database URL that credsvc uses. */
export interface DatabaseAddress {
  /** The URL without credsvc's own parameters. */
  readonly url: string
  readonly schema: string
  /** The host and the database, for messages. Contains no password. */
  readonly name: string
}

const isLocal = (host: string): boolean =>
  host === "" || host.startsWith("/") || host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host)

/**
 * Parses a URL such as `postgres://user:password@host/database`. The parameter `schema` selects a schema other than
 * `public`. A connection to another machine uses TLS unless the URL has an `sslmode`.
 */
export const parseDatabaseUrl = (text: string): Result.Result<DatabaseAddress, string> => {
  const invalid = "expected a URL such as postgres://user:password@host/database"
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || (url.protocol !== "postgres:" && url.protocol !== "postgresql:")) return Result.fail(invalid)
  const database = url.searchParams.get("dbname") ?? url.pathname.slice(1)
  if (database === "") return Result.fail(`${invalid}; it lacks the name of the database`)
  const schema = url.searchParams.get("schema") ?? "public"
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    return Result.fail("expected a schema of lower-case letters, digits and underscores")
  }
  url.searchParams.delete("schema")
  const host = url.searchParams.get("host") ?? url.hostname
  if (!url.searchParams.has("sslmode") && !isLocal(host)) url.searchParams.set("sslmode", "require")
  return Result.succeed({ url: url.href, schema, name: `${host === "" ? "localhost" : host}/${database}` })
}
