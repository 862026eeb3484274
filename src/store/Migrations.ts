/**
 * Every table, as the statements that make it, in order.
 *
 * A migration that has been released is never edited: a database is opened only when its schema is exactly what these
 * statements produce. What is in clear here can be read without a key; what must not be is inside a `sealed` or
 * `secret` column.
 */

export interface Migration {
  /** Value of `user_version` once the statements have run. */
  readonly version: number
  readonly statements: ReadonlyArray<string>
}

export const migrations: ReadonlyArray<Migration> = [
  {
    version: 1,
    statements: [
      // The vault's header (store id, key source, key id, key check) and small facts such as the audit log's head.
      `CREATE TABLE meta (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) STRICT, WITHOUT ROWID`,

      `CREATE TABLE manifest (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        version INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        row_count INTEGER NOT NULL,
        mac BLOB NOT NULL
      ) STRICT`,

      // A profile seals under its one active key; older ones stay until nothing is sealed under them.
      `CREATE TABLE data_keys (
        key_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        active INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        wrapped BLOB NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX data_keys_active ON data_keys (profile) WHERE active = 1`,

      // A clash on a PRIMARY KEY and one on a UNIQUE index are different errors; "already exists" is the latter.
      `CREATE TABLE connections (
        record_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        provider TEXT NOT NULL,
        name TEXT NOT NULL,
        auth_type TEXT NOT NULL,
        flow TEXT NOT NULL,
        generation INTEGER NOT NULL,
        definition_fp TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        sealed BLOB NOT NULL,
        secret BLOB NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX connections_name ON connections (profile, provider, name)`,

      `CREATE TABLE provider_defaults (
        profile TEXT NOT NULL,
        provider TEXT NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (profile, provider)
      ) STRICT, WITHOUT ROWID`,

      `CREATE TABLE client_credentials (
        record_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        provider TEXT NOT NULL,
        issuer TEXT NOT NULL,
        generation INTEGER NOT NULL,
        definition_fp TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        sealed BLOB NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX client_credentials_issuer ON client_credentials (profile, provider, issuer)`,

      // Ids and OAuth states are bearer values, so only their hashes are here.
      `CREATE TABLE auth_sessions (
        id_hash TEXT PRIMARY KEY,
        state_hash TEXT,
        profile TEXT NOT NULL,
        provider TEXT NOT NULL,
        name TEXT NOT NULL,
        flow TEXT NOT NULL,
        status TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        generation INTEGER NOT NULL,
        sealed BLOB NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX auth_sessions_state ON auth_sessions (state_hash)`,
      `CREATE INDEX auth_sessions_expiry ON auth_sessions (expires_at)`,

      `CREATE TABLE audit (
        seq INTEGER PRIMARY KEY,
        timestamp TEXT NOT NULL,
        event TEXT NOT NULL,
        provider TEXT,
        connection TEXT,
        identity TEXT,
        status TEXT NOT NULL,
        prev_hash TEXT NOT NULL,
        mac TEXT NOT NULL,
        signature TEXT
      ) STRICT`
    ]
  },
  {
    version: 2,
    statements: [
      // Refreshes that were begun and not yet accounted for. Not covered by the manifest: no row here can do more than
      // have a refresh happen once more, or a moment later.
      `CREATE TABLE token_refreshes (
        record_id TEXT PRIMARY KEY,
        generation INTEGER NOT NULL,
        owner TEXT NOT NULL,
        deadline TEXT NOT NULL
      ) STRICT, WITHOUT ROWID`
    ]
  }
]

/** The newest schema this version understands. */
export const schemaVersion = Math.max(...migrations.map(({ version }) => version))
