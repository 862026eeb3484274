/** Directories that are deleted by hooks of vitest. Their paths contain no symbolic link. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, onTestFinished } from "vitest"

const directoryUntil = (ended: (remove: () => void) => void): string => {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-test-")))
  ended(() => fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** Creates a directory that is deleted after the current test. */
export const testDirectory = (): string => directoryUntil(onTestFinished)

/** Creates a directory that is deleted after all tests of the file or `describe` block that calls this function. */
export const suiteDirectory = (): string => directoryUntil(afterAll)
