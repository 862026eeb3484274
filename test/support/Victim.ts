/** Programs that tests kill while they send token requests. */
import type * as childProcess from "node:child_process"
import * as path from "node:path"
import { bundleProgram } from "./BundledProgram.ts"
import type { RotatingServer } from "./RotatingServer.ts"
import { type Call, callsOf, canTrace, durableCalls, injection, startTraced } from "./SystemCallFaults.ts"

if (!canTrace) console.warn("strace is unavailable: processes are killed at the server only")

/** Where a process is killed: on entry to a system call, or at the server before or after it rotates the token. */
export type Point = Call | { readonly server: "before" | "after" }

/** Bundles a victim: a program that sends token requests, and is killed at a point. */
export const bundleVictim = async (module: string, directory: string) => {
  const victim = await bundleProgram(module, directory)
  // Processes that are not killed write the compile cache. Later ones only read it.
  const options = { cwd: directory, env: { ...process.env, NODE_COMPILE_CACHE: path.join(directory, "compiled") } }
  return {
    /** Every durable system call of the victim from start to end, if they can be traced, and the points at the server. */
    points: async (args: ReadonlyArray<string>): Promise<ReadonlyArray<Point>> => [
      ...(canTrace ? await callsOf(durableCalls, [victim, ...args], options) : []),
      { server: "before" },
      { server: "after" }
    ],
    /** Returns a function that runs the victim to its end or to the point, one process at a time. */
    runsAt: (server: RotatingServer) => {
      let child: childProcess.ChildProcess | undefined
      let at: "before" | "after" | undefined
      const { token } = server
      server.answer("/token", (request) => {
        if (at === "before") child?.kill("SIGKILL")
        const reply = token(request)
        if (at === "after") child?.kill("SIGKILL")
        return reply
      })
      return async (args: ReadonlyArray<string>, point?: Point) => {
        at = point !== undefined && "server" in point ? point.server : undefined
        const fault = point !== undefined && "call" in point ? { ...point, fault: "signal=SIGKILL" } : undefined
        const started = startTraced(injection(fault), [victim, ...args], options)
        child = started.child
        const { code, output } = await started.ended
        // strace exits like the traced process: by the signal, or with 128 plus its number.
        return { killed: code === null || code === 137, said: output.trim() }
      }
    }
  }
}

export type Victim = Awaited<ReturnType<typeof bundleVictim>>
