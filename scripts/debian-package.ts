/**
 * Packs the single executable of this platform as `build/credsvc_<version>_<architecture>.deb`, with manual, completions
 * and licenses.
 *
 * `node scripts/debian-package.ts`, after `npm run executable`. Needs `dpkg-deb`. The license of Node, which a
 * distributed package must contain, is the file `LICENSE` of the installation of Node that runs this script.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import { succeed, temporaryDirectory } from "./lib/Programs.ts"

const root = path.join(import.meta.dirname, "..")
const executable = path.join(root, "build", "credsvc")
const { description, version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
  readonly description: string
  readonly version: string
}

const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64", arm64: "arm64" }
const architecture = architectures[process.arch]
if (process.platform !== "linux" || architecture === undefined) {
  throw new Error(`there is no Debian package for ${process.platform} on ${process.arch}`)
}

const read = (...parts: ReadonlyArray<string>): Buffer => fs.readFileSync(path.join(root, ...parts))

const nodeLicense = (): string => {
  const file = path.join(path.dirname(process.execPath), "..", "LICENSE")
  if (fs.existsSync(file)) return fs.readFileSync(file, "utf8")
  console.warn(`The license of Node is missing (${path.normalize(file)}). Do not distribute this package.`)
  return "The license of Node is at https://github.com/nodejs/node/blob/main/LICENSE\n"
}

using temporary = temporaryDirectory("debian")
const stage = temporary.path
fs.chmodSync(stage, 0o755)
const write = (name: string, content: string | Buffer, mode = 0o644): void => {
  const file = path.join(stage, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content)
  fs.chmodSync(file, mode)
}
const completion = (shell: string): string =>
  succeed(executable, ["completion", shell], {
    env: { PATH: "", HOME: stage, CREDSVC_HOME: path.join(stage, "home") }
  })
const scripts = {
  "usr/share/bash-completion/completions/credsvc": completion("bash"),
  "usr/share/zsh/vendor-completions/_credsvc": completion("zsh"),
  "usr/share/fish/vendor_completions.d/credsvc.fish": completion("fish")
}
fs.rmSync(path.join(stage, "home"), { recursive: true, force: true })
for (const [name, text] of Object.entries(scripts)) write(name, text)
write("usr/bin/credsvc", fs.readFileSync(executable), 0o755)
write("usr/share/man/man1/credsvc.1.gz", gzipSync(read("docs", "credsvc.1"), { level: 9 }))
fs.cpSync(path.join(root, "docs", "hosting"), path.join(stage, "usr/share/credsvc/hosting"), { recursive: true })
write("usr/share/doc/credsvc/changelog.gz", gzipSync(read("CHANGELOG.md"), { level: 9 }))
const separator = `\n${"-".repeat(80)}\n\n`
write(
  "usr/share/doc/credsvc/copyright",
  [read("LICENSE"), read("dist", "NOTICES.txt"), `Node.js ${process.version}\n\n${nodeLicense()}`].join(separator)
)
const installed = Math.ceil(fs.statSync(executable).size / 1024)
write(
  "DEBIAN/control",
  `Package: credsvc
Version: ${version}
Architecture: ${architecture}
Maintainer: The credsvc maintainers <maintainers@credsvc.invalid>
Installed-Size: ${installed}
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6
Recommends: bubblewrap
Section: utils
Priority: optional
Description: ${description.replace(/^./, (letter) => letter.toLowerCase())}
 A daemon keeps API keys and OAuth grants in an encrypted store, runs login
 flows and refreshes tokens. Programs, such as AI agents, use credentials
 through a proxy and never hold them.
`
)
const target = path.join(root, "build", `credsvc_${version}_${architecture}.deb`)
succeed("dpkg-deb", ["--build", "--root-owner-group", "-Zzstd", stage, target])
console.log(`${path.relative(root, target)}: ${Math.round(fs.statSync(target).size / 1024 / 1024)} MiB`)
