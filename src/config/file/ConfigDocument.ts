/** The settings in `config.json`, as the program reads them, and their defaults. */
import { retentionDays } from "../Settings.ts"
import type { Config, NoticeTargets as Targets } from "./ConfigFormat.ts"

export type ConfigDocument = typeof Config.Type
export type Upstream = ConfigDocument["upstream"]
export type RunDefaults = ConfigDocument["run"]
export type NoticeTargets = typeof Targets.Type

export const defaults: ConfigDocument = {
  upstream: { extraCaCerts: [], noProxy: [], resolve: {}, privateHosts: [] },
  run: { contain: false, write: [], hide: [], allowPorts: [] },
  auditLog: { retentionDays: retentionDays.auditLog },
  requestLog: { retentionDays: retentionDays.requestLog },
  notices: {}
}
