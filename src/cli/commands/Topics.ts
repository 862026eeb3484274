/** The texts of `credsvc help <topic>`. */
const run = `
credsvc run starts a local proxy, runs your command with the proxy in its
environment, and stops the proxy when the command exits:

  credsvc run -- python3 agent.py

Where your command expects an API key, for example in OPENAI_API_KEY, it finds
a placeholder. When it sends a request to a host of a connected provider, the
proxy adds the real credential and removes any that the command sent. Requests
to other hosts pass through unchanged.

Which credential is used
  The default connection of the provider that the host belongs to, as chosen
  by credsvc set-default. Select another one with --connection openai=work.
  Limit injection to some providers with --provider openai: programs also make
  requests on their own, such as an agent that fetches plugins with git, and
  those requests get your credentials too.
Which hosts can be reached
  All hosts. With --unmatched deny, only the hosts of your providers.
Containing the command (Linux)
  --contain runs the command without any network but the proxy, without your
  credential files, agents and sockets, and with write access to the working
  directory only. Allow more with --write ~/.npm and --allow-port 5432, hide
  more with --hide .env. Needs bubblewrap: apt install bubblewrap. See what it
  hides here: credsvc doctor --contain. Contain every run with
  "run": { "contain": true } in config.json.
Certificates
  For provider hosts, the proxy terminates TLS with a certificate authority
  created for this run. Your command trusts it through the variables that
  curl, git, Python, Node, Go, Ruby, PHP, Java and their SDKs read. A program
  that trusts only its own certificates fails to connect and leaks nothing.
Programs that accept no custom certificate
  --base-url sets SDK variables such as OPENAI_BASE_URL and ANTHROPIC_BASE_URL
  to local addresses, instead of using a proxy. Your own code can prefix a URL
  with $CREDSVC_BASE_URL, for example $CREDSVC_BASE_URL/api.github.com/
Programs that ignore proxy variables
  Use --hook python for aiohttp (or set trust_env=True), --hook bun for the
  WebSocket of Bun, and --base-url for urllib3 and PHP streams.
Programs with their own certificate settings
  aria2: --ca-certificate "$SSL_CERT_FILE". stripe for Python:
  stripe.ca_bundle_path. Chromium under Playwright or Puppeteer: --hook
  chromium (Linux).
Exit code
  The exit code of your command: 128+n if signal n terminated it, 127 if it
  was not found, 126 if it could not be executed.
Signals
  Signals sent to credsvc are forwarded to your command. Ctrl-C and Ctrl-Z
  work as usual. When the terminal closes, your command receives SIGHUP; to
  keep it running, use: credsvc run -- nohup make all
Background processes
  Processes that outlive your command lose access: the proxy and the
  certificates are removed when the run ends.

To test which programs on this machine work: credsvc doctor --trust
To see the requests of past runs: credsvc log requests
`

const flows = `
A flow is a login method. credsvc inspect <provider> lists the flows of a
provider; choose one with --flow.

  api_key      Create a key on the provider's website and enter it in the
               browser, in the terminal (masked), or through --stdin.
  pkce         Log in to the provider in the browser (OAuth authorization code
               with PKCE). Requires your own OAuth app unless the provider
               definition includes one; credsvc asks for its client ID and
               secret once.
  device_code  Enter a short code on the provider's website, on any device.
               For machines without a browser.
  dcr_pkce     Like pkce, but credsvc registers the OAuth client itself. For
               servers that support dynamic client registration, such as MCP
               servers.
  refresh_token
               Enter an OAuth refresh token that you already have, with the
               client that it was issued to. credsvc refreshes it once to
               check it.
  client_credentials
               Enter a client ID and secret; credsvc requests access tokens
               with them. For programs without a user.
  jwt_bearer   Enter a private key or a key file, such as that of a Google
               service account or a GitHub App; credsvc signs with it. With
               --stdin: credsvc login google-service-account --stdin < key.json
  token_request
               Enter the credentials with which credsvc requests tokens.
  assume_role  For AWS: enter the keys of a user and the role to assume. credsvc
               requests temporary keys, and new ones before they expire.
  credential_command
               Run a program that prints the key, such as "op read" or "pass
               show". credsvc shows the command, asks for confirmation, and
               the daemon runs it again when the key expires. Does not work
               inside credsvc run.

Each step of a login must end within 10 minutes, or before the provider's
device code expires. Ctrl-C cancels the login. Secrets are never accepted as
arguments, which other programs could read.

The daemon refreshes OAuth tokens when they are used. If a token can no longer
be refreshed, its connection becomes "expired": log in again.
`

const profiles = `
A profile is a separate set of connections with its own identity key, which
signs requests to a remote daemon. The first profile is created automatically
with a generated name.

  credsvc profile create work      create a profile
  credsvc profile use work         make it the active profile in every terminal
  credsvc profile list             list all profiles
  CREDSVC_PROFILE=work credsvc …   use it for one command
  credsvc run --profile work -- …  use it for one run

All profiles share the providers, the vault and the master key. The secrets of
each profile are encrypted with a separate key.

For two accounts of one provider, use two connections instead of two profiles:

  credsvc login github-token --connection work
  credsvc run --connection github-token=work -- git push
`

const security = `
What credsvc protects
  A program under credsvc run never has the credential: not in its
  environment, memory, logs or output. Secrets are encrypted on disk, each
  bound to its record. The daemon detects modified, deleted and restored
  records. A tamper-evident audit log records every login, export, reveal and
  first use.

What credsvc does not protect
  Other programs that run as your user can ask the daemon for credentials, as
  you can. The audit log records what they get: credsvc log. Run untrusted
  programs as another user or in a container.

Where the master key is stored
  credsvc whoami shows the source: the OS keyring, the variable
  CREDSVC_MASTER_KEY, the file that CREDSVC_MASTER_KEY_FILE names, or, if none
  is available, a file beside the vault. Anyone who copies the home of credsvc
  with that file can decrypt the vault.

Who can talk to the daemon
  Only programs of your user on this machine (on Linux, the kernel identifies
  the user of a connection). Web pages cannot. A remote daemon requires https.

  credsvc doctor      check the vault and the daemon
  credsvc log verify  verify the whole audit log
`

export const topics: ReadonlyMap<string, string> = new Map(
  Object.entries({ run, flows, profiles, security }).map(([name, text]) => [name, text.trim()])
)
