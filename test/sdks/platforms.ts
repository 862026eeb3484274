/** APIs of platforms for developers. */
import { type Apis, basic, upload } from "./Api.ts"

const releases = [{ version: "served", projects: [], dateCreated: "2026-01-01T00:00:00Z" }]
const TWILIO = `AC${"0".repeat(32)}`

export const platforms: Apis = {
  "github-token": {
    // gh writes `token`, which GitHub accepts, too.
    key: "authorization: Bearer ghp_$",
    calls: {
      "GET api.github.com/user": { login: "served" },
      "POST uploads.github.com/repos/o/r/releases/1/assets": upload({ name: "served" }),
      "POST api.github.com/graphql": { data: { viewer: { login: "served" } } }
    },
    sdk: {
      "@octokit/rest": `const { rest } = new sdk.Octokit({ auth: env.GITHUB_TOKEN })
        say((await rest.users.getAuthenticated()).data.login)
        say((await rest.repos.uploadReleaseAsset({ owner: "o", repo: "r", release_id: 1, name: "f", data: fs.readFileSync(file, "utf8") })).data)`
    },
    cli: { gh: "gh api user; gh api graphql -f query='{ viewer { login } }'" }
  },
  npm: {
    key: "authorization: Bearer npm_$",
    calls: { "GET registry.npmjs.org/-/whoami": { username: "served" }, "PUT registry.npmjs.org/credsvc-fixture": {} },
    cli: {
      npm:
        `echo '//registry.npmjs.org/:_authToken=\${NPM_TOKEN}' >.npmrc; echo '{"name":"credsvc-fixture","version":"1.0.0"}' >package.json
        npm whoami; npm publish`
    }
  },
  sentry: {
    key: "authorization: Bearer sntryu_$",
    calls: {
      "GET sentry.io/api/0/projects/o/p/releases/": releases,
      "GET de.sentry.io/api/0/projects/o/p/releases/": releases
    },
    cli: {
      "@sentry/cli":
        "for at in '' de.; do SENTRY_URL=https://${at}sentry.io sentry-cli releases list --org o --project p --raw; done"
    }
  },
  stripe: {
    key: "authorization: Bearer sk_test_$",
    calls: {
      "GET api.stripe.com/v1/customers/c": { id: "served" },
      "POST files.stripe.com/v1/files": upload({ id: "served" })
    },
    sdk: {
      stripe: `const stripe = new sdk.default(env.STRIPE_SECRET_KEY)
        say((await stripe.customers.retrieve("c")).id)
        say((await stripe.files.create({ purpose: "dispute_evidence", file: { data: fs.readFileSync(file), name: "f" } })).id)`
    }
  },
  "slack-token": {
    key: "authorization: Bearer xoxb-$",
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
    sdk: {
      "@slack/web-api": `const client = new sdk.WebClient(env.SLACK_BOT_TOKEN, { retryConfig: { retries: 0 } })
        say((await client.auth.test()).user)
        await client.files.uploadV2({ file, filename: "f", channel_id: "C1" })`
    }
  },
  cloudflare: {
    key: "authorization: Bearer $",
    calls: {
      "GET api.cloudflare.com/client/v4/zones": { result: [{ id: "served" }] },
      "GET api.cloudflare.com/client/v4/accounts/a/storage/kv/namespaces": ({ query }) => ({
        success: true,
        result: (query.get("page") ?? "1") === "1" ? [{ id: "served", title: "t" }] : []
      }),
      "PUT api.cloudflare.com/client/v4/accounts/a/storage/kv/namespaces/n/values/k": upload({ success: true })
    },
    sdk: { cloudflare: `say((await new sdk.default().zones.list()).result)` },
    cli: {
      wrangler:
        "export CLOUDFLARE_ACCOUNT_ID=a WRANGLER_SEND_METRICS=false; wrangler kv namespace list; wrangler kv key put k --path file.txt --namespace-id n --remote"
    }
  },
  "supabase-management": {
    key: "authorization: Bearer sbp_$",
    calls: { "GET api.supabase.com/v1/projects": [{ id: "p", name: "served" }] },
    cli: { supabase: "supabase projects list --output json" }
  },
  supabase: {
    base: "https://project.supabase.co",
    key: "apikey: sb_secret_$",
    calls: {
      "GET project.supabase.co/rest/v1/rows": [{ id: "served" }],
      "POST project.supabase.co/storage/v1/object/bucket/file.txt": upload({ Id: "served", Key: "bucket/file.txt" }),
      "GET project.supabase.co/auth/v1/admin/users": { users: [{ id: "served" }] }
    },
    sdk: {
      "@supabase/supabase-js": `const client = sdk.createClient(env.SUPABASE_URL, env.SUPABASE_SECRET_KEY)
        const answers = [await client.from("rows").select(), await client.auth.admin.listUsers(),
          await client.storage.from("bucket").upload("file.txt", await fs.openAsBlob(file))]
        for (const { data, error } of answers) if (error) throw error; else say(data)`
    }
  },
  twilio: {
    login: { account_sid: TWILIO, auth_token: "$" },
    key: basic(TWILIO, "$"),
    calls: {
      [`POST api.twilio.com/2010-04-01/Accounts/${TWILIO}/Messages.json`]: { sid: "served" },
      [`GET api.twilio.com/2010-04-01/Accounts/${TWILIO}/Messages.json`]: { messages: [{ sid: "served" }] },
      "GET api.dublin.ie1.twilio.com/2010-04-01/Accounts.json": { accounts: [{ sid: "served" }] }
    },
    sdk: {
      twilio: `say((await sdk.default().messages.create({ to: "+1", from: "+2", body: "hi" })).sid)
        const dublin = sdk.default(undefined, undefined, { region: "ie1", edge: "dublin" })
        say((await dublin.api.v2010.accounts.list())[0].sid)`
    },
    cli: { "twilio-cli": "twilio api:core:messages:list -o json" }
  }
}
