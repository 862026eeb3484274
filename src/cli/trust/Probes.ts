/** The clients that `doctor --trust` tries. Each is called through its own interface, so that all of its settings apply. */
import { ABSENT, agent, node, perl, type Probe, python } from "./Probe.ts"

const chromium = `const load = require, { spawn } = load("child_process")
const [url, profile] = process.argv.slice(1), names = ["chromium", "google-chrome", "chromium-browser"]
const flags = ["--headless", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--dump-dom", url]
if (process.getuid() === 0) flags.push("--no-sandbox")
const start = () => {
  const name = names.shift()
  if (name === undefined) process.exit(${ABSENT})
  spawn(name, flags, { stdio: ["ignore", "ignore", "inherit"] }).on("error", start)
}
start()`

const inCode = "If the program has its own certificates or transport, use: credsvc run --base-url"

const go = `package main
import web "net/http"
import os "os"
func main() { if _, err := web.Get(os.Args[1]); err != nil { println(err.Error()) } }
`

const java = `import java.net.URI;
import java.net.http.*;
class Probe {
  public static void main(String[] args) throws Exception {
    HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(args[0])).build(), HttpResponse.BodyHandlers.discarding());
  }
}
`

export const probes: ReadonlyArray<Probe> = [
  {
    client: "curl",
    command: "curl",
    args: ({ url }) => ["-sS", "-o", "/dev/null", url],
    fix: "Remove proxy, noproxy and cacert from ~/.curlrc"
  },
  {
    client: "wget",
    command: "wget",
    args: ({ url }) => ["-nv", "-t", "1", "-O", "/dev/null", url],
    fix: "Remove https_proxy, no_proxy and ca_certificate from ~/.wgetrc"
  },
  {
    client: "git",
    command: "git",
    args: ({ url }) => ["ls-remote", `${url}/x.git`],
    env: () => ({ GIT_TERMINAL_PROMPT: "0" }),
    fix: "Look for proxy settings: git config --show-origin --get-regexp '^http\\..*(proxy|ssl)'"
  },
  { client: "Node fetch", ...node("fetch(process.argv[1]).catch((error) => console.error(error.cause ?? error))") },
  {
    client: "Node https",
    ...node(
      "const load = require; const { Agent, get } = load('https'); get(process.argv[1], { agent: new Agent() }, (r) => r.resume())"
    )
  },
  { client: "Python urllib", ...python("import urllib.request\nurllib.request.urlopen(url)"), fix: inCode },
  { client: "Python requests", ...python("import requests\nrequests.get(url)"), fix: inCode },
  { client: "Python httpx", ...python("import httpx\nhttpx.get(url)"), fix: inCode },
  {
    client: "Python aiohttp",
    ...python(
      "import aiohttp, asyncio\nasync def get():\n    async with aiohttp.ClientSession() as session:\n" +
        "        await session.get(url)\nasyncio.run(get())"
    ),
    hook: "python",
    fix: "Create the session with trust_env=True, or use credsvc run --hook python"
  },
  {
    client: "Go",
    command: "go",
    args: ({ file, url }) => ["run", file("probe.go", go), url],
    env: () => ({ GO111MODULE: "off" }),
    fix: inCode,
    seconds: 90
  },
  {
    client: "Java",
    command: "java",
    args: ({ file, url }) => [file("Probe.java", java), url],
    fix: "JAVA_TOOL_OPTIONS must reach the program, and no later option may name another trust store",
    seconds: 40
  },
  {
    client: "Ruby",
    command: "ruby",
    args: ({ url }) => ["-rnet/http", "-e", "Net::HTTP.get_response(URI(ARGV[0]))", url],
    fix: inCode
  },
  {
    client: "PHP curl",
    command: "php",
    args: ({ url }) => [
      "-r",
      `if (!function_exists("curl_init")) exit(${ABSENT}); $c = curl_init($argv[1]); ` +
      `curl_setopt($c, CURLOPT_RETURNTRANSFER, 1); curl_exec($c); fwrite(STDERR, curl_error($c));`,
      "--",
      url
    ],
    fix: "PHP_INI_SCAN_DIR must reach the program, and no other ini file may set curl.cainfo after it"
  },
  {
    client: "Perl HTTP::Tiny",
    ...perl(
      "require HTTP::Tiny; my ($ok, $why) = HTTP::Tiny->can_ssl; die $why unless $ok; HTTP::Tiny->new->get($ARGV[0])"
    ),
    fix: inCode
  },
  {
    client: "Perl LWP",
    ...perl("require LWP::UserAgent; require LWP::Protocol::https; LWP::UserAgent->new->get($ARGV[0])"),
    fix: inCode
  },
  {
    client: "Deno",
    command: "deno",
    args: ({ url }) => ["eval", "await fetch(Deno.args[0])", url],
    env: ({ directory }) => ({ DENO_DIR: directory, DENO_NO_UPDATE_CHECK: "1" }),
    fix: inCode
  },
  { client: "Bun", command: "bun", args: ({ url }) => ["-e", "await fetch(process.argv[1])", url], fix: inCode },
  {
    client: "Bun WebSocket",
    command: "bun",
    args: ({ url }) => ["-e", "new WebSocket(process.argv[1].replace('https', 'wss'))", url],
    hook: "bun",
    fix: "Use credsvc run --hook bun"
  },
  {
    client: "Chromium",
    command: "node",
    args: ({ directory, url }) => ["-e", chromium, url, directory],
    hook: "chromium",
    hookOnly: true,
    fix: "Use credsvc run --hook chromium, which configures Chromium on Linux under Playwright or Puppeteer"
  },
  {
    client: "aws",
    command: "aws",
    args: (
      { url }
    ) => ["sts", "get-caller-identity", "--no-sign-request", "--region", "us-east-1", "--endpoint-url", url],
    env: () => ({ AWS_MAX_ATTEMPTS: "1", AWS_PAGER: "" }),
    fix: "Remove proxy and ca_bundle from ~/.aws/config"
  },
  {
    client: "gcloud",
    command: "gcloud",
    args: ({ file }) => ["projects", "list", "--quiet", `--access-token-file=${file("token", "none")}`],
    env: ({ directory, url }) => ({
      CLOUDSDK_CONFIG: directory,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER: `${url}/`
    }),
    fix: "Run gcloud config unset for proxy/address and core/custom_ca_certs_file",
    seconds: 40
  },
  {
    client: "npm",
    command: "npm",
    args: ({ directory, url }) => ["ping", "--registry", `${url}/`, "--cache", directory, "--fetch-retries", "0"],
    fix: "Remove proxy, https-proxy, noproxy, ca and cafile from ~/.npmrc",
    seconds: 30
  },
  {
    client: "pip",
    command: "pip",
    args: ({ directory, url }) => [
      "download",
      "--no-deps",
      "--no-cache-dir",
      "--disable-pip-version-check",
      "--retries=0",
      `--index-url=${url}/`,
      `--dest=${directory}`,
      "credsvc-probe"
    ],
    fix: "Remove proxy and cert from pip's settings: pip config debug",
    seconds: 30
  },
  {
    client: "cargo",
    command: "cargo",
    args: ({ url }) => ["search", "credsvc-probe", "--index", `sparse+${url}/`],
    env: ({ directory }) => ({ CARGO_HOME: directory }),
    // A message of rustup, which replaces cargo if no toolchain is installed.
    absent:
      /^error: (?:rustup could not choose|no override and no default|toolchain '.*' is not installed|'cargo\S*' is not)/m,
    fix: "Remove http.proxy and http.cainfo from ~/.cargo/config.toml"
  },
  agent("Claude Code", "claude", () => ["-p", "hello"], ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none"
  })),
  agent(
    "Codex",
    "codex",
    ({ url }) => ["exec", "--skip-git-repo-check", "-c", `openai_base_url="${url}"`, "hello"],
    () => ({ OPENAI_API_KEY: "none", CODEX_API_KEY: "none" })
  ),
  agent("Gemini CLI", "gemini", () => ["--skip-trust", "-p", "hello"], ({ file, url }) => {
    // The client would try another login method if only the URL were set.
    file(".gemini/settings.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`)
    return { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" }
  }),
  agent("opencode", "opencode", () => ["run", "-m", "openai/gpt-5", "hello"], ({ url }) => ({
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: "none"
  })),
  {
    client: "gh",
    command: "gh",
    args: ({ url }) => ["api", url],
    env: ({ directory }) => ({ GH_CONFIG_DIR: directory, GH_TOKEN: "none", GH_NO_UPDATE_NOTIFIER: "1" }),
    fix: inCode
  }
]
