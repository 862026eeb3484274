/** A package, `probe`, as the registries of npm, Python, cargo, Maven and Docker serve it, and Terraform's state. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"

export interface StaticAnswer {
  readonly type: string
  readonly body: Uint8Array
}

const wheel = `
import sys, zipfile
info = "probe-1.0.0.dist-info/"
with zipfile.ZipFile(sys.argv[1], "w") as file:
    file.writestr("probe/served", "served")
    file.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: probe\\nVersion: 1.0.0\\n")
    file.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    file.writestr(info + "RECORD", "")
`

const write = (directory: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
    fs.writeFileSync(path.join(directory, name), text)
  }
}

const archive = (directory: string, folder: string, files: Readonly<Record<string, string>>): Buffer => {
  write(path.join(directory, folder), files)
  return execFileSync("tar", ["-czf", "-", "-C", directory, folder])
}

const json = (value: unknown): StaticAnswer => ({ type: "application/json", body: Buffer.from(JSON.stringify(value)) })
const bytes = (body: Uint8Array): StaticAnswer => ({ type: "application/octet-stream", body })

const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>clients</groupId><artifactId>probe</artifactId>
  <version>1.0.0</version><packaging>pom</packaging><name>served</name></project>`

const imageConfig = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", rootfs: { type: "layers" } }))
const digest = (content: Uint8Array): string => `sha256:${createHash("sha256").update(content).digest("hex")}`
const image = {
  schemaVersion: 2,
  mediaType: "application/vnd.docker.distribution.manifest.v2+json",
  config: {
    mediaType: "application/vnd.docker.container.image.v1+json",
    size: imageConfig.length,
    digest: digest(imageConfig)
  },
  layers: [{ mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip", size: 0, digest: digest(Buffer.alloc(0)) }]
}

/** Responses by path. `base` is the URL of the API. */
export const registries = (base: string, scratch: string): ReadonlyMap<string, StaticAnswer> => {
  const packed = archive(scratch, "package", {
    "package.json": JSON.stringify({ name: "probe", version: "1.0.0" }),
    served: "served"
  })
  const crate = archive(scratch, "probe-1.0.0", {
    "Cargo.toml": "[package]\nname = \"probe\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
    "src/lib.rs": "",
    "src/served": "served"
  })
  const file = path.join(scratch, "probe.whl")
  execFileSync("python3", ["-c", wheel, file])
  const wheelName = "probe-1.0.0-py3-none-any.whl"
  return new Map([
    [
      "/registry/npm/probe",
      json({
        name: "probe",
        "dist-tags": { latest: "1.0.0" },
        versions: {
          "1.0.0": {
            name: "probe",
            version: "1.0.0",
            dist: {
              tarball: `${base}/registry/npm/probe-1.0.0.tgz`,
              shasum: createHash("sha1").update(packed).digest("hex"),
              integrity: `sha512-${createHash("sha512").update(packed).digest("base64")}`
            }
          }
        }
      })
    ],
    ["/registry/npm/probe-1.0.0.tgz", bytes(packed)],
    [
      "/registry/pip/probe/",
      { type: "text/html", body: Buffer.from(`<!DOCTYPE html><body><a href="${wheelName}">${wheelName}</a></body>`) }
    ],
    [`/registry/pip/probe/${wheelName}`, bytes(fs.readFileSync(file))],
    ["/registry/cargo/config.json", json({ dl: `${base}/registry/crates/{crate}/{version}` })],
    [
      "/registry/cargo/pr/ob/probe",
      json({
        name: "probe",
        vers: "1.0.0",
        deps: [],
        cksum: createHash("sha256").update(crate).digest("hex"),
        features: {},
        yanked: false
      })
    ],
    ["/registry/crates/probe/1.0.0", bytes(crate)],
    ["/registry/maven/clients/probe/1.0.0/probe-1.0.0.pom", { type: "application/xml", body: Buffer.from(pom) }],
    ["/v2/probe/manifests/1.0.0", { type: image.mediaType, body: Buffer.from(JSON.stringify(image)) }],
    [`/v2/probe/blobs/${image.config.digest}`, bytes(imageConfig)],
    ["/registry/terraform/state", json({ version: 4, serial: 1, lineage: "served", outputs: {}, resources: [] })]
  ])
}
