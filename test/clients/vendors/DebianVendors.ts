import type { VendorClient } from "./VendorClient.ts"

const program = (
  provider: string,
  argv: readonly [string, ...ReadonlyArray<string>],
  name = argv[0]
): VendorClient => ({
  provider,
  packages: [name],
  registry: "debian",
  argv
})

const script = (provider: string, language: "python" | "ruby", name: string, code: string): VendorClient => ({
  provider,
  packages: [name],
  registry: "debian",
  language,
  code
})

export const debianVendors: ReadonlyArray<VendorClient> = [
  program("github-token", ["gh", "api", "user"]),
  program("github-token", ["hub", "api", "user"]),
  program("gitlab-token", ["python-gitlab", "current-user", "get"], "gitlab-cli"),
  program("hetzner-cloud", ["hcloud", "server", "list"], "hcloud-cli"),
  script(
    "github-token",
    "python",
    "python3-github",
    `import os, github; print(github.Github(os.environ["GITHUB_TOKEN"]).get_user().login)`
  ),
  script(
    "gitlab-token",
    "python",
    "python3-gitlab",
    `import os, gitlab; gitlab.Gitlab("https://gitlab.com", private_token=os.environ["GITLAB_TOKEN"]).auth()`
  ),
  script(
    "stripe",
    "python",
    "python3-stripe",
    `import os, stripe; stripe.api_key = os.environ["STRIPE_API_KEY"]; stripe.ca_bundle_path = os.environ["SSL_CERT_FILE"]; stripe.Balance.retrieve()`
  ),
  script(
    "twilio",
    "python",
    "python3-twilio",
    `import os
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client
http_client = TwilioHttpClient()
http_client.session.verify = os.environ["REQUESTS_CA_BUNDLE"]
Client(http_client=http_client).api.accounts.list(limit=1)`
  ),
  script(
    "digitalocean",
    "python",
    "python3-digitalocean",
    `import os, digitalocean; digitalocean.Manager(token=os.environ["DIGITALOCEAN_ACCESS_TOKEN"]).get_account()`
  ),
  script(
    "hetzner-cloud",
    "python",
    "python3-hcloud",
    `import os, hcloud; hcloud.Client(token=os.environ["HCLOUD_TOKEN"]).servers.get_all()`
  ),
  script(
    "cloudflare",
    "python",
    "python3-cloudflare",
    `import os, CloudFlare; CloudFlare.CloudFlare(token=os.environ["CLOUDFLARE_API_TOKEN"]).user.tokens.verify()`
  ),
  {
    ...script(
      "atlassian-token",
      "python",
      "python3-jira",
      `import os, jira
jira.JIRA(os.environ["JIRA_URL"], basic_auth=(os.environ["JIRA_EMAIL"], os.environ["JIRA_API_TOKEN"]), max_retries=0).myself()`
    ),
    baseUrl: "https://acme.atlassian.net"
  },
  script("shodan", "python", "python3-shodan", `import os, shodan; shodan.Shodan(os.environ["SHODAN_API_KEY"]).info()`),
  script("sparkpost", "python", "python3-sparkpost", `from sparkpost import SparkPost; SparkPost().templates.list()`),
  script(
    "x-app-only",
    "python",
    "python3-tweepy",
    `import os, tweepy; tweepy.Client(os.environ["X_BEARER_TOKEN"]).get_user(username="x")`
  ),
  {
    ...script(
      "hashicorp-vault",
      "python",
      "python3-hvac",
      `import os, hvac; hvac.Client(url=os.environ["VAULT_ADDR"], token=os.environ["VAULT_TOKEN"]).lookup_token()`
    ),
    baseUrl: "https://vault.example.com",
    hosts: ["vault.example.com"]
  },
  script(
    "linode",
    "python",
    "python3-libcloud",
    `import os
from libcloud.compute.providers import get_driver
get_driver("linode")(os.environ["LINODE_TOKEN"], api_version="4.0").list_nodes()`
  ),
  script(
    "digitalocean",
    "python",
    "python3-libcloud",
    `import os
from libcloud.compute.providers import get_driver
get_driver("digitalocean")(os.environ["DIGITALOCEAN_ACCESS_TOKEN"], api_version="v2").list_nodes()`
  ),
  {
    ...script(
      "elasticsearch",
      "python",
      "python3-elasticsearch",
      `import os, elasticsearch
elasticsearch.Elasticsearch("https://abc.es.eu-west-1.aws.elastic.cloud:443", api_key=os.environ["ELASTIC_API_KEY"], connection_class=elasticsearch.RequestsHttpConnection).info()`
    ),
    baseUrl: "https://abc.es.eu-west-1.aws.elastic.cloud",
    hosts: ["abc.es.eu-west-1.aws.elastic.cloud"]
  },
  script(
    "discord-bot",
    "python",
    "python3-discord",
    `import os, asyncio, discord
async def main():
    client = discord.Client(intents=discord.Intents.default(), proxy=os.environ["HTTPS_PROXY"])
    await client.login(os.environ["DISCORD_TOKEN"])
asyncio.run(main())`
  ),
  script(
    "gitlab-token",
    "ruby",
    "ruby-gitlab",
    `require "gitlab"; Gitlab.client(endpoint: "https://gitlab.com/api/v4", private_token: ENV["GITLAB_TOKEN"]).user`
  ),
  script(
    "asana-token",
    "ruby",
    "ruby-asana",
    `require "asana"
Asana::Client.new { |c| c.authentication :access_token, ENV["ASANA_ACCESS_TOKEN"] }.users.me`
  ),
  {
    ...script(
      "atlassian-token",
      "ruby",
      "ruby-jira",
      `require "jira-ruby"
JIRA::Client.new(username: ENV["JIRA_EMAIL"], password: ENV["JIRA_API_TOKEN"], site: ENV["JIRA_URL"], context_path: "", auth_type: :basic).ServerInfo.all`
    ),
    baseUrl: "https://acme.atlassian.net"
  }
]
