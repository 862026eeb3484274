import { assert, describe, it } from "vitest"
import {
  type Architecture,
  isSupported,
  refusedCalls,
  systemCallFilter,
  unavailableCalls
} from "../../src/contain/SystemCallFilter.ts"

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const EPERM = 0x00050001
const ENOSYS = 0x00050000 | 38
const EAFNOSUPPORT = 0x00050000 | 97

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const
const I386 = 0x40000003
const ARM = 0x40000028

interface Call {
  readonly number: number
  readonly audit?: number
  readonly args?: ReadonlyArray<bigint>
}

/** Executes the program as the kernel does, and returns its result. */
const run = (architecture: Architecture, { args = [], audit = AUDIT[architecture], number }: Call): number => {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(audit, 4)
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * index)
  const program = systemCallFilter(architecture)
  let accumulator = 0
  for (let at = 0; at < program.length / 8; at++) {
    const [code, yes, no] = [program.readUInt16LE(at * 8), program[at * 8 + 2]!, program[at * 8 + 3]!]
    const value = program.readUInt32LE(at * 8 + 4)
    const jump = (condition: boolean): void => void (at += condition ? yes : no)
    if (code === 0x20) accumulator = data.readUInt32LE(value)
    else if (code === 0x15) jump(accumulator === value)
    else if (code === 0x35) jump(accumulator >= value)
    else if (code === 0x45) jump(((accumulator & value) >>> 0) !== 0)
    else if (code === 0x06) return value
    else throw new Error(`unknown instruction ${code.toString(16)}`)
  }
  throw new Error("the program has no end")
}

const calls = {
  x64: { read: 0, ioctl: 16, clone: 56, unshare: 272, socket: 41 },
  arm64: { read: 63, ioctl: 29, clone: 220, unshare: 97, socket: 198 }
} as const

for (const [index, architecture] of (["x64", "arm64"] as const).entries()) {
  const { clone, ioctl, read, socket, unshare } = calls[architecture]

  describe(`SystemCallFilter on ${architecture}`, () => {
    it("allows ordinary calls", () => {
      assert.strictEqual(run(architecture, { number: read }), ALLOW)
    })

    it("refuses debugging, keyrings, mounts and kernel interfaces with any arguments", () => {
      for (const [name, numbers] of Object.entries(refusedCalls)) {
        assert.strictEqual(run(architecture, { number: numbers[index]! }), EPERM, name)
        assert.strictEqual(run(architecture, { number: numbers[index]!, args: [0xffffffffffffffffn] }), EPERM, name)
      }
    })

    it("reports clone3 and io_uring as unavailable, so that programs use their fallbacks", () => {
      for (const [name, numbers] of Object.entries(unavailableCalls)) {
        assert.strictEqual(run(architecture, { number: numbers[index]! }), ENOSYS, name)
      }
    })

    it("refuses input injection into terminals, even with bits that the kernel ignores, but no other ioctl", () => {
      for (const command of [0x5412n, 0x541cn]) {
        for (const high of [0n, 1n << 32n, 0xffffffffn << 32n]) {
          assert.strictEqual(run(architecture, { number: ioctl, args: [0n, high | command] }), EPERM)
        }
      }
      for (const command of [0x5401n, 0x5410n, 0x5413n, 0x5421n]) {
        assert.strictEqual(run(architecture, { number: ioctl, args: [0n, command] }), ALLOW)
      }
    })

    it("refuses each kind of new namespace, and allows processes and threads", () => {
      const namespaces = [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n]
      for (const flag of namespaces) {
        for (const number of [clone, unshare]) {
          assert.strictEqual(run(architecture, { number, args: [flag | 17n] }), EPERM)
          assert.strictEqual(run(architecture, { number, args: [flag | (1n << 40n)] }), EPERM)
        }
      }
      assert.strictEqual(run(architecture, { number: unshare, args: [0x80n] }), EPERM)
      // The signal SIGCHLD at the end, and the flags of a thread.
      for (const flags of [17n, 0x1200011n, 0x3d0f00n, 0x80n]) {
        assert.strictEqual(run(architecture, { number: clone, args: [flags] }), ALLOW)
      }
      assert.strictEqual(run(architecture, { number: unshare, args: [0x400n] }), ALLOW)
    })

    it("allows sockets of families that the network namespace isolates, and no others", () => {
      for (const family of [1n, 2n, 10n, 16n]) {
        assert.strictEqual(run(architecture, { number: socket, args: [family] }), ALLOW)
      }
      // AF_UNSPEC, AF_PACKET, AF_BLUETOOTH, AF_ALG, AF_VSOCK, AF_XDP.
      for (const family of [0n, 17n, 31n, 38n, 40n, 44n, (1n << 32n) | 40n]) {
        assert.strictEqual(run(architecture, { number: socket, args: [family] }), EAFNOSUPPORT)
      }
    })

    it("kills programs of other architectures, whose calls have other numbers", () => {
      for (const audit of [I386, ARM, architecture === "x64" ? AUDIT.arm64 : AUDIT.x64]) {
        assert.strictEqual(run(architecture, { number: read, audit }), KILL_PROCESS)
      }
    })
  })
}

describe("SystemCallFilter", () => {
  it("refuses all calls of the x32 interface", () => {
    for (const number of [0, calls.x64.ioctl, 519, 521]) {
      assert.strictEqual(run("x64", { number: 0x40000000 | number }), ENOSYS)
    }
  })

  it("supports x64 and arm64 only", () => {
    assert.deepStrictEqual(["x64", "arm64", "ia32", "arm", "riscv64"].map(isSupported), [
      true,
      true,
      false,
      false,
      false
    ])
  })
})
