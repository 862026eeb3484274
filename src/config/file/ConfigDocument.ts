/** The settings in `config.json`, as the program reads them, and their defaults. */
import type { LogFormat, MASTER_KEY_MODES } from "../Settings.ts"

export interface Upstream {
  /** PEM files that are trusted in addition to the system's roots. */
  readonly extraCaCerts: ReadonlyArray<string>
  /** A corporate proxy, used only as a CONNECT hop. */
  readonly proxy: string | undefined
  readonly noProxy: ReadonlyArray<string>
  /** Maps `host:port` to the `address:port` to connect to. TLS still verifies the original name. */
  readonly resolve: Readonly<Record<string, string>>
  /** Lowercase hosts or wildcards such as `*.corp` that may have private addresses, besides the hosts in `resolve`. */
  readonly privateHosts: ReadonlyArray<string>
}

export interface RunDefaults {
  readonly contain: boolean
  /** Paths that contained runs may write to, or must not see. Relative paths are below the working directory; `~` is the home. */
  readonly write: ReadonlyArray<string>
  readonly hide: ReadonlyArray<string>
  /** Ports of this machine that contained runs may use. */
  readonly allowPorts: ReadonlyArray<number>
}

interface LogSettings {
  /** The age in days at which the daemon deletes entries of the log. */
  readonly retentionDays: number
}

/** Where notices for the user of a profile go. */
export interface NoticeTargets {
  /** A program and its first arguments. The title, the text and the URL of a notice are appended. */
  readonly command?: readonly [string, ...ReadonlyArray<string>]
  readonly desktop?: true
  readonly webhook?: { readonly url: string; readonly secret_file: string }
  /** The address of a topic. */
  readonly ntfy?: string
}

export interface ConfigDocument {
  /** Where editors find the JSON schema of the file. */
  readonly $schema: string | undefined
  readonly activeProfile: string | undefined
  readonly masterKeyMode: typeof MASTER_KEY_MODES[number] | undefined
  /** The format of the daemon log, read when the daemon starts. */
  readonly logFormat: LogFormat | undefined
  /** The URL of the client ID metadata document, for servers that support such documents. */
  readonly clientId: string | undefined
  readonly upstream: Upstream
  readonly run: RunDefaults
  readonly auditLog: LogSettings
  readonly requestLog: LogSettings
  /** By profile. */
  readonly notices: Readonly<Record<string, NoticeTargets>>
}

/** The settings for a file without any. */
export const defaults: ConfigDocument = {
  $schema: undefined,
  activeProfile: undefined,
  masterKeyMode: undefined,
  logFormat: undefined,
  clientId: undefined,
  upstream: { extraCaCerts: [], proxy: undefined, noProxy: [], resolve: {}, privateHosts: [] },
  run: { contain: false, write: [], hide: [], allowPorts: [] },
  auditLog: { retentionDays: 365 },
  requestLog: { retentionDays: 30 },
  notices: {}
}

export interface ConfigProblem {
  /** A JSON pointer to the invalid value, empty for the whole file. */
  readonly path: string
  readonly message: string
}
