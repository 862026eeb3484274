/**
 * Loads Node's built-in modules on first use.
 *
 * An ESM import of `node:http` evaluates its lazy exports and loads undici, which costs several times as much as the
 * module. `process.getBuiltinModule` does not, and a command that opens no socket loads no network module.
 */
import type * as Crypto from "node:crypto"

/** A key whose bytes Node does not print. */
export type KeyObject = Crypto.KeyObject

/** Loads `node:sqlite` without the warning that Node 22 prints on stderr. */
const sqliteQuietly = () => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

export const builtins = {
  get childProcess() {
    return process.getBuiltinModule("node:child_process")
  },
  get crypto() {
    return process.getBuiltinModule("node:crypto")
  },
  get dns() {
    return process.getBuiltinModule("node:dns")
  },
  get http() {
    return process.getBuiltinModule("node:http")
  },
  get http2() {
    return process.getBuiltinModule("node:http2")
  },
  get https() {
    return process.getBuiltinModule("node:https")
  },
  get inspector() {
    return process.getBuiltinModule("node:inspector")
  },
  get net() {
    return process.getBuiltinModule("node:net")
  },
  get os() {
    return process.getBuiltinModule("node:os")
  },
  get sqlite() {
    return sqliteQuietly()
  },
  get tls() {
    return process.getBuiltinModule("node:tls")
  },
  get vm() {
    return process.getBuiltinModule("node:vm")
  },
  get tty() {
    return process.getBuiltinModule("node:tty")
  },
  get zlib() {
    return process.getBuiltinModule("node:zlib")
  }
}
