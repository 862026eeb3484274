import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { vi } from "vitest"

/**
 * Waits for the next tick of the file system's clock, so that later changes get another time. Then moves this process's
 * clock a second ahead, so that files written before appear settled. Undone by `vi.restoreAllMocks`.
 */
export const settleFiles = (): void => {
  const probe = path.join(os.tmpdir(), `credsvc-tick-${process.pid}`)
  const timeOfWrite = (): number => {
    fs.writeFileSync(probe, "")
    return fs.statSync(probe).ctimeMs
  }
  const before = timeOfWrite()
  while (timeOfWrite() === before);
  fs.rmSync(probe)
  const now = Date.now()
  vi.spyOn(Date, "now").mockReturnValue(now + 1000)
}
