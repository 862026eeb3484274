/**
 * The environment variables that credsvc reads: who reads each, its default, and its meaning.
 *
 * `Settings` reads only these and OpenTelemetry's variables; `enroll --job` also reads variables of CI systems.
 * Documents are generated from this table; programs use only its type.
 */
type Rows = Readonly<Record<string, readonly [of: "all" | "commands" | "daemon", fallback: string, meaning: string]>>

export const variables = {
  CREDSVC_HOME: ["all", "~/.credsvc", "the home of credsvc; for runs, a path without spaces and quotes"],
  CREDSVC_PROFILE: ["commands", "the active profile", "the profile of the command"],
  CREDSVC_DAEMON_URL: ["commands", "your own daemon", "the URL of another daemon, which commands do not start"],
  CREDSVC_DAEMON_HEADERS: [
    "commands",
    "",
    "header fields for the reverse proxy at CREDSVC_DAEMON_URL, one `Name: value` per line"
  ],
  CREDSVC_DAEMON_HEADERS_COMMAND: [
    "commands",
    "",
    "the absolute path and the arguments of a program that prints the lines of CREDSVC_DAEMON_HEADERS"
  ],
  CREDSVC_ID_TOKEN: ["commands", "", "the ID token of a job, for `credsvc enroll --job`"],
  CREDSVC_ID_TOKEN_FILE: ["commands", "", "a file with the ID token of a job"],
  CREDSVC_SERVER_BASE_URL: [
    "daemon",
    "its own URL",
    "the URL at which browsers and other machines reach the daemon; may have a path"
  ],
  CREDSVC_TLS_CERT_FILE: ["daemon", "", "the certificate chain with which the daemon serves TLS"],
  CREDSVC_TLS_KEY_FILE: ["daemon", "", "the private key of the certificate in CREDSVC_TLS_CERT_FILE"],
  CREDSVC_MASTER_KEY: ["daemon", "", "the master key, 32 bytes in base64"],
  CREDSVC_MASTER_KEY_FILE: ["daemon", "", "a file with the master key"],
  CREDSVC_MASTER_KEY_MODE: ["daemon", "auto", "where the master key is: `auto`, `local_key` or `keyring`"],
  CREDSVC_DATABASE_URL: ["daemon", "a file in the home of credsvc", "the PostgreSQL database that holds the store"],
  CREDSVC_DATABASE_URL_FILE: ["daemon", "", "a file with the URL of the database"],
  CREDSVC_METRICS_TOKEN: ["daemon", "", "the bearer token of a scraper of `/metrics`, at least 32 characters"],
  CREDSVC_LOG_FORMAT: ["daemon", "text", "the format of the daemon's log: `text` or `json`"],
  CREDSVC_ALLOW_ANY_PEER: ["daemon", "", "`1` admits connections from any user, for containers without socket tables"],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    "all",
    "",
    "where to send traces and metrics; docs/telemetry.md lists all OTEL_ variables"
  ],
  NO_COLOR: ["commands", "", "turns colors off"],
  FORCE_COLOR: ["commands", "", "turns colors on, or off with `0`"]
} as const satisfies Rows

export type Variable = keyof typeof variables
