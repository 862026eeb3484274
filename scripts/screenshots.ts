/**
 * Takes the screenshots that README.md shows, in docs/screenshots/: the overview of the dashboard in both color schemes.
 *
 * `node scripts/screenshots.ts`. Needs Debian's chromium, which also compresses the images, as WebP.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { launchBrowser } from "../test/support/Browser.ts"
import { fillSampleHome } from "../test/support/SampleHome.ts"
import { startTestDaemon } from "../test/support/TestDaemon.ts"

const out = fileURLToPath(new URL("../docs/screenshots/", import.meta.url))

/** Uses a separate page, because the pages' content security policy allows no such image. */
const asWebp = async (blank: Page, picture: Buffer): Promise<Buffer> => {
  const encoded = await blank.evaluate(`(async () => {
    const image = new Image()
    image.src = "data:image/png;base64,${picture.toString("base64")}"
    await image.decode()
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height })
    canvas.getContext("2d").drawImage(image, 0, 0)
    return canvas.toDataURL("image/webp", .55)
  })()`)
  return Buffer.from(String(encoded).replace(/^.*,/, ""), "base64")
}

const program = Effect.gen(function*() {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-screenshots-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  yield* fillSampleHome(home)
  const daemon = yield* startTestDaemon({ home })
  const browser = yield* launchBrowser()
  yield* Effect.promise(async () => {
    const blank = await browser.newPage()
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({
        colorScheme,
        reducedMotion: "reduce",
        viewport: { width: 1040, height: 480 }
      })
      await page.goto(`${daemon.url}/ui/`)
      const picture = await page.screenshot({ fullPage: true })
      fs.writeFileSync(path.join(out, `overview-${colorScheme}.webp`), await asWebp(blank, picture))
      await page.close()
    }
  })
})

await Effect.runPromise(Effect.scoped(program))
