/**
 * Decides which environment variables a provider definition may set in a child process.
 *
 * Variables such as `TAR_OPTIONS` or `GIT_SSH_COMMAND` would execute a command taken from the value. No deny list is
 * complete, so a name must have the form of a credential, an identifier, or the address of an API.
 */

/** The content of a variable: a field of the credential (its placeholder if it is secret), or an address. */
export type VariableKind = "credential" | "address"

const secretWords = "TOKEN|KEY|APIKEY|SECRET|PASSWORD|PAT|JWT"
const identifierWords = "ID|SID|IDENTIFIER|NAME|EMAIL|USER|USERNAME|LOGIN|ACCOUNT|ORG|ORGANIZATION|TEAM|WORKSPACE|" +
  "PROJECT|TENANT|REGION|RESIDENCY|SITE|SHOP|INSTANCE|SUBDOMAIN|AUTH"
const addressWords = "(?:API_)?(?:BASE_?)?UR[LI]|(?:API_)?ENDPOINT|(?:API_)?HOST|API_BASE"

const named = (words: string): RegExp => RegExp(`^(?:[A-Z]|_[0-9])[A-Z0-9_]*_(?:${words})$`)

const secretForm = named(secretWords)
const forms: Readonly<Record<VariableKind, { readonly form: RegExp; readonly expected: string }>> = {
  credential: {
    form: named(`${secretWords}|${identifierWords}`),
    expected:
      "the name of a credential or an identifier, such as ACME_API_KEY, ACME_TOKEN, ACME_SECRET or ACME_ACCOUNT_ID"
  },
  address: {
    form: named(addressWords),
    expected: "a variable for an API's URL or host, such as ACME_BASE_URL, ACME_API_URL, ACME_ENDPOINT or ACME_HOST"
  }
}

/** Names of other forms that vendors document and bundled definitions use. */
const established: Readonly<Record<string, VariableKind>> = {
  AWS_ACCESS_KEY_ID: "credential",
  AWS_SECRET_ACCESS_KEY: "credential",
  AWS_SESSION_TOKEN: "credential",
  AWS_REGION: "credential",
  AWS_DEFAULT_REGION: "credential",
  AWS_BEARER_TOKEN_BEDROCK: "credential",
  MJ_APIKEY_PRIVATE: "credential",
  MJ_APIKEY_PUBLIC: "credential",
  OKX_PASSPHRASE: "credential",
  POETRY_PYPI_TOKEN_PYPI: "credential",
  TF_TOKEN_app_terraform_io: "credential",
  TF_TOKEN_app_eu_terraform_io: "credential",
  SHORTCUT_API_TKN: "credential",
  WOLFRAM_ALPHA_APPID: "credential",
  CRISP_TIER: "credential",
  DODO_PAYMENTS_ENVIRONMENT: "credential",
  MAKE_ZONE: "credential",
  EDUBASE_API_APP: "credential",
  DOCKER_USERNAME: "credential",
  PINECONE_INDEX_HOST: "address",
  VAULT_ADDR: "address",
  SCHEMA_REGISTRY_URL: "address",
  SCHEMA_REGISTRY_ENDPOINT: "address",
  ASTRA_DB_API_ENDPOINT: "address",
  COMET_URL_OVERRIDE: "address",
  DT_ENVIRONMENT: "address",
  GRAFANA_SERVER: "address",
  OKTA_CLIENT_ORGURL: "address",
  OPIK_URL_OVERRIDE: "address",
  SONARQUBE_CLI_SERVER: "address",
  TFE_ADDRESS: "address",
  SUMSUB_BASE: "address",
  VL_INSTANCE_ENTRYPOINT: "address",
  VM_INSTANCE_ENTRYPOINT: "address",
  VT_INSTANCE_ENTRYPOINT: "address"
}

const family = (names: string): RegExp => RegExp(`^(?:${names})_`)

/** Settings and application secrets: a publicly known placeholder in them would weaken or redirect programs. */
const reservedFamily = family(
  "CREDSVC|NPM_CONFIG|PIP|GIT_CONFIG|AWS|SSH|SUDO|GPG|KUBE|KUBERNETES|CI|RUNNER|ACTIONS|APP|APPLICATION|" +
    "AUTH|NEXTAUTH|AUTHJS|JWT|SESSION|COOKIE|CSRF|SECRET|ENCRYPTION|SIGNING|MASTER|PRIVATE|DJANGO|FLASK|RAILS|LARAVEL|" +
    "DATABASE|DB|POSTGRES|POSTGRESQL|PG|MYSQL|MARIADB|REDIS|MONGO|MONGODB|SMTP|AMQP|RABBITMQ|KAFKA|CELERY|LDAP|RESTIC|" +
    "BORG|ANSIBLE"
)

/** Settings that are harmful with any last word in their name, such as `DOCKER_HOST` or `PIP_INDEX_URL`. */
const settingsFamily = family(
  "LD|DYLD|GIT|NIX|XDG|DBUS|BASH|ZSH|HTTPS?|FTP|ALL|NO|WSS?|SOCKS|RSYNC|PROXY|SSL|OPENSSL|CURL|WGET|NODE|NODEJS|NPM|NVM|" +
    "YARN|PNPM|BUN|DENO|COREPACK|ELECTRON|PLAYWRIGHT|PUPPETEER|CYPRESS|SELENIUM|CHROMEDRIVER|PRISMA_ENGINES|PYTHON|" +
    "PIPENV|PIPX|PDM|POETRY|UV|CONDA|JUPYTER|PERL|CPAN|RUBY|RUBYGEMS|GEM|BUNDLE|PHP|COMPOSER|JAVA|JDK|JRE|MAVEN|GRADLE|" +
    "SBT|CARGO|RUST|RUSTC|RUSTUP|GO|DOTNET|NUGET|CORECLR|MSBUILD|DOCKER|PODMAN|CONTAINER|CONTAINERD|BUILDKIT|" +
    "HELM|TF|TERRAFORM|VAGRANT|PACKER|HOMEBREW|CC|CXX|CMAKE|MAKE|TAR|LESS|VIM|EMACS|TMUX|PULSE|DISPLAY|" +
    "CONFIG|R|RENV|JULIA|SCCACHE"
)

/**
 * Addresses of services without a bundled provider, of package sources, and of further services of a vendor. No definition
 * may set them: a custom provider could have the name of such a service.
 */
const foreignAddress = family(
  "OLLAMA|LLM|LITELLM|VAULT|CONSUL|NOMAD|ETCD|JAEGER|OTEL|PUB|FLUTTER|JSR|GCE|IDENTITY|MSI|GH|GITHUB_SERVER|" +
    "GITHUB_GRAPHQL|ANTHROPIC_BEDROCK|ANTHROPIC_VERTEX|ANTHROPIC_FOUNDRY|GOOGLE_VERTEX"
)
const sourceAddress = RegExp(
  "(?:^|_)(?:INDEX|REGISTRY|REGISTRIES|REPO|REPOSITORY|MIRROR|DOWNLOADS?|DIST|CDN|UPDATES?|PLUGINS?|PROXY|DATABASE|DB|BROKER)" +
    `_(?:${addressWords})$`
)

/** Completes a sentence with the reason for the rejection; undefined if a definition may set the variable. */
export const variableProblem = (kind: VariableKind, variable: string): string | undefined => {
  if (Object.hasOwn(established, variable) && established[variable] === kind) return undefined
  const { expected, form } = forms[kind]
  if (!form.test(variable)) return `names the variable ${variable}; expected ${expected}`
  return reservedFamily.test(variable) || (!secretForm.test(variable) && settingsFamily.test(variable)) ||
      (kind === "address" && (foreignAddress.test(variable) || sourceAddress.test(variable)))
    ? `names the variable ${variable}, which other programs read as a setting of their own; choose another name`
    : undefined
}

/** The stem of an address variable: `ACME` for `ACME_BASE_URL`. */
export const addressStem = (variable: string): string => variable.replace(RegExp(`_(?:${addressWords})$`), "")

/** Whether the text is a plain word that no program interprets as an option, a path, a command or an address. */
export const isPlaceholderText = (value: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._:!-]*$/.test(value)
