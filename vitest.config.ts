import { accessSync, constants, readFileSync, statfsSync } from "node:fs"
import { defineConfig } from "vitest/config"

const memory = "/dev/shm"
const enough = 2 * 1024 ** 3

/** Whether there is room in memory for what tests leave on a disk, and programs may be run from there. */
const hasMemory = (): boolean => {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    const mounted = readFileSync("/proc/mounts", "utf8").split("\n").find((line) => line.split(" ")[1] === memory)
    return bavail * bsize >= enough && !/\bnoexec\b/.test(mounted ?? "noexec")
  } catch {
    return false
  }
}

// Hundreds of homes with a database each: on a disk, most of their time is waiting for `fsync`.
if (process.env["TMPDIR"] === undefined && hasMemory()) process.env["TMPDIR"] = memory

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2
  }
})
