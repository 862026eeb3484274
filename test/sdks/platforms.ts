/** APIs of platforms for developers. */
import { type Api, basic, cli, sdk, upload } from "./Api.ts"

const releases = [{ version: "served", projects: [], dateCreated: "2026-01-01T00:00:00Z" }]
const TWILIO = `AC${"0".repeat(32)}`

export const platforms: ReadonlyArray<Api> = [
  {
    provider: "github-token",
    downloads: 54.5,
    login: "ghp_$",
    // gh writes `token`, which GitHub accepts, too.
    arrives: "authorization: Bearer ghp_$",
    calls: {
      "GET api.github.com/user": { login: "served" },
      "POST uploads.github.com/repos/o/r/releases/1/assets": upload({ name: "served" }),
      "POST api.github.com/graphql": { data: { viewer: { login: "served" } } }
    },
    programs: [
      sdk(
        "@octokit/rest",
        `const { Octokit } = await import("@octokit/rest")
        const { readFileSync } = await import("node:fs")
        const { rest } = new Octokit({ auth: env.GITHUB_TOKEN })
        say((await rest.users.getAuthenticated()).data.login)
        say((await rest.repos.uploadReleaseAsset({ owner: "o", repo: "r", release_id: 1, name: "f", data: readFileSync(file, "utf8") })).data)`
      ),
      cli("gh", "gh api user; gh api graphql -f query='{ viewer { login } }'")
    ]
  },
  {
    provider: "npm",
    downloads: 45.7,
    login: "npm_$",
    arrives: "authorization: Bearer npm_$",
    calls: {
      "GET registry.npmjs.org/-/whoami": { username: "served" },
      "PUT registry.npmjs.org/credsvc-fixture": {}
    },
    programs: [
      cli(
        "npm",
        `echo '//registry.npmjs.org/:_authToken=\${NPM_TOKEN}' >.npmrc; echo '{"name":"credsvc-fixture","version":"1.0.0"}' >package.json
        npm whoami; npm publish`
      )
    ]
  },
  {
    provider: "sentry",
    downloads: 43.1,
    login: "sntryu_$",
    arrives: "authorization: Bearer sntryu_$",
    calls: {
      "GET sentry.io/api/0/projects/o/p/releases/": releases,
      "GET de.sentry.io/api/0/projects/o/p/releases/": releases
    },
    programs: [
      cli(
        "@sentry/cli",
        "for at in '' de.; do SENTRY_URL=https://${at}sentry.io sentry-cli releases list --org o --project p --raw; done"
      )
    ]
  },
  {
    provider: "stripe",
    downloads: 27.9,
    login: "sk_test_$",
    arrives: "authorization: Bearer sk_test_$",
    calls: {
      "GET api.stripe.com/v1/customers/c": { id: "served" },
      "POST files.stripe.com/v1/files": upload({ id: "served" })
    },
    programs: [
      sdk(
        "stripe",
        `const { default: Stripe } = await import("stripe")
        const { readFileSync } = await import("node:fs")
        const stripe = new Stripe(env.STRIPE_SECRET_KEY)
        say((await stripe.customers.retrieve("c")).id)
        say((await stripe.files.create({ purpose: "dispute_evidence", file: { data: readFileSync(file), name: "f" } })).id)`
      )
    ]
  },
  {
    provider: "slack-token",
    downloads: 26.8,
    login: "xoxb-$",
    arrives: "authorization: Bearer xoxb-$",
    calls: {
      "POST slack.com/api/auth.test": { ok: true, user: "served" },
      "POST slack.com/api/files.getUploadURLExternal": {
        ok: true,
        upload_url: "https://files.slack.com/upload/v1/x",
        file_id: "F1"
      },
      "POST files.slack.com/upload/v1/x": upload("OK"),
      "POST slack.com/api/files.completeUploadExternal": { ok: true, files: [{ id: "F1" }] }
    },
    programs: [
      sdk(
        "@slack/web-api",
        `const { WebClient } = await import("@slack/web-api")
        const client = new WebClient(env.SLACK_BOT_TOKEN, { retryConfig: { retries: 0 } })
        say((await client.auth.test()).user)
        await client.files.uploadV2({ file, filename: "f", channel_id: "C1" })`
      )
    ]
  },
  {
    provider: "cloudflare",
    downloads: 17.5,
    login: "$",
    arrives: "authorization: Bearer $",
    calls: {
      "GET api.cloudflare.com/client/v4/zones": {
        success: true,
        result: [{ id: "served" }],
        result_info: { page: 1, count: 1, total_count: 1 }
      },
      "GET api.cloudflare.com/client/v4/accounts/a/storage/kv/namespaces": ({ query }) => ({
        success: true,
        result: (query.get("page") ?? "1") === "1" ? [{ id: "served", title: "t" }] : []
      }),
      "PUT api.cloudflare.com/client/v4/accounts/a/storage/kv/namespaces/n/values/k": upload({
        success: true,
        result: null
      })
    },
    programs: [
      sdk(
        "cloudflare",
        `const { default: Cloudflare } = await import("cloudflare"); say((await new Cloudflare().zones.list()).result)`
      ),
      cli(
        "wrangler",
        "wrangler kv namespace list; wrangler kv key put k --path file.txt --namespace-id n --remote",
        { env: { CLOUDFLARE_ACCOUNT_ID: "a", WRANGLER_SEND_METRICS: "false" } }
      )
    ]
  },
  {
    provider: "supabase-management",
    downloads: 3.7,
    login: "sbp_$",
    arrives: "authorization: Bearer sbp_$",
    calls: {
      "GET api.supabase.com/v1/projects": [{
        id: "p",
        ref: "p",
        organization_id: "o",
        name: "served",
        region: "eu-west-1",
        created_at: "2026-01-01T00:00:00Z",
        status: "ACTIVE_HEALTHY"
      }]
    },
    programs: [cli("supabase", "supabase projects list --output json")]
  },
  {
    provider: "supabase",
    downloads: 53.6,
    login: "sb_secret_$",
    base: "https://project.supabase.co",
    arrives: "apikey: sb_secret_$",
    calls: {
      "GET project.supabase.co/rest/v1/rows": [{ id: "served" }],
      "POST project.supabase.co/storage/v1/object/bucket/file.txt": upload({ Id: "served", Key: "bucket/file.txt" }),
      "GET project.supabase.co/auth/v1/admin/users": { users: [{ id: "served" }] }
    },
    programs: [
      sdk(
        "@supabase/supabase-js",
        `const { createClient } = await import("@supabase/supabase-js")
        const { openAsBlob } = await import("node:fs")
        const client = createClient(env.SUPABASE_URL, env.SUPABASE_SECRET_KEY)
        const answers = [await client.from("rows").select(), await client.auth.admin.listUsers(),
          await client.storage.from("bucket").upload("file.txt", await openAsBlob(file))]
        for (const { data, error } of answers) if (error) throw error; else say(data)`
      )
    ]
  },
  {
    provider: "twilio",
    downloads: 12.6,
    login: { account_sid: TWILIO, auth_token: "$" },
    arrives: basic(TWILIO, "$"),
    calls: {
      [`POST api.twilio.com/2010-04-01/Accounts/${TWILIO}/Messages.json`]: { sid: "served" },
      "GET api.dublin.ie1.twilio.com/2010-04-01/Accounts.json": { accounts: [{ sid: "served" }] }
    },
    programs: [
      sdk(
        "twilio",
        `const { default: twilio } = await import("twilio")
        say((await twilio().messages.create({ to: "+1", from: "+2", body: "hi" })).sid)
        const dublin = twilio(undefined, undefined, { region: "ie1", edge: "dublin" })
        say((await dublin.api.v2010.accounts.list())[0].sid)`
      )
    ]
  }
]
