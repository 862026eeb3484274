/** The daemons of docs/hosting/kubernetes.yaml as processes of this machine, with its arguments, environment and probes. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as https from "node:https"
import * as path from "node:path"
import { parseAllDocuments } from "yaml"
import { openSandbox, repository, type Sandbox } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { databaseUrlOf } from "../support/TestStore.ts"
import { until } from "../support/Until.ts"

interface Probe {
  readonly httpGet: {
    readonly scheme: string
    readonly path: string
    readonly httpHeaders: ReadonlyArray<{ readonly name: string; readonly value: string }>
  }
}

const documents = parseAllDocuments(
  fs.readFileSync(path.join(repository, "docs", "hosting", "kubernetes.yaml"), "utf8")
).map((document) => document.toJS())

describe("The manifests for Kubernetes", () => {
  const [deployment, service, budget] = documents
  const { replicas, strategy, template } = deployment.spec
  const [container] = template.spec.containers
  const daemons: Array<ChildProcess> = []
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await openSandbox()
  })
  afterAll(async () => {
    const running = daemons.filter(({ exitCode }) => exitCode === null)
    await Promise.all(running.map((daemon) => {
      const ended = new Promise((resolve) => daemon.once("close", resolve))
      // It would serve for ten seconds after SIGTERM.
      daemon.kill("SIGKILL")
      return ended
    }))
    await sandbox.close()
  })

  it("select the same pods, and keep one daemon while another is replaced", () => {
    assert.deepStrictEqual(documents.map(({ kind }) => kind), ["Deployment", "Service", "PodDisruptionBudget"])
    const { labels } = template.metadata
    assert.deepStrictEqual(
      [deployment.spec.selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels],
      [labels, labels, labels]
    )
    const volumes = template.spec.volumes.map(({ name }: { readonly name: string }) => name)
    assert.sameMembers(container.volumeMounts.map(({ name }: { readonly name: string }) => name), volumes)
    assert.isAbove(replicas, budget.spec.minAvailable)
    assert.strictEqual(strategy.rollingUpdate.maxUnavailable, 0)
    const drain = Number(container.args[container.args.indexOf("--drain") + 1])
    assert.isAtLeast(drain, 2 * container.readinessProbe.periodSeconds)
    assert.isAbove(template.spec.terminationGracePeriodSeconds, 2 * drain)
  })

  it("start daemons that share a database, serve TLS, and pass the probes", async () => {
    const { cert, key } = makeAuthority().issue(["credsvc.example.com"])
    const at = (...names: ReadonlyArray<string>) => path.join(sandbox.directory, ...names)
    const contents = {
      "tls.crt": cert,
      "tls.key": key,
      "master-key": Buffer.alloc(32, 7).toString("base64"),
      "database-url": databaseUrlOf(sandbox.home)
    }
    for (const [name, text] of Object.entries(contents)) fs.writeFileSync(at(name), text, { mode: 0o440 })
    const start = async (volume: string): Promise<number> => {
      const here = (text: string) =>
        text.replaceAll("/run/secrets/tls", sandbox.directory).replaceAll("/run/secrets/credsvc", sandbox.directory)
          .replaceAll("/var/lib/credsvc", at(volume))
      fs.mkdirSync(at(volume))
      const variables: ReadonlyArray<{ readonly name: string; readonly value?: string }> = container.env
      // The optional key of the secret, which is the token of a scraper, is absent.
      const env = Object.fromEntries(
        variables.flatMap(({ name, value }) => value === undefined ? [] : [[name, here(value)]])
      )
      const daemon = sandbox.spawn([...container.args.map(here), "--port", "0"], {
        // Other tests keep their key in the home.
        env: { ...env, CREDSVC_MASTER_KEY_MODE: "auto" }
      })
      daemons.push(daemon)
      const state = path.join(env["CREDSVC_HOME"]!, "server", "daemon.json")
      return until(async () => {
        assert.isNull(daemon.exitCode)
        return fs.existsSync(state) ? JSON.parse(fs.readFileSync(state, "utf8")).port : undefined
      })
    }
    const statusOf = (port: number, { httpGet: { httpHeaders, path: target, scheme } }: Probe) => {
      assert.strictEqual(scheme, "HTTPS")
      const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]))
      // A kubelet does not verify certificates.
      const options = { host: "127.0.0.1", port, path: target, headers, rejectUnauthorized: false, agent: false }
      return new Promise((resolve, reject) => {
        https.get(options, (response) => resolve(response.resume().statusCode)).on("error", reject)
      })
    }
    const ports: Array<number> = []
    for (let number = 1; number <= replicas; number++) ports.push(await start(`volume-${number}`))
    for (const port of ports) {
      for (const probe of [container.readinessProbe, container.livenessProbe]) {
        assert.strictEqual(await statusOf(port, probe), 200, probe.httpGet.path)
      }
    }
  })
})
