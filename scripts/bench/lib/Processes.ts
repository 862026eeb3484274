/** The processes of a benchmark. Each runs on a given core, and all of them end with the benchmark. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as os from "node:os"

const pinned = os.availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0

/** The proxy has one core, and everything else the other, so that the benchmark compares the work of one core. */
export const PROXY_CORE = 0
export const OTHER_CORE = 1

/** The beginning of a command line that runs on one core. */
export const onCore = (core: number): ReadonlyArray<string> => pinned ? ["taskset", "-c", String(core)] : []

/** Runs one job at a time. */
export type Worker = <A>(job: object) => Promise<A>

/** A process that responds to each line of input, a job, with a line of output. */
export const workerOf = (child: ChildProcess): Worker => async (job) => {
  child.stdin?.write(`${JSON.stringify(job)}\n`)
  return JSON.parse(await firstLine(child))
}

export class Processes {
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

  /** Starts a worker that runs until the benchmark ends, so that its code is compiled only once. */
  persistentWorker(core: number, file: string): Worker {
    return workerOf(this.start(core, process.execPath, [file], {}, { input: "pipe" }))
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

  async stop(): Promise<void> {
    await Promise.all([...this.#children].map((child) => {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill()
      return ended
    }))
  }
}

/** The first line of output, usually a port. */
export const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const ended = (code: number | null) => reject(new Error(`${child.spawnargs.join(" ")} ended with ${code}`))
    const read = (chunk: Buffer): void => {
      text += chunk.toString()
      if (!text.includes("\n")) return
      child.stdout?.off("data", read)
      child.off("exit", ended)
      resolve(text.slice(0, text.indexOf("\n")))
    }
    child.stdout?.on("data", read)
    child.once("exit", ended)
  })

/** The JSON that the process prints before it exits. */
export const result = <A>(child: ChildProcess): Promise<A> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.once(
      "close",
      (code) =>
        code === 0
          ? resolve(JSON.parse(text) as A)
          : reject(new Error(`${child.spawnargs.find((each) => each.endsWith(".ts"))} ended with ${code}`))
    )
  })
