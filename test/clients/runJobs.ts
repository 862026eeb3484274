/**
 * Runs inside `credsvc run`: reads a list of jobs, runs several at a time, and writes their results.
 *
 *     runJobs.ts <jobs.json> <results.json>
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"

export interface Job {
  readonly name: string
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  /** The URL that the client requests. */
  readonly url: string
  readonly env: Readonly<Record<string, string>>
}

export interface JobResult {
  readonly name: string
  readonly code: number | null
  readonly worked: boolean
  readonly output: string
  readonly milliseconds: number
}

const SECONDS = 120

/** Rewrites a URL to the reverse route, if the run has one. */
const through = (address: string): string => {
  const base = process.env["CREDSVC_BASE_URL"]
  return base === undefined ? address : address.replace("https:/", base)
}

/** The variables that the bundled definitions of these SDKs' providers set, with the fake provider's URL. */
const sdkAddresses = (): Readonly<Record<string, string>> => {
  const base = process.env["CLIENTS_BASE_URL"]
  return base === undefined ? {} : {
    OPENAI_BASE_URL: `${base}/v1`,
    ANTHROPIC_BASE_URL: base,
    GROQ_BASE_URL: base,
    GOOGLE_GEMINI_BASE_URL: base
  }
}

const run = (job: Job): Promise<JobResult> =>
  new Promise((resolve) => {
    const began = performance.now()
    const [file = "", ...args] = job.argv
    let output = ""
    const child = spawn(file, args, {
      cwd: job.cwd,
      env: {
        ...process.env,
        ...sdkAddresses(),
        CLIENT_URL: through(job.url),
        CLIENT_BASE: through(new URL(job.url).origin),
        ...job.env
      },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      } catch {
        // The process group has already ended.
      }
    }
    const timer = setTimeout(() => {
      output += `\n(ended after ${SECONDS} seconds)`
      end()
    }, SECONDS * 1000)
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output += chunk.toString())
    const done = (code: number | null) => {
      clearTimeout(timer)
      const worked = code === 0 && output.includes("served")
      resolve({ name: job.name, code, worked, output, milliseconds: Math.round(performance.now() - began) })
    }
    child.once("error", ({ message }) => {
      output += message
      done(null)
    })
    child.once("close", (code) => {
      end()
      done(code)
    })
  })

const [jobsFile = "", resultsFile = ""] = process.argv.slice(2)
const waiting: Array<Job> = JSON.parse(fs.readFileSync(jobsFile, "utf8"))
const results: Array<JobResult> = []
const worker = async (): Promise<void> => {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) results.push(await run(job))
}
// The jobs mostly wait for each other's responses, not for a processor.
await Promise.all(Array.from({ length: os.availableParallelism() + 1 }, worker))
fs.writeFileSync(resultsFile, JSON.stringify(results))
