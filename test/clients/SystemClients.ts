/** Programs and languages from the operating system. */
import type { Client } from "./Client.ts"

/** A client that runs in a shell; `command` must be installed. */
const shell = (name: string, command: string, script: string, more: Partial<Client> = {}): Client => ({
  name,
  command,
  args: [],
  script,
  ...more
})

const auth = `-H "Authorization: Bearer $CLIENTS_API_KEY"`

const perl = (name: string, script: string, module: string): Client => ({
  name: `perl ${name}`,
  command: "perl",
  args: ["-e", script],
  module
})

const javaSource = (body: string) => `
import java.io.*; import java.net.*; import java.net.http.*; import java.nio.charset.*; import java.util.concurrent.*;
class Main { public static void main(String[] args) throws Exception {
  URI uri = URI.create(System.getenv("CLIENT_URL")); ${body} } }`

const java = (name: string, body: string): Client => ({
  name: `java ${name}`,
  command: "java",
  // Most of the time goes into compiling.
  args: ["-XX:TieredStopAtLevel=1", "Main.java"],
  files: { "Main.java": javaSource(body) }
})

/** Apache's HTTP client, which many Java libraries use. */
const apacheVersions = {
  4: {
    jars: ["httpclient", "httpcore", "commons-logging", "commons-codec"],
    source: (builder: string) => `
  var client = org.apache.http.impl.client.HttpClients.${builder}();
  var request = new org.apache.http.client.methods.HttpGet(System.getenv("CLIENT_URL"));
  System.out.println(org.apache.http.util.EntityUtils.toString(client.execute(request).getEntity()));`
  },
  5: {
    jars: ["httpclient5", "httpcore5", "httpcore5-h2", "slf4j-api"],
    source: (builder: string) => `
  var client = org.apache.hc.client5.http.impl.classic.HttpClients.${builder}();
  var request = new org.apache.hc.client5.http.classic.methods.HttpGet(System.getenv("CLIENT_URL"));
  String text = client.execute(request, r -> org.apache.hc.core5.http.io.entity.EntityUtils.toString(r.getEntity()));
  System.out.println(text);`
  }
}

const apache = (version: 4 | 5, name: string, builder: string, more: Partial<Client> = {}): Client => {
  const { jars, source } = apacheVersions[version]
  const files = jars.map((jar) => `/usr/share/java/${jar}.jar`)
  return shell(
    `java Apache HttpClient ${version}, ${name}`,
    "java",
    `java -XX:TieredStopAtLevel=1 -cp ${files.join(":")} Main.java`,
    {
      files: {
        "Main.java": `class Main { public static void main(String[] args) throws Exception {${source(builder)}\n} }`
      },
      needs: files[0],
      ...more
    }
  )
}

const git = "git -c user.name=x -c user.email=x@x.test"

const pycurl = (name: string, setting: string, more: Partial<Client> = {}): Client => ({
  name: `python ${name}`,
  command: "/usr/bin/python3",
  args: [
    "-c",
    `import os, pycurl, sys
c = pycurl.Curl()
c.setopt(c.URL, os.environ["CLIENT_URL"])
${setting}
c.setopt(c.WRITEFUNCTION, lambda data: sys.stdout.write(data.decode()) and None)
c.perform()`
  ],
  module: "pycurl",
  ...more
})

export const systemClients: ReadonlyArray<Client> = [
  shell("curl", "curl", `curl -sS --fail-with-body ${auth} "$CLIENT_URL"`, {
    contained: true,
    corporate: true
  }),
  shell("curl, HTTP/2 with prior knowledge", "curl", `curl -sS --http2-prior-knowledge ${auth} "$CLIENT_URL"`),
  shell("curl, events without delay", "curl", `curl -sSN ${auth} "$CLIENT_URL/stream"`),
  shell(
    "curl, upload of 5 MB that waits for 100 Continue",
    "curl",
    `head -c 5000000 /dev/zero | curl -sS ${auth} -H 'Expect: 100-continue' --data-binary @- "$CLIENT_URL"`
  ),
  shell("lynx, base URL in the command or code", "lynx", `lynx -source "$CLIENT_URL"`, { option: "--base-url" }),
  shell("pandoc", "pandoc", `pandoc -f html -t plain "$CLIENT_URL"`),
  shell(
    "lftp, base URL in the command or code",
    "lftp",
    `timeout 20 lftp -c "set net:max-retries 1; cat $CLIENT_URL"`,
    {
      option: "--base-url"
    }
  ),
  shell(
    "hg, with web.cacerts",
    "hg",
    `hg --config web.cacerts="$SSL_CERT_FILE" identify "$CLIENT_URL" 2>&1 | sed 's/.*appear.*/served/'`
  ),
  pycurl("pycurl, with CAINFO", `c.setopt(c.CAINFO, os.environ["SSL_CERT_FILE"])`),
  pycurl("pycurl", "", { contained: true, fails: "only the curl command reads CURL_CA_BUNDLE" }),
  shell(
    "openssl s_client",
    "openssl",
    `host="\${CLIENT_BASE#https://}"; { printf 'GET /%s HTTP/1.1\\r\\nHost: %s\\r\\nAuthorization: Bearer %s\\r\\nConnection: close\\r\\n\\r\\n' ` +
      `"\${CLIENT_URL##*/}" "$host" "$CLIENTS_API_KEY"; sleep 2; } | ` +
      `openssl s_client -quiet -verify_return_error -CAfile "$SSL_CERT_FILE" -servername "$host" -connect "$host:443"`,
    { contained: true, fails: "it reads no proxy variable" }
  ),
  shell("wget", "wget", `wget -nv -O- --header "Authorization: Bearer $CLIENTS_API_KEY" "$CLIENT_URL"`, {
    contained: true,
    corporate: true
  }),
  shell(
    "git clone, base URL in the command or code",
    "git",
    `git clone -q "$CLIENT_BASE/git/probe.git" a; cat a/file`,
    {
      option: "--base-url"
    }
  ),
  shell("aria2, base URL in the command or code", "aria2c", `aria2c -q -o out "$CLIENT_URL"; cat out`, {
    option: "--base-url"
  }),
  shell("aria2", "aria2c", `aria2c -q -t 100 -m 1 -o out "$CLIENT_URL"; cat out`, {
    contained: true,
    fails: "it reads no variable for certificates"
  }),
  shell(
    "aria2 with --ca-certificate",
    "aria2c",
    `aria2c -q --ca-certificate "$SSL_CERT_FILE" -o out "$CLIENT_URL"; cat out`
  ),
  shell(
    "HTTPie",
    "http",
    `http --ignore-stdin --check-status GET "$CLIENT_URL" "Authorization:Bearer $CLIENTS_API_KEY"`,
    {
      env: { HTTPIE_CONFIG_DIR: "httpie" }
    }
  ),
  shell("git ls-remote", "git", `git ls-remote "$CLIENT_BASE/git/probe.git" | sed 's/.*refs/served/'`),
  shell("git clone", "git", `git clone -q "$CLIENT_BASE/git/probe.git" c; cat c/file`, { contained: true }),
  shell(
    "git push",
    "git",
    `git clone -q "$CLIENT_BASE/git/probe.git" p; cd p; ${git} commit -q --allow-empty -m more; ` +
      `git push -q origin HEAD:refs/heads/pushed; echo served`
  ),
  {
    name: "ruby Net::HTTP",
    command: "ruby",
    args: [
      "-rnet/http",
      "-e",
      `puts Net::HTTP.get_response(URI(ENV["CLIENT_URL"]), "Authorization" => "Bearer " + ENV["CLIENTS_API_KEY"]).body`
    ]
  },
  { name: "ruby open-uri", command: "ruby", args: ["-ropen-uri", "-e", `puts URI.open(ENV["CLIENT_URL"]).read`] },
  {
    name: "php curl",
    command: "php",
    args: [
      "-r",
      `$c = curl_init(getenv("CLIENT_URL")); curl_setopt($c, CURLOPT_RETURNTRANSFER, 1); ` +
      `curl_setopt($c, CURLOPT_HTTPHEADER, ["Authorization: Bearer " . getenv("CLIENTS_API_KEY")]); ` +
      `echo curl_exec($c), curl_error($c);`
    ]
  },
  {
    name: "php streams",
    command: "php",
    args: ["-r", `echo file_get_contents(getenv("CLIENT_URL"));`],
    contained: true,
    fails: "they read no proxy variable"
  },
  {
    name: "php streams, base URL in the command or code",
    command: "php",
    args: ["-r", `echo file_get_contents(getenv("CLIENT_URL"));`],
    option: "--base-url"
  },
  perl("HTTP::Tiny", `use HTTP::Tiny; print HTTP::Tiny->new->get($ENV{CLIENT_URL})->{content}`, "IO::Socket::SSL"),
  perl(
    "LWP",
    `use LWP::UserAgent; print LWP::UserAgent->new->get($ENV{CLIENT_URL})->decoded_content`,
    "LWP::Protocol::https"
  ),
  java(
    "HttpClient",
    `System.out.println(HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body());`
  ),
  java(
    "URLConnection",
    `System.out.println(new String(uri.toURL().openConnection().getInputStream().readAllBytes(), StandardCharsets.UTF_8));`
  ),
  java(
    "WebSocket",
    `var heard = new CompletableFuture<String>();
     HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(URI.create(uri.toString().replace("https:", "wss:")),
       new WebSocket.Listener() { public CompletionStage<?> onText(WebSocket s, CharSequence text, boolean last) { heard.complete(text.toString()); return null; } }).get();
     System.out.println(heard.get(100, TimeUnit.SECONDS));`
  ),
  ...([4, 5] as const).flatMap((version) => [
    apache(version, "createSystem()", "createSystem"),
    apache(version, "createDefault()", "createDefault", {
      contained: true,
      fails: "it ignores the proxy in system properties"
    })
  ]),
  apache(4, "createDefault(), base URL in the command or code", "createDefault", { option: "--base-url" }),
  {
    ...java(
      "HttpClient, base URL in the command or code",
      `System.out.println(HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString("x")).build(), HttpResponse.BodyHandlers.ofString()).body());`
    ),
    option: "--base-url"
  },
  {
    name: "go net/http",
    command: "go",
    args: ["run", "main.go"],
    contained: true,
    corporate: true,
    env: { GO111MODULE: "off" },
    files: {
      "main.go": `package main
import web "net/http"
import io "io"
import os "os"
func main() {
  answer, err := web.Get(os.Getenv("CLIENT_URL"))
  if err != nil { println(err.Error()); os.Exit(1) }
  io.Copy(os.Stdout, answer.Body)
}`
    }
  },
  shell("aws", "aws", `aws dynamodb list-tables --endpoint-url "$CLIENT_URL" --region us-east-1 --output text`, {
    env: { AWS_ACCESS_KEY_ID: "AKIACREDSVCPROXYMANAGED", AWS_SECRET_ACCESS_KEY: "credsvc-proxy-managed", AWS_PAGER: "" }
  }),
  shell("gh", "gh", `gh api "$CLIENT_URL"`, {
    env: { GH_TOKEN: "credsvc-proxy-managed", GH_CONFIG_DIR: "gh", GH_NO_UPDATE_NOTIFIER: "1" }
  }),
  shell(
    "gcloud",
    "gcloud",
    `printf %s "$CLIENTS_API_KEY" >token; export CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER="$CLIENT_URL/"; ` +
      `gcloud projects list --quiet --access-token-file=token --format 'value(projectId)'`,
    { env: { CLOUDSDK_CONFIG: "gcloud" }, heavy: true }
  ),
  shell(
    "kubectl",
    "kubectl",
    `kubectl get --raw "/\${CLIENT_URL##*/}" --server "$CLIENT_BASE" --token "$CLIENTS_API_KEY"`,
    {
      heavy: true
    }
  ),
  shell(
    "terraform, state over HTTP",
    "terraform",
    `terraform init -no-color -backend-config="address=$CLIENT_BASE/registry/terraform/state"; terraform state pull`,
    {
      env: { TF_CLI_CONFIG_FILE: "", CHECKPOINT_DISABLE: "1" },
      files: { "main.tf": `terraform {\n  backend "http" {}\n}` },
      heavy: true
    }
  ),
  // Docker's daemon, which fetches images, is not a child process of the run.
  shell(
    "docker manifest",
    "docker",
    `docker manifest inspect "\${CLIENT_BASE#https://}/probe:1.0.0" | sed s/rootfs/served/`,
    { env: { DOCKER_CONFIG: "docker" }, heavy: true }
  ),
  // Version 1 in Debian 12 speaks TLS to the proxy itself.
  shell("wget2", "wget2", `wget2 -q -O- --header "Authorization: Bearer $CLIENTS_API_KEY" "$CLIENT_URL"`, {
    heavy: true
  }),
  shell("rclone", "rclone", `rclone copyurl "$CLIENT_URL" out --retries 1; cat out`, { heavy: true }),
  shell("xh", "xh", `xh --ignore-stdin "$CLIENT_URL" "Authorization:Bearer $CLIENTS_API_KEY"`, { heavy: true })
]

const registry = "$CLIENT_BASE/registry"

/** Each installs a package from a registry that the API emulates. */
export const packageManagers: ReadonlyArray<Client> = [
  shell(
    "npm",
    "npm",
    `echo '{}' >package.json; npm install --registry "${registry}/npm/" --cache cache --no-audit --no-fund probe; cat node_modules/probe/served`,
    { contained: true }
  ),
  shell(
    "pnpm",
    "pnpm",
    `echo '{}' >package.json; pnpm add --registry "${registry}/npm/" --store-dir store probe; cat node_modules/probe/served`,
    {
      installed: "pnpm"
    }
  ),
  shell(
    "yarn 1",
    "yarn",
    `echo '{}' >package.json; yarn add --registry "${registry}/npm/" --cache-folder cache --non-interactive probe; cat node_modules/probe/served`,
    { installed: "yarn" }
  ),
  shell(
    "bun install",
    "bun",
    `echo '{}' >package.json; bun add --registry "${registry}/npm/" --no-cache probe; cat node_modules/probe/served`,
    { installed: "@oven/bun-linux-x64" }
  ),
  shell(
    "pip",
    "/usr/bin/pip",
    `/usr/bin/pip download --no-deps --no-cache-dir --disable-pip-version-check --index-url "${registry}/pip/" -d . probe; ` +
      `python3 -m zipfile -l probe-1.0.0-py3-none-any.whl`,
    { contained: true, env: { PIP_CONFIG_FILE: "/dev/null" } }
  ),
  shell(
    "maven",
    "mvn",
    `sed -i "s|CLIENT_BASE|$CLIENT_BASE|" pom.xml; mvn -q -B -Dmaven.repo.local="$PWD/repository" validate; ` +
      `cat repository/clients/probe/1.0.0/probe-1.0.0.pom`,
    {
      files: {
        "pom.xml": `<project><modelVersion>4.0.0</modelVersion><artifactId>x</artifactId><packaging>pom</packaging>
          <parent><groupId>clients</groupId><artifactId>probe</artifactId><version>1.0.0</version><relativePath/></parent>
          <repositories><repository><id>clients</id><url>CLIENT_BASE/registry/maven</url></repository></repositories>
        </project>`
      }
    }
  ),
  // A daemon that already runs would have a foreign environment.
  shell("gradle", "gradle", `gradle -q --no-daemon -g "$PWD/home" served`, {
    heavy: true,
    files: {
      "build.gradle": `repositories { maven { url System.getenv("CLIENT_BASE") + "/registry/maven" } }
        configurations { probe }
        dependencies { probe "clients:probe:1.0.0@pom" }
        task served { doLast {
          println configurations.probe.singleFile.text
          println new URL(System.getenv("CLIENT_URL")).text
        } }`
    }
  }),
  shell(
    "cargo, in a project that names another proxy",
    "cargo",
    `mkdir -p src .cargo; echo 'fn main() {}' >src/main.rs; ` +
      `printf '[package]\\nname = "x"\\nversion = "1.0.0"\\nedition = "2021"\\n[dependencies]\\nprobe = { version = "1", registry = "clients" }\\n' >Cargo.toml; ` +
      `printf '[http]\\nproxy = "127.0.0.1:9"\\n[registries.clients]\\nindex = "sparse+%s/cargo/"\\n' "$CLIENT_BASE/registry" >.cargo/config.toml; ` +
      `cargo fetch; cat "$CARGO_HOME"/registry/src/*/probe-1.0.0/src/served`,
    { contained: true, env: { CARGO_HOME: "cargo" } }
  )
]
