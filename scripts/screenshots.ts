/**
 * Takes the screenshots in docs/screenshots/: every page of the dashboard and of a login, in both color schemes, over a
 * home in which every state occurs.
 *
 * `node scripts/screenshots.ts [directory]`. Needs Debian's chromium. Content longer than a window is cut off. The
 * browser itself compresses the images, as WebP; `--png` leaves them uncompressed.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { launchBrowser } from "../test/support/Browser.ts"
import { openOidcServer, publicClient } from "../test/support/OidcServer.ts"
import { fillSampleHome } from "../test/support/SampleHome.ts"
import { startTestDaemon, type TestDaemonShape } from "../test/support/TestDaemon.ts"
import { scoped, writeConfig } from "../test/support/TestSites.ts"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..")
const png = process.argv.includes("--png")
const given = process.argv.slice(2).find((argument) => !argument.startsWith("--"))
const out = path.resolve(given ?? path.join(root, "docs", "screenshots"))

const wide = { width: 1040, height: 480 }
const narrow = { width: 320, height: 640 }

/** Advances to the next step of the login, which shows another heading or an error. */
const connect = async (page: Page): Promise<void> => {
  const response = page.waitForResponse((response) =>
    response.request().isNavigationRequest() && response.status() !== 303
  )
  await page.getByRole("button", { name: "Connect" }).click()
  await response
  await page.waitForLoadState()
}

const byCode = async (page: Page): Promise<void> => {
  await page.getByLabel("Device code").check()
  await page.getByRole("button", { name: "Connect" }).click()
  await page.getByRole("img", { name: "QR code" }).waitFor()
}

interface Shot {
  readonly name: string
  readonly path: string
  readonly size?: { readonly width: number; readonly height: number }
  /** Prepares the page before the screenshot. */
  readonly act?: (page: Page) => Promise<void>
}

const shots: ReadonlyArray<Shot> = [
  { name: "overview", path: "/ui/" },
  { name: "overview-narrow", path: "/ui/", size: narrow },
  { name: "connections", path: "/ui/connections" },
  { name: "providers", path: "/ui/apps" },
  { name: "providers-search", path: "/ui/apps?q=calendar" },
  { name: "providers-narrow", path: "/ui/apps?q=mail", size: narrow },
  { name: "provider", path: "/ui/apps/acme-tasks" },
  { name: "provider-narrow", path: "/ui/apps/openai", size: narrow },
  {
    name: "provider-refused",
    path: "/ui/apps/own-desk",
    act: async (page) => {
      await page.getByLabel("Account URL").fill("https://evil.example")
      await page.getByRole("button", { name: "Connect" }).click()
      await page.waitForSelector("[aria-invalid=true]")
    }
  },
  {
    name: "already-connected",
    path: "/ui/apps/anthropic",
    act: async (page) => {
      await page.getByLabel("Connection name").fill("default")
      await page.getByRole("button", { name: "Connect" }).click()
      await page.getByRole("heading", { name: "is already connected" }).waitFor()
    }
  },
  { name: "disconnect", path: "/ui/apps/openai/default/disconnect" },
  { name: "make-default", path: "/ui/apps/openai/work@example.com/default" },
  { name: "revoke", path: "/ui/apps/acme-tasks/revoke" },
  { name: "runs", path: "/ui/runs" },
  { name: "runs-narrow", path: "/ui/runs", size: narrow },
  { name: "requests", path: "/ui/requests" },
  { name: "activity", path: "/ui/audit" },
  { name: "activity-narrow", path: "/ui/audit", size: narrow },
  { name: "verify", path: "/ui/audit/verify" },
  { name: "settings", path: "/ui/settings" },
  { name: "checks", path: "/ui/checks" }
]

/** Logs in at a fake provider on this machine. */
const logins: ReadonlyArray<Shot> = [
  { name: "login-key", path: "/ui/apps/openai", act: connect },
  {
    name: "login-key-refused",
    path: "/ui/apps/openai",
    act: async (page) => {
      await connect(page)
      await page.getByLabel("API key").fill("not a key")
      await connect(page)
      await page.waitForSelector("[aria-invalid=true]")
    }
  },
  {
    name: "login-connected",
    path: "/ui/apps/anthropic",
    act: async (page) => {
      // Starts the login as the command line does: one that is started on the dashboard ends there.
      const started = await page.request.post(new URL("/auth/sessions", page.url()).href, {
        data: { provider: "anthropic" }
      })
      await page.goto((await started.json()).next_action.url)
      await page.locator("input[type=password]").fill("sk-ant-of-no-use-0123456789")
      await connect(page)
      await page.getByRole("heading", { name: "Anthropic is connected" }).waitFor()
    }
  },
  {
    name: "login-cancelled",
    path: "/ui/apps/openai",
    act: async (page) => {
      await connect(page)
      await page.getByRole("button", { name: "Cancel" }).click()
      await page.getByText("The login was cancelled.").waitFor()
    }
  },
  { name: "login-app", path: "/ui/apps/own-app", act: connect },
  {
    name: "login-onward",
    path: "/ui/apps/shared-app",
    act: async (page) => {
      await connect(page)
      await page.getByRole("link", { name: "Continue to" }).waitFor()
    }
  },
  { name: "login-code", path: "/ui/apps/shared-app", act: byCode },
  { name: "login-code-narrow", path: "/ui/apps/shared-app", size: narrow, act: byCode },
  { name: "login-stray", path: "/auth/callback/oauth?state=x&code=y" }
]

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

const take = async (
  blank: Page,
  page: Page,
  daemon: TestDaemonShape,
  { act, name, path: target, size = wide }: Shot,
  theme: string
) => {
  await page.setViewportSize(size)
  await page.goto(daemon.url + target)
  await act?.(page)
  const height = await page.evaluate("document.documentElement.scrollHeight")
  const picture = await page.screenshot({
    fullPage: true,
    clip: { x: 0, y: 0, width: size.width, height: Math.min(Number(height), size === narrow ? 1400 : 1250) }
  })
  const file = path.join(out, `${name}-${theme}`)
  if (png) fs.writeFileSync(`${file}.png`, picture)
  else fs.writeFileSync(`${file}.webp`, await asWebp(blank, picture))
}

const acme = (name: string, oauth: object = {}) => ({
  name,
  display_name: "Acme",
  description: "A fake provider on this machine.",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code"],
  api_url: "https://api.example.test",
  credentials_url: "https://console.example.test/apps",
  oauth: { issuer: "https://as.example.test", scopes: ["openid", "offline_access", "read"], ...oauth }
})

const program = Effect.gen(function*() {
  const temporary = (prefix: string) =>
    Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), prefix))),
      (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
    )
  const home = yield* temporary("credsvc-screenshots-")
  yield* fillSampleHome(home)
  const daemon = yield* startTestDaemon({ home })
  const empty = yield* startTestDaemon()
  const server = yield* scoped(() => openOidcServer())
  const foreign = yield* temporary("credsvc-screenshots-")
  writeConfig(foreign, server.sites)
  const other = yield* startTestDaemon({ home: foreign })
  for (const body of [acme("own-app"), acme("shared-app", publicClient)]) {
    yield* other.request("/providers", { method: "POST", body })
  }
  const browser = yield* launchBrowser()
  fs.rmSync(out, { recursive: true, force: true })
  fs.mkdirSync(out, { recursive: true })
  yield* Effect.promise(async () => {
    const blank = await browser.newPage()
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({ colorScheme, reducedMotion: "reduce" })
      for (const shot of shots) await take(blank, page, daemon, shot, colorScheme)
      for (const shot of logins) {
        await take(blank, page, other, shot, colorScheme)
        await Effect.runPromise(
          Effect.ignore(other.request("/connections/anthropic/default/logout", { method: "POST" }))
        )
      }
      await take(blank, page, empty, { name: "first-visit", path: "/ui/" }, colorScheme)
      await page.close()
    }
  })
})

await Effect.runPromise(Effect.scoped(program))
const files = fs.readdirSync(out)
const bytes = files.reduce((sum, file) => sum + fs.statSync(path.join(out, file)).size, 0)
console.log(`${path.relative(root, out)}: ${files.length} pictures, ${Math.round(bytes / 1024)} KiB`)
