/** The processes of a benchmark. Each runs on a given core, and all of them end with the benchmark. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import { text } from "node:stream/consumers"

const pinned = os.availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0

/** The proxy has one core, and everything else the other, so that the benchmark compares the work of one core. */
export const PROXY_CORE = 0
export const OTHER_CORE = 1

/** The processor time that the processes have used so far, in microseconds. Only on Linux. */
export const processorTime = (pids: ReadonlyArray<number>): number =>
  pids.flatMap((pid) => fs.readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}/schedstat`))
    .reduce((sum, file) => sum + Number(fs.readFileSync(file, "utf8").split(" ")[0]) / 1000, 0)

/** The resident memory of the processes, in MiB. Only on Linux. */
export const residentMib = (pids: ReadonlyArray<number>): number =>
  pids.reduce(
    (sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
    0
  )

/** The beginning of a command line that runs on one core. */
export const onCore = (core: number): ReadonlyArray<string> => pinned ? ["taskset", "-c", String(core)] : []

/** Runs one job at a time. */
export type Worker = <A>(job: object) => Promise<A>

/** The time limit of a job or a start. Only a process that hangs takes longer. */
const LIMIT_MILLISECONDS = 120_000

/** A process that responds to each line of input, a job, with a line of output. */
export const workerOf = (child: ChildProcess): Worker => {
  // If the process has ended, the job that waits for it reports that.
  child.stdin?.on("error", () => {})
  return async (job) => {
    const line = firstLine(child)
    child.stdin?.write(`${JSON.stringify(job)}\n`)
    return JSON.parse(await line)
  }
}

/** `await using` ends them at the end of the block. */
export class Processes implements AsyncDisposable {
  readonly #children = new Set<ChildProcess>()

  start(
    core: number,
    command: string,
    args: ReadonlyArray<string>,
    env: NodeJS.ProcessEnv = {},
    { cwd, errors = "inherit", input = "ignore" }: {
      readonly cwd?: string
      readonly errors?: "inherit" | "ignore" | undefined
      readonly input?: "ignore" | "pipe"
    } = {}
  ): ChildProcess {
    const [file = "", ...all] = [...onCore(core), command, ...args]
    const child = spawn(file, all, {
      cwd,
      env: { PATH: process.env["PATH"], HOME: os.tmpdir(), ...env },
      stdio: [input, "pipe", errors]
    })
    this.#children.add(child)
    child.once("exit", () => this.#children.delete(child))
    return child
  }

  node(core: number, file: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): ChildProcess {
    return this.start(core, process.execPath, [file, ...args], env)
  }

  /**
   * A worker that runs until the benchmark ends, so that its code is compiled only once. After a failed job, another
   * process does the next job.
   */
  persistentWorker(core: number, file: string): Worker {
    let current: { readonly child: ChildProcess; readonly work: Worker } | undefined
    const started = () => {
      const child = this.start(core, process.execPath, [file], {}, { input: "pipe" })
      return { child, work: workerOf(child) }
    }
    return async (job) => {
      const { child, work } = current ??= started()
      try {
        return await work(job)
      } catch (error) {
        current = undefined
        child.kill("SIGKILL")
        throw error
      }
    }
  }

  /**
   * Keeps every core awake with an idle-priority loop: on a virtual machine, waking a core takes longer than the
   * measured work. Returns the reason if that is impossible.
   */
  keepAwake(): string | undefined {
    if (!pinned || spawnSync("chrt", ["-V"]).status !== 0) return "chrt and taskset are not installed"
    for (const core of [PROXY_CORE, OTHER_CORE]) {
      this.start(core, "chrt", ["--idle", "0", "sh", "-c", "while :; do :; done"])
    }
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children].map((child) => {
      const ended = once(child, "exit")
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
      child.kill()
      return ended.finally(() => clearTimeout(timer))
    }))
  }
}

const nameOf = (child: ChildProcess): string =>
  child.spawnargs.find((each) => each.endsWith(".ts"))?.split("/").at(-1) ?? child.spawnargs.join(" ")

/** The first line of further output, usually a port. */
export const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const settle = (finish: () => void): void => {
      clearTimeout(timer)
      child.stdout?.off("data", read)
      child.off("exit", ended).off("error", reject)
      finish()
    }
    const ended = (code: number | null) => settle(() => reject(new Error(`${nameOf(child)} ended with ${code}`)))
    const read = (chunk: Buffer): void => {
      text += chunk.toString()
      if (text.includes("\n")) settle(() => resolve(text.slice(0, text.indexOf("\n"))))
    }
    const timer = setTimeout(
      () => settle(() => reject(new Error(`${nameOf(child)} did not respond`))),
      LIMIT_MILLISECONDS
    )
    if (child.exitCode !== null || child.signalCode !== null) return ended(child.exitCode)
    child.stdout?.on("data", read)
    child.once("exit", ended).once("error", reject)
  })

/** The JSON that the process prints before it exits. */
export const result = async <A>(child: ChildProcess): Promise<A> => {
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MILLISECONDS)
  const [printed, [code]] = await Promise.all([text(child.stdout!), once(child, "close")])
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${nameOf(child)} ended with ${code}`)
  return JSON.parse(printed)
}
