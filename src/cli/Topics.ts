/** What `credsvc help <topic>` explains beyond the commands. */

const run = `
credsvc run starts a proxy that lives as long as your command, and your command
with the proxy in its environment:

  credsvc run -- python3 agent.py

Where your command would find a key, OPENAI_API_KEY say, it finds a placeholder.
Its requests go through the proxy. A request to a host of a provider that you
have logged in to gets the real credential there, in the place of whatever the
command has put; a request to any other host passes untouched.

Which credential
  The default connection of the provider that the host belongs to. Choose another
  with --connection openai=work, and only some providers with --provider openai:
  programs make requests that nobody asked for, as an agent that fetches plugins
  with git does, and these get your credentials too.
Which hosts
  All, unless --unmatched deny is given: then only those of your providers.
Certificates
  The proxy ends TLS for the hosts of providers with a certificate authority of its
  own, made for this run. The command is told to trust it by the variables that
  curl, git, Python, Node, Go, Ruby, PHP, Java and their SDKs read. A program that
  trusts only certificates of its own fails; it does not leak.
Programs that trust no certificate of yours
  --base-url gives your command addresses on this machine in the place of a proxy,
  in the variables that SDKs read: OPENAI_BASE_URL, ANTHROPIC_BASE_URL and others.
  Your own code can begin an address with $CREDSVC_BASE_URL/api.github.com/
Programs that read no proxy variable
  aiohttp needs --hook python (or trust_env=True), the WebSocket of Bun --hook bun,
  urllib3 and PHP streams --base-url.
Programs with settings for certificates of their own
  aria2 --ca-certificate "$SSL_CERT_FILE"; stripe for Python: stripe.ca_bundle_path;
  Chromium under Playwright or Puppeteer: --hook chromium (Linux).
Exit code
  That of your command. 128+n when signal n ended it, 127 when it was not found,
  126 when it cannot be executed.
Signals
  Your command gets those that credsvc gets, and Ctrl-C and Ctrl-Z from the terminal
  as without it. When the terminal is closed, it is told so (SIGHUP); a command
  that is to go on then: credsvc run -- nohup make all
What your command leaves running
  Has no way out any more: the proxy and the certificates are gone with the run.

credsvc doctor --trust tries which programs of this machine work in a run.
What went through is in the debug log: credsvc log --raw
`

const flows = `
A flow is the way to get a credential. credsvc inspect <provider> shows which a
provider has; --flow chooses among them.

  api_key      You make a key on the provider's page and enter it, in the browser,
               masked in the terminal, or with --stdin.
  pkce         You log in with the provider in the browser (OAuth authorization
               code with PKCE). Needs the client of an OAuth app of yours unless the
               provider brings one: it is asked for once.
  device_code  You enter a short code on the provider's page, on any device. For
               machines without a browser.
  dcr_pkce     As pkce, but credsvc registers a client by itself. For servers that
               allow it, MCP servers among them.

A login waits for you ten minutes, or as long as the provider's code lives. Ctrl-C
cancels it. The credential never passes through an argument, where other programs
could read it.

Tokens of OAuth logins are refreshed by the daemon when they are used. When one
cannot be refreshed any more, its connection is "expired": log in again.
`

const profiles = `
A profile is a set of connections of its own, with an identity key that signs the
audit log. There is one from the start; its name is drawn.

  credsvc profile create work     makes another
  credsvc profile use work        makes it the active one, for every terminal
  credsvc profile list            shows them
  CREDSVC_PROFILE=work credsvc …  uses it for one command
  credsvc run --profile work -- … uses it for one run

Providers, the vault and its key are shared by all profiles; each profile's secrets
are encrypted under a key of their own.

Two accounts of one provider need no profiles, but two connections:

  credsvc login github-token --connection work
  credsvc run --connection github-token=work -- git push
`

const security = `
What credsvc protects
  A program under credsvc run never has the credential: not in its environment, its
  memory, its logs or its output. Secrets are encrypted on the disk, each bound to
  its record. Rows that are altered, removed or put back are noticed. Every login,
  export, reveal and first use is in an audit log that shows tampering.

What it does not
  Another program of yours can ask the daemon as you can. What it gets is in the
  audit log: credsvc log. Keep such a program under another user or in a container.

Where the key of the vault is
  credsvc whoami says it: the keyring of the operating system, the variable
  CREDSVC_MASTER_KEY, or a file beside the vault where neither is there. Whoever
  copies the home directory with that file has everything.

Who can talk to the daemon
  Your own programs on this machine (on Linux the kernel says whose they are). Web
  pages cannot. A daemon elsewhere is reached over https only.

  credsvc doctor        checks the vault and everything around it
  credsvc log --verify  checks the audit log from its first entry
`

export const topics: ReadonlyMap<string, string> = new Map(
  Object.entries({ run, flows, profiles, security }).map(([name, text]) => [name, text.trim()])
)
