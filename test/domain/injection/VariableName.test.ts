import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import { addressStem, isPlaceholderText, variableProblem } from "../../../src/domain/injection/VariableName.ts"
import { isProviderName } from "../../../src/domain/wire/Names.ts"
import * as FastCheck from "../../support/FastCheck.ts"

/** Variables whose value alone executes a command, loads code, redirects traffic or weakens a program. */
const steering = [
  "PATH HOME SHELL USER LOGNAME IFS ENV BASH_ENV SHELLOPTS BASHOPTS PROMPT_COMMAND CDPATH FPATH ZDOTDIR PS1 PS4 TERM",
  "TERMINFO TERMCAP TMPDIR TEMP LANG LC_ALL LOCPATH NLSPATH GCONV_PATH MALLOC_CHECK_ HISTFILE INPUTRC FIGNORE",
  "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG_OUTPUT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH",
  "EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE LESS LESSKEY MANOPT VIMINIT EXINIT MYVIMRC VIMRUNTIME",
  "EMACSLOADPATH NVIM_LISTEN_ADDRESS TMUX_TMPDIR SCREENRC XDG_CONFIG_HOME XDG_DATA_DIRS DBUS_SESSION_BUS_ADDRESS",
  "GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND",
  "GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_DIR",
  "GIT_SSH_KEY_COMMAND GIT_SSL_CAINFO GIT_HTTP_PROXY_AUTHMETHOD SSH_ASKPASS SSH_AUTH_SOCK SUDO_ASKPASS SUDO_EDITOR",
  "RSYNC_RSH RSYNC_PROXY CVS_RSH SVN_SSH HGEDITOR HGRCPATH TAR_OPTIONS GZIP BZIP2 XZ_OPT XZ_DEFAULTS ZSTD_CLEVEL",
  "UNZIP ZIPOPT CPIO_OPTIONS GREP_OPTIONS GREP_COLORS POSIXLY_CORRECT FIND_OPTIONS PERL5OPT PERL5LIB PERL5DB PERLLIB",
  "PERL_MB_OPT PERL_MM_OPT RUBYOPT RUBYLIB RUBYSHELL GEM_HOME GEM_PATH GEM_HOST BUNDLE_GEMFILE BUNDLE_MIRROR__ALL",
  "PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONWARNINGS PYTHONBREAKPOINT PYTHONUSERBASE PYTHONEXECUTABLE",
  "PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CONFIG_FILE PIP_TRUSTED_HOST PIP_CERT PIP_REQUIRE_VIRTUALENV UV_INDEX_URL",
  "UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL POETRY_REPOSITORIES_X_URL PDM_PYPI_URL PIPENV_PYPI_MIRROR CONDA_CHANNEL_ALIAS",
  "NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_EXTERNAL_MODULE NODEJS_ORG_MIRROR",
  "npm_config_registry npm_config_script_shell NPM_CONFIG_REGISTRY NPM_CONFIG_KEY NPM_CONFIG_NODE_OPTIONS NPM_CONFIG_URL",
  "YARN_NPM_REGISTRY_SERVER YARN_RC_FILENAME BUN_OPTIONS BUN_CONFIG_REGISTRY DENO_DIR DENO_CERT NVM_NODEJS_ORG_MIRROR",
  "ELECTRON_RUN_AS_NODE ELECTRON_MIRROR PLAYWRIGHT_DOWNLOAD_HOST PUPPETEER_DOWNLOAD_BASE_URL PUPPETEER_EXECUTABLE_PATH",
  "CYPRESS_INSTALL_BINARY JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS JAVA_HOME MAVEN_OPTS GRADLE_OPTS",
  "SBT_OPTS CLASSPATH KOTLIN_HOME SCALA_HOME CATALINA_OPTS JRUBY_OPTS GROOVY_OPTS ANT_OPTS LEIN_JVM_OPTS",
  "CARGO_HOME CARGO_BUILD_RUSTC CARGO_HTTP_PROXY CARGO_REGISTRIES_X_INDEX RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER",
  "RUSTFLAGS RUSTDOCFLAGS RUSTUP_DIST_SERVER RUSTUP_HOME GOFLAGS GOPROXY GOSUMDB GONOSUMDB GOINSECURE GOPRIVATE GOENV",
  "GOROOT GOTOOLCHAIN CGO_CFLAGS CGO_LDFLAGS CC CXX CPP LD AR CFLAGS CXXFLAGS LDFLAGS CMAKE_TOOLCHAIN_FILE MAKE",
  "MAKEFLAGS MFLAGS MAKEFILES MAKESHELL NINJA_STATUS LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_CPATH TCLLIBPATH R_PROFILE",
  "R_ENVIRON JULIA_LOAD_PATH ERL_AFLAGS ERL_FLAGS ELIXIR_ERL_OPTIONS GHCRTS OCAMLRUNPARAM PHPRC PHP_INI_SCAN_DIR",
  "COMPOSER_HOME DOTNET_STARTUP_HOOKS DOTNET_ROOT CORECLR_PROFILER CORECLR_PROFILER_PATH MSBUILDPRELOAD NUGET_PACKAGES",
  "HTTP_PROXY HTTPS_PROXY http_proxy https_proxy ALL_PROXY NO_PROXY no_proxy FTP_PROXY WS_PROXY WSS_PROXY PROXY_URL",
  "PROXY_HOST SOCKS_PROXY CURL_HOME CURL_CA_BUNDLE WGETRC SYSTEM_WGETRC SSLKEYLOGFILE SSL_CERT_FILE SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE AWS_CA_BUNDLE OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES NIX_SSL_CERT_FILE PERL_LWP_SSL_CA_FILE",
  "HTTPLIB2_CA_CERTS CODEX_CA_CERTIFICATE GRPC_DEFAULT_SSL_ROOTS_FILE_PATH KRB5_CONFIG LDAPCONF RES_OPTIONS HOSTALIASES",
  "AWS_PAGER AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3",
  "AWS_PROFILE GOOGLE_APPLICATION_CREDENTIALS CLOUDSDK_CONFIG AZURE_CONFIG_DIR",
  "DOCKER_HOST DOCKER_CONFIG DOCKER_CLI_PLUGIN_DIR BUILDKIT_HOST CONTAINER_HOST PODMAN_HOST KUBECONFIG KUBE_EDITOR",
  "HELM_PLUGINS TF_CLI_ARGS TF_CLI_CONFIG_FILE TF_PLUGIN_CACHE_DIR ANSIBLE_CONFIG ANSIBLE_VAULT_PASSWORD_FILE",
  "VAGRANT_SERVER_URL HOMEBREW_BOTTLE_DOMAIN HOMEBREW_API_DOMAIN NIX_PATH NIX_CONFIG OLLAMA_HOST OTEL_EXPORTER_ENDPOINT",
  "RESTIC_PASSWORD_COMMAND RESTIC_PASSWORD BORG_PASSCOMMAND BORG_RSH PGPASSFILE PGSERVICEFILE PGHOST MYSQL_HOME",
  "DATABASE_URL REDIS_URL MONGO_URL AMQP_URL CELERY_BROKER_URL SMTP_HOST DB_PASSWORD JWT_SECRET SESSION_SECRET SECRET_KEY",
  "CONFIG_SITE R_PROFILE_USER R_ENVIRON_USER R_LIBS_USER R_LIBS_SITE RENV_PROJECT JULIA_PROJECT PUB_HOSTED_URL JSR_URL",
  "FLUTTER_STORAGE_BASE_URL SCCACHE_ENDPOINT GCE_METADATA_HOST IDENTITY_ENDPOINT MSI_ENDPOINT GH_HOST GITHUB_SERVER_URL",
  "GITHUB_GRAPHQL_URL ANTHROPIC_BEDROCK_BASE_URL ANTHROPIC_VERTEX_BASE_URL ANTHROPIC_FOUNDRY_BASE_URL",
  "GOOGLE_VERTEX_BASE_URL",
  "DJANGO_SECRET_KEY NEXTAUTH_SECRET APP_KEY ENCRYPTION_KEY CREDSVC_MASTER_KEY CREDSVC_DAEMON_URL SENTRY_CDN_URL",
  "TOKEN SECRET KEY PASSWORD URL _KEY _TOKEN"
].flatMap((line) => line.split(" "))

const problems = (document: object) =>
  Result.match(
    readDefinition({
      name: "acme",
      auth_type: "api_key",
      flow: "api_key",
      api_url: "https://api.acme.dev",
      ...document
    }),
    { onFailure: (found) => found, onSuccess: () => [] }
  )

/**
 * Every way to specify the variable: by `export`, `env_var` or `base_urls`, or through the names of provider and field.
 */
const definitionsOf = (variable: string, name: string): ReadonlyArray<object> => [
  { name, export: { env: { api_key: variable } } },
  { name, export: { env: { api_key: ["ACME_API_KEY", variable] } } },
  { name, api_key: { env_var: variable } },
  {
    name,
    api_key: { fields: [{ name: "account", secret: false }, { name: "token" }] },
    export: { env: { account: variable, token: "ACME_TOKEN" } }
  },
  { name, export: { env: { api_url: variable } } },
  { name, export: { base_urls: { [variable]: "https://api.acme.dev/v1" } } },
  ...[...variable.matchAll(/_/g)].flatMap(({ index }) => {
    const [prefix, field] = [variable.slice(0, index).toLowerCase(), variable.slice(index + 1).toLowerCase()]
    return isProviderName(prefix) && /^[a-z]/.test(field)
      ? [
        { name: prefix, api_key: { fields: [{ name: field }] } },
        { name: prefix, api_key: { fields: [{ name: "token" }, { name: field, secret: false }] } }
      ]
      : []
  })
]

describe("variableProblem", () => {
  it("rejects variables that control programs, in every section of a definition and for every provider name", () => {
    for (const variable of steering) {
      for (const name of ["acme", variable.toLowerCase(), variable.split("_")[0]!.toLowerCase()]) {
        for (const document of isProviderName(name) ? definitionsOf(variable, name) : []) {
          assert.isNotEmpty(problems(document), JSON.stringify(document))
        }
      }
    }
  })

  it("rejects variables for commands, options and files, with any prefix", () => {
    const word = FastCheck.stringMatching(/^[A-Z][A-Z0-9]{0,7}$/)
    const last = FastCheck.constantFrom(
      ..."OPTIONS|OPTS|FLAGS|PRELOAD|COMMAND|PAGER|EDITOR|SHELL|WRAPPER|PATH|FILE|DIR|HOME|CONFIG|INIT|RC|PROXY|BUNDLE"
        .split("|")
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(word, { minLength: 1, maxLength: 3 }), last, (words, end) => {
        const variable = [...words, end].join("_")
        for (const kind of ["credential", "address"] as const) {
          assert.isDefined(variableProblem(kind, variable), `${kind} ${variable}`)
        }
      })
    )
  })

  it("accepts variables for credentials, identifiers and addresses by the form of their names, each in its own place", () => {
    const accepted = {
      credential: "ACME_API_KEY GH_TOKEN ACME_CLIENT_SECRET TWINE_PASSWORD AIRTABLE_PAT _1PASSWORD_API_KEY " +
        "NODE_AUTH_TOKEN ACME_ACCOUNT_ID JIRA_EMAIL CLICKSEND_USERNAME TWILIO_ACCOUNT_SID AWS_ACCESS_KEY_ID " +
        "AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN",
      address: "OPENAI_BASE_URL OPENAI_API_BASE HF_ENDPOINT SUPABASE_URL PINECONE_INDEX_HOST ACME_API_URL"
    }
    for (const [kind, variables] of Object.entries(accepted)) {
      for (const variable of variables.split(" ")) {
        assert.isUndefined(variableProblem(kind as keyof typeof accepted, variable), variable)
      }
    }
    assert.isDefined(variableProblem("credential", "ACME_BASE_URL"))
    assert.isDefined(variableProblem("address", "ACME_API_KEY"))
  })
})

describe("addressStem", () => {
  it("removes a suffix such as _BASE_URL from the name", () => {
    for (const variable of ["ACME_BASE_URL", "ACME_API_URL", "ACME_API_BASE_URL", "ACME_API_BASE", "ACME_URL"]) {
      assert.strictEqual(addressStem(variable), "ACME", variable)
    }
    assert.strictEqual(addressStem("MISTRAL_API_BASE_URL"), "MISTRAL")
  })
})

describe("isPlaceholderText", () => {
  it("accepts a word, and rejects text that a program may read as an option, a path or a command", () => {
    for (const text of ["credsvc-proxy-managed", "sk-ant-credsvc-proxy-managed", "1000000000:credsvc-proxy-managed"]) {
      assert.isTrue(isPlaceholderText(text), text)
    }
    const steered = [
      "-x",
      "--use-compress-program=a",
      "|x",
      "x y",
      "/tmp/x",
      "$(x)",
      "`x`",
      "x;y",
      "x=y",
      "\"x\"",
      "a@b"
    ]
    for (const text of steered) {
      assert.isFalse(isPlaceholderText(text), text)
      assert.deepStrictEqual(
        problems({ placeholder: `${text}credsvc-proxy-managed` }).map(({ path }) => path),
        ["/placeholder"],
        text
      )
    }
  })
})
