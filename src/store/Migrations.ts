/**
 * The database schema as an ordered list of migrations.
 *
 * A released migration must never be edited: a database is opened only if its schema is exactly the result of these
 * statements. Plain columns can be read without a key; secrets are stored only in `sealed` or `secret` columns.
 */

interface Migration {
  /** The value of `user_version` after the statements. */
  readonly version: number
  readonly statements: ReadonlyArray<string>
  /**
   * Statements that create tables which the daemons of a store share while they run. In an SQLite file, which only one
   * daemon uses, these are temporary tables in memory.
   */
  readonly shared?: ReadonlyArray<string>
}

/** All migrations, in the order in which they run. */
export const migrations: ReadonlyArray<Migration> = [
  {
    version: 1,
    statements: [
      // The vault's header (store ID, key source, key ID, key check) and small facts such as the audit log's head.
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

      // A profile seals with its one active key. Older keys remain until nothing is sealed under them.
      `CREATE TABLE data_keys (
        key_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        active INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        wrapped BLOB NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX data_keys_active ON data_keys (profile) WHERE active = 1`,

      // Conflicts of a PRIMARY KEY and of a UNIQUE index are different errors; the latter means "already exists".
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

      // IDs and OAuth states give access to a session, so only their hashes are stored.
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
      // Token refreshes that have started and are not yet recorded as finished. The manifest does not cover this table,
      // because a forged row can only repeat or delay a refresh.
      `CREATE TABLE token_refreshes (
        record_id TEXT PRIMARY KEY,
        generation INTEGER NOT NULL,
        owner TEXT NOT NULL,
        deadline TEXT NOT NULL
      ) STRICT, WITHOUT ROWID`
    ]
  },
  {
    version: 3,
    statements: [
      // A sandbox's name is also the name of files in the home, so it is unique across profiles.
      `CREATE TABLE sandboxes (
        record_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        name TEXT NOT NULL,
        generation INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        sealed BLOB NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX sandboxes_name ON sandboxes (name)`
    ]
  },
  {
    version: 4,
    statements: [
      // The requests that runs sent with a credential, one row for each batch that a proxy reported. The batches form a chain,
      // whose ends are in a row of meta. A proxy that got no response reports a batch again, which then changes nothing.
      `CREATE TABLE use_batches (
        seq INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        part INTEGER NOT NULL,
        profile TEXT NOT NULL,
        began TEXT NOT NULL,
        ended TEXT NOT NULL,
        entries INTEGER NOT NULL,
        content BLOB NOT NULL,
        prev_hash TEXT NOT NULL,
        mac TEXT NOT NULL,
        signature TEXT NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX use_batches_part ON use_batches (run, part)`,
      `CREATE INDEX use_batches_ended ON use_batches (ended)`
    ]
  },
  {
    version: 5,
    statements: [
      // The public keys of callers on other machines. Each is identified by its thumbprint.
      `CREATE TABLE identities (
        key_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        name TEXT NOT NULL,
        public_key TEXT NOT NULL,
        created_at TEXT NOT NULL,
        disabled_at TEXT
      ) STRICT, WITHOUT ROWID`,
      `CREATE UNIQUE INDEX identities_name ON identities (name)`,

      // Anyone who knows a code can use it, so only a hash of its secret part is stored.
      `CREATE TABLE enrollment_codes (
        code_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        name TEXT NOT NULL,
        secret_hash TEXT NOT NULL,
        failures INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL
      ) STRICT, WITHOUT ROWID`,
      `CREATE UNIQUE INDEX enrollment_codes_name ON enrollment_codes (name)`
    ]
  },
  {
    version: 6,
    statements: [
      // Named rule sets, to which runs and sandboxes can be limited.
      `CREATE TABLE policies (
        record_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        name TEXT NOT NULL,
        generation INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        sealed BLOB NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX policies_name ON policies (profile, name)`
    ]
  },
  {
    version: 7,
    statements: [],
    shared: [
      // The registered runs. A run without an owner has lost its connection to its daemon, and may register again.
      `CREATE TABLE runs (
        name TEXT PRIMARY KEY,
        id_hash TEXT NOT NULL,
        owner TEXT,
        registration TEXT NOT NULL,
        content TEXT NOT NULL,
        mac TEXT NOT NULL,
        used INTEGER NOT NULL,
        stopped_at TEXT,
        frozen_at TEXT,
        frozen_by TEXT,
        ended_at TEXT
      ) STRICT, WITHOUT ROWID`,

      // The connections that runs have used.
      `CREATE TABLE run_uses (
        run TEXT NOT NULL,
        provider TEXT NOT NULL,
        connection TEXT NOT NULL,
        last_used_at TEXT NOT NULL,
        PRIMARY KEY (run, provider, connection)
      ) STRICT, WITHOUT ROWID`
    ]
  },
  {
    version: 8,
    statements: [
      // Documents that the daemons of one database share: custom providers, identities of profiles, and settings. If a
      // home has an SQLite database, they are files.
      `CREATE TABLE documents (
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        sealed BLOB NOT NULL,
        PRIMARY KEY (kind, name)
      ) STRICT, WITHOUT ROWID`
    ]
  },
  {
    version: 9,
    statements: [
      // The profiles that may use a connection of another profile.
      `CREATE TABLE connection_grants (
        record_id TEXT NOT NULL,
        profile TEXT NOT NULL,
        created_at TEXT NOT NULL,
        PRIMARY KEY (record_id, profile)
      ) STRICT, WITHOUT ROWID`,
      `CREATE INDEX connection_grants_profile ON connection_grants (profile)`
    ]
  },
  {
    version: 10,
    statements: [],
    shared: [
      // The nonces of accepted signatures, with the times of the signatures in Unix seconds.
      `CREATE TABLE used_nonces (
        key_id TEXT NOT NULL,
        nonce TEXT NOT NULL,
        created INTEGER NOT NULL,
        PRIMARY KEY (key_id, nonce)
      ) STRICT, WITHOUT ROWID`
    ]
  },
  {
    version: 11,
    statements: [
      // The logs are no longer signed. Their MACs never covered the signatures.
      `ALTER TABLE audit DROP COLUMN signature`,
      `ALTER TABLE use_batches DROP COLUMN signature`,
      // A log filter that matches few entries must not read the whole log.
      `CREATE INDEX audit_provider ON audit (provider, seq)`,
      `CREATE INDEX audit_event ON audit (event, seq)`,
      `CREATE INDEX audit_identity ON audit (identity, seq)`,
      `CREATE INDEX audit_status ON audit (status, seq)`,
      `CREATE INDEX audit_timestamp ON audit (timestamp, seq)`,
      `CREATE INDEX use_batches_run ON use_batches (run, seq)`,
      `CREATE INDEX use_batches_profile ON use_batches (profile, seq)`
    ]
  },
  {
    version: 12,
    statements: [
      // The original contents of the user's files in which placeholders have replaced credentials.
      `CREATE TABLE originals (
        record_id TEXT PRIMARY KEY,
        profile TEXT NOT NULL,
        path TEXT NOT NULL,
        generation INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        sealed BLOB NOT NULL
      ) STRICT`,
      `CREATE UNIQUE INDEX originals_path ON originals (profile, path)`
    ]
  },
  {
    version: 13,
    statements: [
      // The CI jobs that may enroll a key for a short time, selected by the claims of their ID tokens.
      `CREATE TABLE trusts (
        name TEXT PRIMARY KEY,
        issuer TEXT NOT NULL,
        content TEXT NOT NULL
      ) STRICT, WITHOUT ROWID`,

      // The ID tokens that have enrolled an identity. A row outlives its identity, so that no token can enroll a second one.
      `CREATE TABLE job_tokens (
        token_hash TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        trust TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        job TEXT NOT NULL
      ) STRICT, WITHOUT ROWID`,
      `CREATE UNIQUE INDEX job_tokens_name ON job_tokens (name)`
    ]
  },
  {
    version: 14,
    // The ID of the request that caused an entry, as in the logs of the front server and of the daemon.
    statements: [`ALTER TABLE audit ADD COLUMN request TEXT`]
  }
]

/** The version of the schema after all migrations. */
export const schemaVersion = Math.max(...migrations.map(({ version }) => version))

/** A table that is part of every copy of a store. */
export interface Table {
  readonly name: string
  /** The order in which rows were inserted: that of the column `seq`, that of the rowid, or unknown. */
  readonly order: "sequence" | "rowid" | "none"
  /** The version of the schema that created the table. */
  readonly since: number
}

const tableNames = (statement: string): ReadonlyArray<string> => {
  const name = /^CREATE TABLE (\w+)/.exec(statement)?.[1]
  return name === undefined ? [] : [name]
}

/** The tables that both kinds of databases have. */
export const tables: ReadonlyArray<Table> = migrations.flatMap(({ statements, version: since }) =>
  statements.flatMap((statement) => {
    const withoutSequence = /\bWITHOUT ROWID\b|\bINTEGER PRIMARY KEY\b/.test(statement) ? "none" : "rowid"
    const order = /\bseq INTEGER PRIMARY KEY\b/.test(statement) ? "sequence" : withoutSequence
    return tableNames(statement).map((name): Table => ({ name, order, since }))
  })
)

const shared = migrations.flatMap(({ shared = [] }) => shared)

/** The tables that are temporary on SQLite. */
export const sharedTables: ReadonlyArray<string> = shared.flatMap(tableNames)

/** The statements that create the `sharedTables` of an SQLite connection. */
export const temporaryTables: ReadonlyArray<string> = shared.map((statement) =>
  statement.replace("CREATE TABLE", "CREATE TEMP TABLE")
)

/**
 * Describes how a schema differs from the expected one, if it does. A foreign trigger or view would run with credsvc's rights,
 * so the schemas must match exactly. Each part of a schema is a line that begins with its name and a colon.
 */
export const schemaDifference = (
  actual: ReadonlyArray<string>,
  expected: ReadonlyArray<string>
): string | undefined => {
  const nameOf = (line: string) => line.slice(0, line.indexOf(":"))
  const foreign = actual.find((line) => !expected.includes(line))
  if (foreign !== undefined) return `unexpected ${nameOf(foreign)}`
  const missing = expected.find((line) => !actual.includes(line))
  return missing === undefined ? undefined : `missing ${nameOf(missing)}`
}
