import * as childProcess from "node:child_process"

/** Whether strace(1) can inject faults into system calls here. */
export const canTrace = process.platform === "linux" &&
  childProcess.spawnSync("strace", ["-f", "-o", "/dev/null", "-e", "inject=sync:signal=SIGKILL:when=1", "true"], {
      stdio: "ignore"
    }).status === 0

/** A fault of the nth call of this name: what strace(1) injects, such as `signal=SIGKILL` or `error=EIO`. */
export interface Fault {
  readonly call: string
  readonly fault: string
  readonly nth: number
}

export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** Runs a program of Node to its end, with a fault. */
export const runWithFault = (
  fault: Fault | undefined,
  program: string,
  ...args: ReadonlyArray<string>
): Promise<Ended> => {
  const command = [process.execPath, program, ...args]
  const [file = "", ...rest] = fault === undefined ? command : [
    "strace",
    "-f",
    "-o",
    "/dev/null",
    "-e",
    `trace=${fault.call}`,
    "-e",
    `inject=${fault.call}:${fault.fault}:when=${fault.nth}`,
    ...command
  ]
  const child = childProcess.spawn(file, rest, { stdio: ["ignore", "pipe", "pipe"] })
  return new Promise((resolve, reject) => {
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => output += chunk.toString())
    child.stderr.on("data", (chunk: Buffer) => output += chunk.toString())
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })
}
