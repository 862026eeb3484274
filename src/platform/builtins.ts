/**
 * Loads Node's built-in modules on first use.
 *
 * An ESM import of `node:http` evaluates its lazy exports and loads undici, which costs several times as much as the
 * module. `process.getBuiltinModule` does not, and a command that opens no socket loads no network module.
 */
import type * as ChildProcess from "node:child_process"
import type * as Crypto from "node:crypto"
import type * as Dns from "node:dns"
import type * as Http from "node:http"
import type * as Http2 from "node:http2"
import type * as Https from "node:https"
import type * as Inspector from "node:inspector"
import type * as Net from "node:net"
import type * as Os from "node:os"
import type * as Sqlite from "node:sqlite"
import type * as Tls from "node:tls"
import type * as Tty from "node:tty"
import type * as Vm from "node:vm"
import type * as Zlib from "node:zlib"

/** A key whose bytes Node does not print. */
export type KeyObject = Crypto.KeyObject

/** Loads `node:sqlite` without the warning that Node 22 prints on stderr. */
const sqliteQuietly = (): typeof Sqlite => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

export const builtins = {
  get childProcess(): typeof ChildProcess {
    return process.getBuiltinModule("node:child_process")
  },
  get crypto(): typeof Crypto {
    return process.getBuiltinModule("node:crypto")
  },
  get dns(): typeof Dns {
    return process.getBuiltinModule("node:dns")
  },
  get http(): typeof Http {
    return process.getBuiltinModule("node:http")
  },
  get http2(): typeof Http2 {
    return process.getBuiltinModule("node:http2")
  },
  get https(): typeof Https {
    return process.getBuiltinModule("node:https")
  },
  get inspector(): typeof Inspector {
    return process.getBuiltinModule("node:inspector")
  },
  get net(): typeof Net {
    return process.getBuiltinModule("node:net")
  },
  get os(): typeof Os {
    return process.getBuiltinModule("node:os")
  },
  get sqlite(): typeof Sqlite {
    return sqliteQuietly()
  },
  get tls(): typeof Tls {
    return process.getBuiltinModule("node:tls")
  },
  get vm(): typeof Vm {
    return process.getBuiltinModule("node:vm")
  },
  get tty(): typeof Tty {
    return process.getBuiltinModule("node:tty")
  },
  get zlib(): typeof Zlib {
    return process.getBuiltinModule("node:zlib")
  }
}
