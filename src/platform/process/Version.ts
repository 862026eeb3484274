/** The version of credsvc. */
import * as fs from "node:fs"

/** The version, as scripts/build.ts defines it. Absent when the sources run directly. */
declare const CREDSVC_VERSION: string | undefined

export const version: string = typeof CREDSVC_VERSION === "string"
  ? CREDSVC_VERSION
  : (JSON.parse(fs.readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string })
    .version
