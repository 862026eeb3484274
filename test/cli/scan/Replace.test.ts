/** Keys in the files of projects, which are stored and replaced by placeholders, and the files' originals. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { parseEnv } from "node:util"
import { beforeAll } from "vitest"
import { openProgram } from "../../support/Sandbox.ts"
import { shared } from "../../support/Shared.ts"

const openai = "sk-proj-Canary0openai_7Hq2-Zt9wLmXr4"
const deepseek = "sk-canary0deepseek0b1c2d3e4f5a6b7c8"
const groq = "gsk_canary0groqQ7Hq2Zt9wLmXr4Vb6Nc8Kd1Fg3Hj5Kl7Pq9Rs"
const npm = "npm_canary0npmQ7Hq2Zt9wLmXr4Vb6Nc8Kd1F"
const github = "ghp_canary0githubQ7Hq2Zt9wLmXr4Vb6Nc8Kd1"
const docker = "dckr_pat_canary0dockerQ7Hq2Zt9wLmXr"
const packages = "ghp_canary0packagesQ7Hq2Zt9wLmXr4Vb6Nc8"
const keys = [openai, deepseek, groq, npm, github, docker, packages]

const base64 = (text: string) => Buffer.from(text).toString("base64")

/** Whether a text has the key, or has it in Base64. */
const has = (text: string, key: string): boolean =>
  text.includes(key) ||
  [...text.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].some(([found]) => Buffer.from(found, "base64").includes(key))

/** Files as people and their tools write them, by the path within a project. */
const projects: ReadonlyArray<readonly [file: string, content: string]> = [
  [".env", `OPENAI_API_KEY=${openai}\n`],
  [".env", `OPENAI_API_KEY="${openai}"`],
  [".env", `OPENAI_API_KEY='${openai}' # mine\nA=b\n`],
  [".env", `export OPENAI_API_KEY=\`${openai}\`\n`],
  [".env", `OPENAI_API_KEY = ${openai}   # ${openai}\n`],
  [".env", `OPENAI_API_KEY: ${openai}\nDEEPSEEK_API_KEY: "${deepseek}"\n`],
  [".env", `\ufeffOPENAI_API_KEY=${openai}\r\nDEEPSEEK_API_KEY="${deepseek}"\r\n`],
  [".env", `# OPENAI_API_KEY=${openai}\nOPENAI_API_KEY=${openai}\nOPENAI_API_KEY=${openai}\n`],
  [".env", `PEM="-----BEGIN\nx=y\n-----END"\nGROQ_API_KEY=${groq}`],
  [".env", `URL=https://api.example.com/?key=${openai}&a=b\nOPENAI_API_KEY=${openai}\n`],
  [".env", `\n\n   OPENAI_API_KEY=${openai}\n\t\n`],
  [".env", `OPENAI_API_KEY=${openai} \n=broken\n"also\n`],
  [".env.local", `NAME="Ünïcödé 🚀"\nGROQ_API_KEY="${groq}"\n`],
  [".env.production.local", `OPENAI_API_KEY=${openai}\nOPENAI_BASE=\${OPENAI_API_KEY}\n`],
  ["apps/web/.env", `DEEPSEEK_API_KEY='${deepseek}'\nJSON={"a":"b"}\n`],
  [".env.example", "OPENAI_API_KEY=your-key-here\n"],
  [".env.test", "OPENAI_API_KEY=\nGROQ_API_KEY=<groq>\n"],
  [".env", "OPENAI_API_KEY=op://Work/OpenAI key/credential\n"],
  [".env", "OPENAI_API_KEY=\"bw://3f2a/password\"\n"],
  [".env", "OPENAI_API_KEY=vault:secret/data/openai#key\n"],
  [".env", "OPENAI_API_KEY=ref+vault://secret/openai#/key\n"],
  [".env", "OPENAI_API_KEY=\"encrypted:BE9Y7LKANx77X1pv1HnEoil93fPa5c9rpL\"\n"],
  [".env", "OPENAI_API_KEY=ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UQ==,type:str]\n"],
  [".env", "OPENAI_API_KEY=secret://openai/key\n"],
  [".env", "OPENAI_API_KEY=${SHARED_KEY}\nOTHER=$OPENAI_API_KEY\n"],
  [".envrc", `source_up\nexport OPENAI_API_KEY=${openai}\nPATH_add bin\n`],
  [
    ".envrc",
    `dotenv_if_exists\nexport OPENAI_API_KEY="$(op read op://Work/OpenAI/key)"\nexport GROQ_API_KEY='${groq}'\n`
  ],
  [".envrc", "export OPENAI_API_KEY=`pass show openai`\n"],
  [".envrc", `export OPENAI_API_KEY=${openai} GROQ_API_KEY="${groq}" # ${deepseek.slice(0, 4)}\n`],
  [
    ".envrc",
    `OPENAI_API_KEY='${openai}'; export OPENAI_API_KEY; DEEPSEEK_API_KEY=${deepseek} && export DEEPSEEK_API_KEY\n`
  ],
  [".envrc", `[ -n "$CI" ] || export OPENAI_API_KEY="$(op read "op://Work/a b/key")" GROQ_API_KEY=${groq}\n`],
  [".envrc", `if has node; then export OPENAI_API_KEY=${openai}; fi; log_status "a; B=c" OPENAI_API_KEY=shown\n`],
  [".dev.vars", `OPENAI_API_KEY="${openai}"\nDEBUG=1\n`],
  [".dev.vars.staging", `DEEPSEEK_API_KEY=${deepseek}\n`],
  [".mcp.json", JSON.stringify({ mcpServers: { ai: { command: "x", env: { OPENAI_API_KEY: openai, A: "\u00e9" } } } })],
  [".cursor/mcp.json", JSON.stringify({ mcpServers: { a: { env: { GITHUB_TOKEN: github } } } }, null, "\t")],
  [".vscode/mcp.json", `{\r\n  "servers": { "a": {"env":{"OPENAI_API_KEY" : "${openai}"} } }\r\n}\r\n`],
  ["opencode.json", JSON.stringify({ mcp: { a: { environment: { DEEPSEEK_API_KEY: deepseek } } } }, null, 2)],
  [".gemini/settings.json", JSON.stringify({ mcpServers: { a: { env: { OPENAI_API_KEY: "$OPENAI_API_KEY" } } } })],
  [".mcp.json", `// of ada\n{ "mcpServers": { "a": { "env": { "OPENAI_API_KEY": "${openai}", /* old */ }, }, }, }\n`],
  [
    ".codex/config.toml",
    `[mcp_servers.a]\nenv = { GITHUB_TOKEN = "${github}" }\n[mcp_servers.b.env]\nGROQ_API_KEY = '${groq}'\n`
  ],
  [".npmrc", `//registry.npmjs.org/:_authToken=${npm}\nsave-exact=true\n`],
  [".npmrc", `; mine\r\n//registry.npmjs.org/:_authToken = "${npm}"\r\n`],
  [".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n"],
  [
    ".netrc",
    `# password ${
      "x".repeat(8)
    }\nmachine github.com login ada password ${github}\nmacdef init\nmachine api.heroku.com password no\n\n` +
    `machine api.github.com\n\tlogin password\n\tpassword "${github}"\ndefault login a password b\n`
  ],
  [
    "config/gh/hosts.yml",
    `github.com:\n    user: ada\n    oauth_token: ${github}\n    users:\n        ada:\n            oauth_token: ${github}\n`
  ],
  [
    ".docker/config.json",
    JSON.stringify(
      {
        auths: {
          "https://index.docker.io/v1/": { auth: base64(`ada:${docker}`) },
          "ghcr.io": { auth: base64(`ada:${packages}`), email: "ada@example.com" },
          "registry.example.com": { auth: base64("ada:not-of-a-provider-0Q7Hq2Zt9wLm") }
        },
        credHelpers: { "gcr.io": "gcloud" }
      },
      null,
      "\t"
    )
  ],
  ["config/docker/config.json", `{"auths":{"docker.io":{},"index.docker.io":{"auth":"${base64(`ada:${docker}`)}"}}}`],
  ["containers/auth.json", `{"auths":{"https://ghcr.io":{"auth":"${base64(`ada:${packages}`)}"}}}\n`],
  [
    ".docker/config.json",
    JSON.stringify({
      auths: { "https://index.docker.io/v1/": {}, "ghcr.io": { auth: base64("ada:"), identitytoken: "eyJh.bGci.OiJ" } },
      credsStore: "desktop"
    })
  ]
]

const sandbox = shared(async () => openProgram([]))
beforeAll(() => sandbox.must(["daemon", "start", "--port", "0"]))

describe("scan", () => {
  it("replaces keys of all projects by placeholders, stores no `op://` reference, and restores every byte", async () => {
    const cwd = path.join(sandbox.directory, "projects")
    const files = projects.map(([file, content], index) => {
      const at = path.join(cwd, `p${index}`, file)
      fs.mkdirSync(path.dirname(at), { recursive: true })
      fs.writeFileSync(at, content)
      fs.chmodSync(at, index % 2 === 0 ? 0o600 : 0o644)
      return at
    })
    const before = files.map((file) => [fs.readFileSync(file).toString("base64"), fs.statSync(file).mode])
    const env = { HOME: sandbox.directory }
    const scan = async (...flags: ReadonlyArray<string>) =>
      JSON.parse((await sandbox.must(["scan", ...flags, "--json"], { cwd, env })).stdout)

    const report = await scan("--import", "--replace")
    const now = () => files.map((file) => fs.readFileSync(file, "utf8"))
    const left = now().flatMap((text, index) => keys.some((key) => has(text, key)) ? [files[index]] : [])
    assert.deepStrictEqual(left, [], JSON.stringify(report.skipped, null, 1))
    const withKey = projects.flatMap(([file, content], index) =>
      keys.some((key) => has(content, key)) ? [`p${index}/${file}`] : []
    )
    assert.deepStrictEqual(report.replaced.toSorted(), withKey.toSorted())
    for (const [index, text] of now().entries()) {
      if (!withKey.includes(`p${index}/${projects[index]![0]}`)) assert.strictEqual(text, projects[index]![1])
    }
    // Node's own reader gets placeholders from the same variables.
    for (const [index, [file, content]] of projects.entries()) {
      if (!/\.env(?:\.|$)|\.dev\.vars/.test(file)) continue
      const [were, are] = [parseEnv(content), parseEnv(now()[index]!)]
      assert.deepStrictEqual(Object.keys(are), Object.keys(were), file)
      for (const [variable, value = ""] of Object.entries(were)) {
        if (keys.includes(value)) assert.match(are[variable] ?? "", /^\S*credsvc-proxy-managed$/)
        else if (!keys.some((key) => value.includes(key))) assert.strictEqual(are[variable], value)
      }
    }
    assert.strictEqual(now()[0], "OPENAI_API_KEY=sk-credsvc-proxy-managed\n")
    const reasons: string = report.skipped.map(({ reason }: { reason: string }) => reason).join("\n")
    for (
      const command of [
        "-- op read 'op://Work/OpenAI key/credential'",
        "-- bw get password ITEM",
        "-- vault kv get",
        "-- vals get",
        "-- dotenvx get OPENAI_API_KEY -f p21/.env",
        "-- sops decrypt --extract '[\"OPENAI_API_KEY\"]' p22/.env"
      ]
    ) assert.include(reasons, `credsvc login openai --flow credential_command ${command}`)
    const { stdout: stored } = await sandbox.must(["get", "openai", "--field", "api_key", "--show-secret"])
    assert.strictEqual(stored.trim(), openai)
    assert.strictEqual((await sandbox.must(["list", "--json"])).stdout.match(/"connection_name"/g)?.length, keys.length)

    // A file that has changed since is left as it is, and the others are restored.
    fs.appendFileSync(files[0]!, "ADDED=1\n")
    const refused = await sandbox.credsvc(["scan", "--undo"], { cwd, env })
    assert.strictEqual(refused.code, 4, refused.stderr)
    assert.include(refused.stderr, "has changed since")
    assert.include(fs.readFileSync(files[0]!, "utf8"), "ADDED")
    assert.deepStrictEqual(await scan("--undo", "--force"), { restored: ["p0/.env"], left: [] })
    const after = files.map((file) => [fs.readFileSync(file).toString("base64"), fs.statSync(file).mode])
    assert.deepStrictEqual(after, before)
    assert.deepStrictEqual(await scan("--undo"), { restored: [], left: [] })
  })

  const inProject = (name: string, files: Readonly<Record<string, string | Buffer>>) => {
    const cwd = path.join(sandbox.directory, name)
    fs.mkdirSync(cwd, { recursive: true })
    for (const [file, content] of Object.entries(files)) {
      fs.writeFileSync(path.join(cwd, file), content, { mode: 0o600 })
    }
    return {
      cwd,
      read: (file = ".env") => fs.readFileSync(path.join(cwd, file), "utf8"),
      write: (content: string, file = ".env") => fs.writeFileSync(path.join(cwd, file), content),
      scan: (...flags: ReadonlyArray<string>) =>
        sandbox.credsvc(["scan", ...flags], { cwd, env: { HOME: sandbox.directory } })
    }
  }
  const replace = ["--import", "--replace"]

  it("replaces the key but not the identifier beside it, and a key that begins with another key", async () => {
    const text = (app: string, ai: string, seek: string) =>
      `ALGOLIA_APP_ID=QX7PL2M9ZK\nALGOLIA_API_KEY=${app}\nMISTRAL_API_KEY=${ai}\nCOHERE_API_KEY=${seek}\n`
    const [app, short] = ["0f1e2d3c4b5a69788796a5b4c3d2e1f0", "canary0mistralQ7Hq2Zt9wLmXr4Vb6N"]
    const project = inProject("plain", { ".env": text(app, short, `${short}.longer-rest`) })
    const { code, stderr } = await project.scan(...replace)
    assert.strictEqual(code, 0, stderr)
    assert.include(project.read(), "ALGOLIA_APP_ID=QX7PL2M9ZK\n")
    for (const key of [app, short, "longer-rest"]) assert.notInclude(project.read(), key)
  })

  it("writes no placeholder that selects another connection", async () => {
    const key = (letter: string) => letter.repeat(4) + "Q7Hq2Zt9wLmXr4Vb6Nc8"
    const [first, second] = ["one", "two"].map((name, index) =>
      inProject(`vercel-${name}`, {
        ".env": `VERCEL_TOKEN=${key("ab"[index]!)}\nALGOLIA_APP_ID=${"AB"[index]!.repeat(10)}\nALGOLIA_API_KEY=${
          "ab"[index]!.repeat(32)
        }\n`
      })
    )
    await first!.scan(...replace)
    assert.notInclude(first!.read(), key("a"))
    const { code, stderr } = await second!.scan(...replace, "--connection", "work")
    assert.strictEqual(code, 4, stderr)
    assert.include(stderr, "VERCEL_TOKEN in .env was not replaced: no placeholder selects the connection \"work\"")
    assert.strictEqual(
      second!.read(),
      `VERCEL_TOKEN=${key("b")}\nALGOLIA_APP_ID=BBBBBBBBBB\nALGOLIA_API_KEY=credsvc-proxy-managed--work\n`
    )
  })

  it("keeps a replaced file and its first original unchanged, if another key was added to the file", async () => {
    const original = `OPENAI_API_KEY=${openai}\n`
    const project = inProject("twice", { ".env": original })
    await project.scan(...replace)
    const replaced = project.read()
    assert.notInclude(replaced, openai)
    project.write(`${replaced}DEEPSEEK_API_KEY=${deepseek}\n`)
    const again = await project.scan(...replace)
    assert.strictEqual(again.code, 4)
    assert.include(again.stderr, "has changed since its keys were replaced")
    assert.strictEqual(project.read(), `${replaced}DEEPSEEK_API_KEY=${deepseek}\n`)
    assert.strictEqual((await project.scan("--undo", "--force")).code, 0)
    assert.strictEqual(project.read(), original)
  })

  it("replaces one word of a line in shell syntax", async () => {
    const project = inProject("shell", { ".envrc": `export DEEPSEEK_API_KEY=${deepseek}; export FOO=1\n` })
    const { code, stderr } = await project.scan(...replace)
    assert.strictEqual(code, 0, stderr)
    assert.match(project.read(".envrc"), /^export DEEPSEEK_API_KEY=\S*credsvc-proxy-managed; export FOO=1\n$/)
  })

  it("does not change a file that has several values of one variable", async () => {
    const content = `OPENAI_API_KEY=sk-proj-other0Q7Hq2Zt9wLmXr4\nOPENAI_API_KEY=${openai}\n`
    const project = inProject("several", { ".env": content })
    const { code, stderr } = await project.scan(...replace)
    assert.strictEqual(code, 4, stderr)
    assert.include(stderr, "OPENAI_API_KEY has several values")
    assert.strictEqual(project.read(), content)
  })

  it("replaces and restores the other files if one cannot be replaced", async () => {
    const line = `OPENAI_API_KEY=${openai}\n`
    const project = inProject("obstacles", {
      ".env": line,
      ".env.linked": line,
      ".env.latin": Buffer.from(`${line}NAME=\xe9\n`, "latin1"),
      ".env.large": `${line}# ${"x".repeat(300_000)}\n`,
      ".env.local": line,
      ".env.test": line
    })
    fs.linkSync(path.join(project.cwd, ".env.linked"), path.join(project.cwd, "other"))
    const { code, stderr, stdout } = await project.scan(...replace, "--json")
    assert.strictEqual(code, 4, stderr)
    const report = JSON.parse(stdout)
    assert.deepStrictEqual(report.replaced.toSorted(), [".env", ".env.local", ".env.test"])
    assert.deepStrictEqual(report.left.toSorted(), [".env.large", ".env.latin", ".env.linked"])
    assert.include(stderr, "hard link")
    // Files that were never replaced do not matter for undo.
    fs.linkSync(path.join(project.cwd, ".env.local"), path.join(project.cwd, "copy"))
    const partly = await project.scan("--undo", "--json")
    assert.strictEqual(partly.code, 4, partly.stderr)
    assert.deepStrictEqual(JSON.parse(partly.stdout), { restored: [".env", ".env.test"], left: [".env.local"] })
    fs.rmSync(path.join(project.cwd, "copy"))
    const undone = await project.scan("--undo", "--json")
    assert.strictEqual(undone.code, 0, undone.stderr)
    assert.deepStrictEqual(JSON.parse(undone.stdout), { restored: [".env.local"], left: [] })
    assert.strictEqual(project.read(), line)
  })
})
