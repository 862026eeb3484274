/**
 * Tests programs for container images inside the real `credsvc run`, against a registry that issues tokens as ghcr.io does, and an
 * engine outside of the run, which must get neither credentials nor placeholders.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import type * as Http from "node:http"
import type * as Net from "node:net"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import { PLACEHOLDER } from "../../src/domain/injection/Placeholder.ts"
import { builtins } from "../../src/platform/builtins.ts"
import { CANARY } from "../support/Canary.ts"
import { live } from "../support/Fixture.ts"
import { openSandbox } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"

const KEY = "ghp_ofAPerson0000000000000000000000000000"
const TOKEN = `${CANARY}.registry`
const has = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0

const digestOf = (content: Uint8Array) => `sha256:${createHash("sha256").update(content).digest("hex")}`
/** An empty archive. */
const layer = Buffer.alloc(1024)
const packed = gzipSync(layer)
const config = Buffer.from(JSON.stringify({
  architecture: "amd64",
  os: "linux",
  config: {},
  rootfs: { type: "layers", diff_ids: [digestOf(layer)] }
}))
const manifestType = "application/vnd.docker.distribution.manifest.v2+json"
const manifest = Buffer.from(JSON.stringify({
  schemaVersion: 2,
  mediaType: manifestType,
  config: {
    mediaType: "application/vnd.docker.container.image.v1+json",
    size: config.length,
    digest: digestOf(config)
  },
  layers: [{
    mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip",
    size: packed.length,
    digest: digestOf(packed)
  }]
}))

const contentOf = (request: Http.IncomingMessage) =>
  new Promise<Buffer>((resolve) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part)).once("end", () => resolve(Buffer.concat(parts)))
  })

const listen = (server: Http.Server, at: { readonly path: string } | { readonly port: 0 }) =>
  Effect.acquireRelease(
    Effect.promise(() => new Promise<Http.Server>((resolve) => server.listen(at, () => resolve(server)))),
    () => Effect.sync(() => (server.closeAllConnections(), server.close()))
  )

/** A registry that admits only tokens of its token endpoint, which admits only the key. */
const registry = (requests: Array<string>): Http.RequestListener => async (request, response) => {
  const { headers: { authorization, host }, method, url = "" } = request
  const content = await contentOf(request)
  requests.push(`${method} ${url}`)
  const basic = Buffer.from(/^Basic (.*)/.exec(authorization ?? "")?.[1] ?? "", "base64").toString()
  if (/^\/(?:token|jwt\/auth)\?/.test(url)) {
    if (basic !== `me:${KEY}`) return response.writeHead(401).end()
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ token: TOKEN }))
  }
  if (authorization !== `Bearer ${TOKEN}`) {
    const realm = host === "ghcr.io" ? "https://ghcr.io/token" : "https://gitlab.com/jwt/auth"
    const challenge = `Bearer realm="${realm}",service="registry",scope="repository:o/i:pull,push"`
    return response.writeHead(401, { "www-authenticate": challenge }).end()
  }
  const blob = [config, packed].find((one) => url.endsWith(digestOf(one)))
  if (method === "POST") return response.writeHead(202, { location: `/v2/o/new/blobs/uploads/1` }).end()
  if (method === "PATCH") return response.writeHead(202, { location: url, range: `0-${content.length - 1}` }).end()
  if (method === "PUT") return response.writeHead(201, { location: url }).end()
  if (url === "/v2/") return response.writeHead(200).end()
  if (url.startsWith("/v2/o/i/manifests/")) {
    return response.writeHead(200, { "content-type": manifestType, "docker-content-digest": digestOf(manifest) })
      .end(manifest)
  }
  if (blob === undefined || url.startsWith("/v2/o/new/")) return response.writeHead(404).end()
  response.writeHead(200, { "content-length": blob.length }).end(blob)
}

/** Docker's engine: records all that clients send. */
const engine = (received: Array<string>): Http.RequestListener => async (request, response) => {
  const content = (await contentOf(request)).toString("latin1")
  const headers = Object.values(request.headers).map(String)
  const decoded = headers.map((value) => Buffer.from(value, "base64").toString())
  received.push([request.method, request.url, ...headers, ...decoded, content].join("\n"))
  const { url = "" } = request
  if (url.endsWith("/_ping")) response.writeHead(200, { "api-version": "1.41", "ostype": "linux" }).end("OK")
  else if (url.includes("/images/create")) {
    response.writeHead(404).end(JSON.stringify({ message: "pull access denied" }))
  } else response.writeHead(200, { "content-type": "application/json" }).end("{}")
}

const setUp = Effect.gen(function*() {
  const requests: Array<string> = []
  const received: Array<string> = []
  const authority = makeAuthority()
  const hosts = ["ghcr.io", "gitlab.com", "registry.gitlab.com"]
  const credentials = authority.issue(hosts)
  const upstream = yield* listen(builtins.https.createServer(credentials, registry(requests)), { port: 0 })
  const sandbox = yield* Effect.acquireRelease(
    Effect.promise(() => openSandbox({ connect: false })),
    (opened) => Effect.promise(() => opened.close())
  )
  const socket = path.join(sandbox.directory, "docker.sock")
  yield* listen(builtins.http.createServer(engine(received)), { path: socket })
  const file = path.join(sandbox.home, "config.json")
  const settings = JSON.parse(fs.readFileSync(file, "utf8"))
  const ca = path.join(sandbox.directory, "registry.pem")
  fs.writeFileSync(ca, authority.caPem)
  settings.upstream.extra_ca_certs.push(ca)
  const { port } = upstream.address() as Net.AddressInfo
  for (const host of hosts) settings.upstream.resolve[`${host}:443`] = `127.0.0.1:${port}`
  fs.writeFileSync(file, JSON.stringify(settings))
  fs.writeFileSync(path.join(sandbox.directory, "policy.json"), `{"default":[{"type":"insecureAcceptAnything"}]}`)
  for (const provider of ["ghcr", "gitlab-registry"]) {
    const login = yield* Effect.promise(() =>
      sandbox.credsvc(["login", provider, "--stdin"], { input: JSON.stringify({ username: "me", api_key: KEY }) })
    )
    assert.strictEqual(login.code, 0, login.stderr)
  }
  const run = (script: string) =>
    Effect.promise(() =>
      sandbox.credsvc(["run", "--", "sh", "-ec", script], {
        cwd: sandbox.directory,
        env: { HOME: sandbox.directory, DOCKER_HOST: `unix://${socket}`, DOCKER_CONFIG: sandbox.directory },
        timeout: 120_000
      })
    )
  return { requests, received, run }
})

const skopeo = "skopeo --policy policy.json copy --quiet"
const secrets = [KEY, TOKEN, PLACEHOLDER]

describe("under credsvc run", () => {
  for (const host of ["ghcr.io", "registry.gitlab.com"]) {
    live.skipIf(!has("skopeo"))(`skopeo pulls from ${host} and pushes to it without a login`, function*() {
      const { requests, run } = yield* setUp
      const { code, stderr } = yield* run(
        `${skopeo} docker://${host}/o/i:1 dir:image; ${skopeo} dir:image docker://${host}/o/new:1; ! grep -r '${TOKEN}' image`
      )
      assert.strictEqual(code, 0, stderr)
      assert.include(requests, "PUT /v2/o/new/manifests/1")
    })
  }

  live.skipIf(!has("skopeo"))("skopeo copies an image that needs a credential to a container engine", function*() {
    const { received, run } = yield* setUp
    const { code, stderr } = yield* run(
      `${skopeo} --dest-daemon-host "$DOCKER_HOST" docker://ghcr.io/o/i:1 docker-daemon:ghcr.io/o/i:1`
    )
    assert.strictEqual(code, 0, stderr)
    assert.include(received.join(), digestOf(config).slice(7))
    for (const secret of secrets) assert.notInclude(received.join(), secret)
  })

  live.skipIf(!has("buildah"))("buildah builds from an image that needs a credential", function*() {
    const { run } = yield* setUp
    const { code, stderr } = yield* run(
      `printf 'FROM ghcr.io/o/i:1\\nLABEL a=b\\n' >Containerfile
      buildah --root "$PWD/root" --runroot "$PWD/run" --storage-driver vfs bud --signature-policy policy.json --isolation chroot .`
    )
    assert.strictEqual(code, 0, stderr)
  })

  live.skipIf(!has("podman"))("podman pulls, builds and pushes without a login", function*() {
    const { requests, run } = yield* setUp
    // It requires the file of a DOCKER_CONFIG.
    const podman =
      `env -u DOCKER_CONFIG podman --root "$PWD/root" --runroot "$PWD/run" --storage-driver vfs --cgroup-manager cgroupfs`
    const { code, stderr } = yield* run(
      `${podman} pull --signature-policy policy.json ghcr.io/o/i:1
      printf 'FROM ghcr.io/o/i:1\\nLABEL a=b\\n' >Containerfile
      ${podman} build --signature-policy policy.json --isolation chroot --tag ghcr.io/o/new:1 .
      ${podman} push --signature-policy policy.json ghcr.io/o/new:1; ! grep -rI '${TOKEN}' root run`
    )
    assert.strictEqual(code, 0, stderr)
    assert.include(requests, "PUT /v2/o/new/manifests/1")
  })

  live.skipIf(!has("docker"))("docker gives the engine no credential and no placeholder", function*() {
    const { received, run } = yield* setUp
    const { stderr, stdout } = yield* run(
      `echo "[$BUILDKIT_NO_CLIENT_TOKEN]"; docker pull ghcr.io/o/i:1 || true; echo FROM ghcr.io/o/i:1 | DOCKER_BUILDKIT=0 docker build - || true`
    )
    // By default BuildKit's client requests tokens itself, which would be placeholders.
    assert.include(stdout, "[1]")
    assert.include(stderr, "pull access denied")
    assert.include(received.join(), "/build?")
    for (const secret of secrets) assert.notInclude(received.join(), secret)
  })
})
