/** The daemons of docs/hosting/compose.yaml as processes of this machine, with its arguments, environment and volumes. */
import { type ChildProcess } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"
import { nginxGroup } from "./Nginx.ts"
import { cleanEnvironment, collect, type Outcome, programIn, repository } from "./Sandbox.ts"
import type { TestCertificate } from "./TestCertificates.ts"
import { type Site, writeConfig } from "./TestSites.ts"
import { until } from "./Until.ts"

const documented = (name: string): string => fs.readFileSync(path.join(repository, "docs", "hosting", name), "utf8")

/** The token in `metrics.env`, which the compose file passes to each daemon. */
export const metricsToken = "CANARY-metrics-0123456789-abcdefghij"

interface Service {
  readonly command?: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: ReadonlyArray<string>
}

/** The replicas, below the directory of nginx. The certificate makes a daemon with a base URL on loopback accept remote callers. */
export const hostedReplicas = (options: {
  readonly directory: string
  readonly origin: string
  readonly databaseUrl: string
  readonly certificate: TestCertificate
  readonly sites: ReadonlyArray<Site>
  /** Whether there is a third replica, like the second. */
  readonly third?: boolean
}) => {
  const at = (...names: ReadonlyArray<string>) => path.join(options.directory, ...names)
  fs.mkdirSync(at("secrets"), { mode: 0o700 })
  const secrets = {
    "master-key": crypto.randomBytes(32).toString("base64"),
    "database-url": `${options.databaseUrl}\n`,
    "tls.crt": options.certificate.cert,
    "tls.key": options.certificate.key
  }
  for (const [name, text] of Object.entries(secrets)) fs.writeFileSync(at("secrets", name), text, { mode: 0o600 })
  const { services } = parse(documented("compose.yaml"), { merge: true }) as {
    readonly services: Record<string, Service>
  }
  const [, inImage = "[]"] = /^CMD (\[.*\])$/m.exec(documented("Containerfile")) ?? []
  if (options.third === true) {
    services["credsvc-3"] = JSON.parse(JSON.stringify(services["credsvc-2"]).replaceAll("-2", "-3"))
  }
  return Object.entries(services).filter(([name]) => name.startsWith("credsvc-")).map(([name, service]) => {
    const volumes = service.volumes.map((volume) => volume.split(":"))
    const [volume] = volumes.find(([, target]) => target === "/var/lib/credsvc") ?? []
    const home = at(volume ?? name)
    const here = (text: string) =>
      text.replaceAll("https://credsvc.example.com", options.origin).replaceAll("/run/secrets", at("secrets"))
        .replaceAll("/run/credsvc", at("run"))
    const args = (service.command ?? JSON.parse(inImage) as ReadonlyArray<string>).map(here)
    const group = args.indexOf("--front-group")
    const { CREDSVC_MASTER_KEY_MODE: _, ...environment } = cleanEnvironment(home)
    const env = {
      ...environment,
      ...Object.fromEntries(Object.entries(service.environment).map(([key, value]) => [key, here(value)])),
      CREDSVC_METRICS_TOKEN: metricsToken,
      CREDSVC_TLS_CERT_FILE: at("secrets", "tls.crt"),
      CREDSVC_TLS_KEY_FILE: at("secrets", "tls.key")
    }
    writeConfig(home, options.sites)
    const { must, start } = programIn(options.directory, env)
    let child: ChildProcess | undefined
    let ended: Promise<Outcome> | undefined
    return {
      home,
      /** Runs a command beside the daemon, as its administrator. Throws unless it succeeds. */
      must,
      start: async () => {
        const started = start([...args.slice(0, group), ...nginxGroup, ...args.slice(group + 2), "--port", "0"])
        child = started
        ended = collect(started, "", 600_000)
        await until(async () => {
          if (started.exitCode !== null) throw new Error((await ended)?.stderr)
          return fs.existsSync(path.join(home, "server", "daemon.json")) ? true : undefined
        })
      },
      /** Stops it as `docker compose stop` does. */
      stop: async () => {
        child?.kill("SIGTERM")
        await ended
      },
      kill: async () => {
        child?.kill("SIGKILL")
        await ended
        fs.rmSync(path.join(home, "server", "daemon.json"), { force: true })
      }
    }
  })
}

export type HostedReplica = ReturnType<typeof hostedReplicas>[number]
