import { env, type VendorClient } from "./VendorClient.ts"

export const messageVendors: ReadonlyArray<VendorClient> = [
  {
    provider: "slack-token",
    packages: ["@slack/web-api"],
    code: `import { WebClient } from "@slack/web-api"
await new WebClient(${env("SLACK_BOT_TOKEN")}, { retryConfig: { retries: 0 } }).auth.test()`
  },
  {
    provider: "discord-bot",
    packages: ["discord.js"],
    code: `import { REST, Routes } from "discord.js"
await new REST().setToken(${env("DISCORD_TOKEN")} ?? ${env("DISCORD_BOT_TOKEN")}).get(Routes.user("@me"))`
  },
  {
    provider: "telegram",
    packages: ["telegraf"],
    code: `import { Telegraf } from "telegraf"; await new Telegraf(${env("TELEGRAM_BOT_TOKEN")}).telegram.getMe()`
  },
  {
    provider: "twilio",
    packages: ["twilio"],
    code: `import twilio from "twilio"; await twilio().api.v2010.accounts.list({ limit: 1 })`
  },
  {
    provider: "sendgrid",
    packages: ["@sendgrid/client"],
    code: `import client from "@sendgrid/client"; client.setApiKey(${env("SENDGRID_API_KEY")})
await client.request({ method: "GET", url: "/v3/scopes" })`
  },
  {
    provider: "resend",
    packages: ["resend"],
    code: `import { Resend } from "resend"; await new Resend().domains.list()`
  },
  {
    provider: "postmark",
    packages: ["postmark"],
    code: `import { ServerClient } from "postmark"; await new ServerClient(${env("POSTMARK_SERVER_TOKEN")}).getServer()`
  },
  {
    provider: "mailgun",
    packages: ["mailgun.js"],
    code: `import Mailgun from "mailgun.js"
await new Mailgun(FormData).client({ username: "api", key: ${env("MAILGUN_API_KEY")} }).domains.list()`
  },
  {
    provider: "line",
    packages: ["@line/bot-sdk"],
    code: `import * as line from "@line/bot-sdk"
await new line.messagingApi.MessagingApiClient({ channelAccessToken: ${
      env("LINE_CHANNEL_ACCESS_TOKEN")
    } }).getBotInfo()`
  },
  {
    provider: "plivo",
    packages: ["plivo"],
    code: `import plivo from "plivo"; await new plivo.Client().accounts.get()`
  },
  {
    provider: "telnyx",
    packages: ["telnyx"],
    code: `import Telnyx from "telnyx"; await new Telnyx().balance.retrieve()`
  },
  {
    provider: "messagebird",
    packages: ["messagebird"],
    code: `import { initClient } from "messagebird"
await new Promise((resolve) => initClient(${env("MESSAGEBIRD_API_KEY")}).balance.read(resolve))`
  },
  {
    provider: "brevo",
    packages: ["@getbrevo/brevo"],
    code: `import { BrevoClient } from "@getbrevo/brevo"; await new BrevoClient({ apiKey: ${
      env("BREVO_API_KEY")
    } }).account.getAccount()`
  },
  {
    provider: "mailersend",
    packages: ["mailersend"],
    code: `import { MailerSend } from "mailersend"; await new MailerSend({ apiKey: ${
      env("MAILERSEND_API_KEY")
    } }).email.domain.list()`
  },
  {
    provider: "mailjet",
    packages: ["node-mailjet"],
    code: `import Mailjet from "node-mailjet"; await Mailjet.apiConnect(${env("MJ_APIKEY_PUBLIC")}, ${
      env("MJ_APIKEY_PRIVATE")
    }).get("contact").request()`
  },
  {
    provider: "mailchimp",
    packages: ["@mailchimp/mailchimp_marketing"],
    baseUrl: "https://us21.api.mailchimp.com",
    code: `import client from "@mailchimp/mailchimp_marketing"
client.setConfig({ apiKey: ${env("MAILCHIMP_API_KEY")}, server: "us21" }); await client.ping.get()`
  },
  {
    provider: "sparkpost",
    packages: ["sparkpost"],
    code: `import SparkPost from "sparkpost"; await new SparkPost().templates.list()`
  },
  {
    provider: "loops",
    packages: ["loops"],
    code: `import { LoopsClient } from "loops"; await new LoopsClient(${env("LOOPS_API_KEY")}).testApiKey()`
  },
  {
    provider: "customer-io-track",
    packages: ["customerio-node"],
    code: `import { TrackClient } from "customerio-node"
await new TrackClient(${env("CUSTOMERIO_SITE_ID")}, ${env("CUSTOMERIO_API_KEY")}).identify("1", { plan: "x" })`
  },
  {
    provider: "crisp",
    packages: ["crisp-api"],
    code: `import { Crisp } from "crisp-api"
const client = new Crisp(); client.authenticateTier("plugin", ${env("CRISP_TOKEN_ID")} ?? ${env("CRISP_IDENTIFIER")}, ${
      env("CRISP_TOKEN_KEY")
    } ?? ${env("CRISP_KEY")})
await client.website.getWebsite("8c842203-7ed8-4e29-a608-7cf78a7d2fcc")`
  },
  {
    provider: "mattermost",
    packages: ["@mattermost/client"],
    baseUrl: "https://chat.example.com",
    hosts: ["chat.example.com"],
    code: `import sdk from "@mattermost/client"
const client = new sdk.Client4(); client.setUrl("https://chat.example.com"); client.setToken(${
      env("MATTERMOST_TOKEN")
    }); await client.getMe()`
  },
  {
    provider: "x-app-only",
    packages: ["twitter-api-v2"],
    code: `import { TwitterApi } from "twitter-api-v2"; await new TwitterApi(${
      env("X_BEARER_TOKEN")
    }).v2.userByUsername("x")`
  },
  {
    provider: "facebook-system-user",
    packages: ["facebook-nodejs-business-sdk"],
    code: `import sdk from "facebook-nodejs-business-sdk"
sdk.FacebookAdsApi.init(${env("FACEBOOK_ACCESS_TOKEN")}); await new sdk.User("me").get(["id"])`
  },
  {
    provider: "plain",
    packages: ["@team-plain/typescript-sdk"],
    code: `import { PlainClient } from "@team-plain/typescript-sdk"; await new PlainClient({ apiKey: ${
      env("PLAIN_API_KEY")
    } }).getMyWorkspace()`
  }
]
