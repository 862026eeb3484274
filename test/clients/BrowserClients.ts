/** Chromium, by itself and controlled by a program. */
import { createRequire } from "node:module"
import * as path from "node:path"
import { installedPackages } from "../support/InstalledPackages.ts"
import type { Client } from "./Client.ts"

const playwright = createRequire(import.meta.url).resolve("playwright-core")

/** Root has to run it without the sandbox. */
const sandbox = process.getuid?.() === 0 ? "--no-sandbox" : "--disable-gpu"

const controlled: Client = {
  name: "Chromium under Playwright",
  command: "chromium",
  args: [],
  script: "node main.mjs",
  files: {
    "main.mjs": `import playwright from ${JSON.stringify(playwright)}
      const executablePath = process.env.PATH.split(":").map((directory) => directory + "/chromium").find((await import("node:fs")).existsSync)
      const browser = await playwright.chromium.launch({ executablePath, args: ["${sandbox}"] })
      const page = await browser.newPage()
      await page.goto(process.env.CLIENT_URL, { timeout: 100_000 })
      console.log(await page.textContent("body"))
      await browser.close()`
  }
}

/** Controlled over a WebSocket by default, otherwise over a pipe. */
const puppeteer = (name: string, more: Partial<Client>, pipe = false): Client => ({
  name,
  command: "node",
  args: [
    "--input-type=module",
    "-e",
    `import { launch } from "puppeteer-core"
      const browser = await launch({ executablePath: "/usr/bin/chromium", pipe: ${pipe}, args: ["${sandbox}"] })
      const page = await browser.newPage()
      await page.goto(process.env.CLIENT_URL, { timeout: 100_000 })
      console.log(await page.evaluate(() => document.body.textContent))
      await browser.close()`
  ],
  installed: "puppeteer-core",
  needs: "/usr/bin/chromium",
  ...more
})

const puppeteerModule = path.join(
  installedPackages("clients"),
  "node_modules/puppeteer-core/lib/puppeteer/puppeteer-core.js"
)

/** Firefox reads policies beside its program only; Playwright's own build also from the file that the variable names. */
const firefox: Client = {
  name: "Firefox under Puppeteer, with the Firefox policies of the run",
  command: "firefox-esr",
  args: [],
  script: `mkdir -p firefox/distribution
    cp -rs /usr/lib/firefox-esr/. firefox 2>/dev/null || true
    cp --remove-destination /usr/lib/firefox-esr/firefox-esr firefox
    cp --remove-destination "$PLAYWRIGHT_FIREFOX_POLICIES_JSON" firefox/distribution/policies.json
    node main.mjs`,
  files: {
    "main.mjs": `import { launch } from ${JSON.stringify(puppeteerModule)}
      const browser = await launch({ browser: "firefox", executablePath: process.cwd() + "/firefox/firefox-esr" })
      const page = await browser.newPage()
      await page.goto(process.env.CLIENT_URL, { timeout: 100_000 })
      console.log(await page.evaluate(() => document.body.textContent))
      await browser.close()`
  },
  installed: "puppeteer-core",
  heavy: true
}

const noVariable = "it reads no variable for certificates"

export const browserClients: ReadonlyArray<Client> = [
  { ...controlled, option: "--hook chromium" },
  {
    ...controlled,
    name: "Chromium under Playwright, without the hook",
    contained: true,
    fails: noVariable
  },
  puppeteer("Chromium under Puppeteer", { option: "--hook chromium" }),
  puppeteer("Chromium under Puppeteer over a pipe", { option: "--hook chromium" }, true),
  puppeteer("Chromium under Puppeteer, without the hook", { fails: noVariable }),
  firefox,
  {
    name: "Chromium in the home directory of the hook",
    command: "chromium",
    args: [],
    script:
      `HOME="$CREDSVC_BROWSER_HOME" chromium --headless ${sandbox} --user-data-dir="$PWD/data" --dump-dom "$CLIENT_URL"`,
    option: "--hook chromium"
  }
]
