import * as childProcess from "node:child_process"
import * as fs from "node:fs"

/** Whether strace(1) can inject faults into system calls here. */
export const canTrace = process.platform === "linux" &&
  childProcess.spawnSync("strace", ["-f", "-o", "/dev/null", "-e", "inject=sync:signal=SIGKILL:when=1", "true"], {
      stdio: "ignore"
    }).status === 0

/** The calls after which changes are durable. */
export const durableCalls = ["fsync", "fdatasync", "pwrite64", "ftruncate", "unlink", "rename"]

/** The nth call of this name. */
export interface Call {
  readonly call: string
  readonly nth: number
}

/** A fault of a call: what strace(1) injects, such as `signal=SIGKILL` or `error=EIO`. */
export interface Fault extends Call {
  readonly fault: string
}

export interface Ended {
  readonly code: number | null
  readonly output: string
}

interface Started {
  readonly child: childProcess.ChildProcess
  readonly ended: Promise<Ended>
}

/** Starts a program of Node, under strace(1) with the arguments of `trace` if there are any. */
export const startTraced = (
  trace: ReadonlyArray<string> | undefined,
  command: ReadonlyArray<string>,
  options: childProcess.SpawnOptions = {}
): Started => {
  const [file = "", ...rest] = [
    ...(trace === undefined ? [] : ["strace", "-f", ...trace]),
    process.execPath,
    ...command
  ]
  const child = childProcess.spawn(file, rest, { ...options, stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<Ended>((resolve, reject) => {
    let output = ""
    child.stdout?.on("data", (chunk: Buffer) => output += chunk.toString())
    child.stderr?.on("data", (chunk: Buffer) => output += chunk.toString())
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })
  return { child, ended }
}

// Without --seccomp-bpf, which counts the calls but delivers no signal.
export const injection = (fault: Fault | undefined) =>
  fault &&
  ["-o", "/dev/null", "-e", `trace=${fault.call}`, "-e", `inject=${fault.call}:${fault.fault}:when=${fault.nth}`]

/** Runs a program of Node to its end, with a fault. */
export const runWithFault = (
  fault: Fault | undefined,
  program: string,
  ...args: ReadonlyArray<string>
): Promise<Ended> => startTraced(injection(fault), [program, ...args]).ended

/** The calls of these names that a program of Node makes from start to end. */
export const callsOf = async (
  names: ReadonlyArray<string>,
  command: ReadonlyArray<string>,
  options?: childProcess.SpawnOptions
): Promise<ReadonlyArray<Call>> => {
  const file = `${command[0]}.calls`
  await startTraced(["-e", `trace=${names.join(",")}`, "-o", file], command, options).ended
  const lines = fs.readFileSync(file, "utf8").split("\n")
  return names.flatMap((call) => {
    const { length } = lines.filter((line) => new RegExp(`^\\d+ +${call}\\(`).test(line))
    return Array.from({ length }, (_, index) => ({ call, nth: index + 1 }))
  })
}
