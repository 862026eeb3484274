/**
 * The seccomp filter of a contained run, as a classic BPF program (seccomp(2)).
 *
 * It refuses calls that would reach past the namespaces: debugging, kernel keyrings, new namespaces and mounts, input injection
 * into the terminal, and socket families that no network namespace isolates. All other calls are allowed.
 */

export type Architecture = "x64" | "arm64"

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const errno = (code: number): number => 0x00050000 | code

// Operations of linux/bpf_common.h.
const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06

/** Offsets in `struct seccomp_data`. */
const NUMBER = 0
const ARCHITECTURE = 4
/** The low half of an argument. The kernel ignores the high half of the arguments below, so the filter must too. */
const argument = (index: number): number => 16 + 8 * index

const AUDIT_ARCHITECTURE: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 }
/** Calls of the x32 interface have this bit in their number and are otherwise the same. */
const X32_BIT = 0x40000000

type Numbers = Readonly<Record<string, readonly [x64: number, arm64: number]>>

/** The calls that are refused with EPERM for any arguments. */
export const refusedCalls: Numbers = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  setns: [308, 268],
  open_by_handle_at: [304, 265],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60]
}

/**
 * The filter refuses these calls with ENOSYS; programs then use other calls. The flags of `clone3` lie in memory, which a filter
 * cannot read, and io_uring creates sockets without the `socket` call.
 */
export const unavailableCalls: Numbers = {
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427]
}

const IOCTL = [16, 29] as const
const CLONE = [56, 220] as const
const UNSHARE = [272, 97] as const
const SOCKET = [41, 198] as const

/** The requests that insert characters into a terminal's input. After the run, the shell would read these as if the user had typed them. */
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x7e020000
/** In `clone`, this bit belongs to the exit signal. */
const NEW_TIME_NAMESPACE = 0x80

/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK. AF_VSOCK, for example, reaches the host of a virtual machine. */
const ISOLATED_FAMILIES = [1, 2, 10, 16]

interface Instruction {
  readonly code: number
  readonly value: number
  /** How many instructions to skip if the condition is true or false. */
  readonly yes?: number
  readonly no?: number
}

const load = (offset: number): Instruction => ({ code: LOAD, value: offset })
const end = (value: number): Instruction => ({ code: RETURN, value })

/** The instructions that return `action` for one system call. */
const on = (call: number, action: number): ReadonlyArray<Instruction> => [
  { code: JUMP_EQUAL, value: call, no: 1 },
  end(action)
]

/** The instructions that check the arguments of one system call with `rules`, which must end with a return. */
const within = (call: number, rules: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  { code: JUMP_EQUAL, value: call, no: rules.length },
  ...rules
]

const instructions = (architecture: Architecture): ReadonlyArray<Instruction> => {
  const numberOf = ([x64, arm64]: readonly [number, number]): number => architecture === "x64" ? x64 : arm64
  return [
    load(ARCHITECTURE),
    { code: JUMP_EQUAL, value: AUDIT_ARCHITECTURE[architecture], yes: 1 },
    end(KILL_PROCESS),
    load(NUMBER),
    ...(architecture === "x64" ? [{ code: JUMP_AT_LEAST, value: X32_BIT, no: 1 }, end(errno(ENOSYS))] : []),
    ...Object.values(refusedCalls).flatMap((call) => on(numberOf(call), errno(EPERM))),
    ...Object.values(unavailableCalls).flatMap((call) => on(numberOf(call), errno(ENOSYS))),
    ...within(numberOf(IOCTL), [
      load(argument(1)),
      ...on(TIOCSTI, errno(EPERM)),
      ...on(TIOCLINUX, errno(EPERM)),
      end(ALLOW)
    ]),
    ...within(numberOf(CLONE), [
      load(argument(0)),
      { code: JUMP_ANY_BIT, value: NEW_NAMESPACES, no: 1 },
      end(errno(EPERM)),
      end(ALLOW)
    ]),
    ...within(numberOf(UNSHARE), [
      load(argument(0)),
      { code: JUMP_ANY_BIT, value: NEW_NAMESPACES | NEW_TIME_NAMESPACE, no: 1 },
      end(errno(EPERM)),
      end(ALLOW)
    ]),
    ...within(numberOf(SOCKET), [
      load(argument(0)),
      ...ISOLATED_FAMILIES.flatMap((family) => on(family, ALLOW)),
      end(errno(EAFNOSUPPORT))
    ]),
    end(ALLOW)
  ]
}

/** Whether there is a filter for the architecture, such as `process.arch`. */
export const isSupported = (architecture: string): architecture is Architecture =>
  architecture === "x64" || architecture === "arm64"

/** The program as an array of `struct sock_filter`. Both architectures are little-endian. */
export const systemCallFilter = (architecture: Architecture): Buffer =>
  Buffer.concat(
    instructions(architecture).map(({ code, no = 0, value, yes = 0 }) => {
      const bytes = Buffer.alloc(8)
      bytes.writeUInt16LE(code, 0)
      bytes.writeUInt8(yes, 2)
      bytes.writeUInt8(no, 3)
      bytes.writeUInt32LE(value >>> 0, 4)
      return bytes
    })
  )
