import { env, type VendorClient } from "./VendorClient.ts"

export const paymentVendors: ReadonlyArray<VendorClient> = [
  {
    provider: "stripe",
    packages: ["stripe"],
    code: `import Stripe from "stripe"; await new Stripe(${
      env("STRIPE_SECRET_KEY")
    }, { maxNetworkRetries: 0 }).balance.retrieve()`
  },
  {
    provider: "square",
    packages: ["square"],
    code: `import { SquareClient } from "square"; await new SquareClient().locations.list()`
  },
  {
    provider: "paddle",
    packages: ["@paddle/paddle-node-sdk"],
    code: `import { Paddle } from "@paddle/paddle-node-sdk"; await new Paddle(${
      env("PADDLE_API_KEY")
    }).eventTypes.list()`
  },
  {
    provider: "mollie",
    packages: ["@mollie/api-client"],
    code: `import { createMollieClient } from "@mollie/api-client"
await createMollieClient({ apiKey: ${env("MOLLIE_API_KEY")} }).methods.list()`,
    fails: "trusts only its own list of certificates"
  },
  {
    provider: "polar",
    packages: ["@polar-sh/sdk"],
    code: `import { createPolar } from "@polar-sh/sdk/2026-04"
await createPolar({ accessToken: ${env("POLAR_ACCESS_TOKEN")} }).organizations.list({})`
  },
  {
    provider: "lemon-squeezy",
    packages: ["@lemonsqueezy/lemonsqueezy.js"],
    code: `import { lemonSqueezySetup, getAuthenticatedUser } from "@lemonsqueezy/lemonsqueezy.js"
lemonSqueezySetup({ apiKey: ${env("LEMONSQUEEZY_API_KEY")} ?? ${
      env("LEMON_SQUEEZY_API_KEY")
    } }); await getAuthenticatedUser()`
  },
  {
    provider: "dodo-payments",
    packages: ["dodopayments"],
    code: `import Dodo from "dodopayments"; await new Dodo().products.list()`
  },
  {
    provider: "mercado-pago",
    packages: ["mercadopago"],
    code: `import { MercadoPagoConfig, PaymentMethod } from "mercadopago"
await new PaymentMethod(new MercadoPagoConfig({ accessToken: ${env("MERCADO_PAGO_ACCESS_TOKEN")} })).get()`
  },
  {
    provider: "plaid",
    packages: ["plaid"],
    code: `import { Configuration, PlaidApi, PlaidEnvironments } from "plaid"
const headers = { "PLAID-CLIENT-ID": ${env("PLAID_CLIENT_ID")}, "PLAID-SECRET": ${env("PLAID_SECRET")} }
const configuration = new Configuration({ basePath: PlaidEnvironments.sandbox, baseOptions: { headers } })
await new PlaidApi(configuration).categoriesGet({})`
  },
  {
    provider: "razorpay",
    packages: ["razorpay"],
    code: `import Razorpay from "razorpay"
await new Razorpay({ key_id: ${env("RAZORPAY_KEY_ID")}, key_secret: ${env("RAZORPAY_KEY_SECRET")} }).orders.all()`
  },
  {
    provider: "gocardless",
    packages: ["gocardless-nodejs"],
    code: `import gocardless from "gocardless-nodejs"; const make = gocardless.default ?? gocardless
await make(${env("GOCARDLESS_ACCESS_TOKEN")}, "LIVE").creditors.list()`
  },
  {
    provider: "chargebee",
    packages: ["chargebee"],
    baseUrl: "https://acme.chargebee.com",
    code: `import Chargebee from "chargebee"; await new Chargebee({ site: "acme", apiKey: ${
      env("CHARGEBEE_API_KEY")
    } }).customer.list({})`
  },
  {
    provider: "duffel",
    packages: ["@duffel/api"],
    code: `import { Duffel } from "@duffel/api"; await new Duffel({ token: ${env("DUFFEL_ACCESS_TOKEN")} ?? ${
      env("DUFFEL_API_KEY")
    } }).airlines.list()`
  },
  {
    provider: "easypost",
    packages: ["@easypost/api"],
    code: `import EasyPostClient from "@easypost/api"; await new EasyPostClient(${
      env("EASYPOST_API_KEY")
    }).Parcel.retrieve("prcl_1")`
  },
  {
    provider: "shippo",
    packages: ["shippo"],
    code: `import { Shippo } from "shippo"; await new Shippo({ apiKeyHeader: "ShippoToken " + (${
      env("SHIPPO_API_KEY")
    } ?? ${env("SHIPPO_API_TOKEN")}) }).addresses.list()`
  },
  {
    provider: "lob",
    packages: ["@lob/lob-typescript-sdk"],
    code: `import * as sdk from "@lob/lob-typescript-sdk"; const { AddressesApi, Configuration } = sdk.default ?? sdk
await new AddressesApi(new Configuration({ username: ${env("LOB_API_KEY")} })).list()`
  },
  {
    provider: "shopify-token",
    packages: ["@shopify/admin-api-client"],
    baseUrl: "https://acme.myshopify.com",
    code: `import { createAdminApiClient } from "@shopify/admin-api-client"
const client = createAdminApiClient({ storeDomain: "acme.myshopify.com", apiVersion: "2026-07", accessToken: ${
      env("SHOPIFY_ACCESS_TOKEN")
    } })
await client.request("{ shop { name } }")`
  },
  {
    provider: "woocommerce",
    packages: ["@woocommerce/woocommerce-rest-api"],
    baseUrl: "https://shop.example.com",
    hosts: ["shop.example.com"],
    code: `import sdk from "@woocommerce/woocommerce-rest-api"; const Api = sdk.default ?? sdk
await new Api({ url: "https://shop.example.com", consumerKey: ${env("WOOCOMMERCE_CONSUMER_KEY")}, consumerSecret: ${
      env("WOOCOMMERCE_CONSUMER_SECRET")
    }, version: "wc/v3" }).get("orders")`
  },
  {
    provider: "finnhub",
    packages: ["finnhub"],
    code: `import * as sdk from "finnhub"; const finnhub = sdk.default ?? sdk
finnhub.ApiClient && finnhub.ApiClient.instance && (finnhub.ApiClient.instance.authentications.api_key.apiKey = ${
      env("FINNHUB_API_KEY")
    })
await new Promise((resolve) => new finnhub.DefaultApi(${env("FINNHUB_API_KEY")}).country(resolve))`
  },
  {
    provider: "mux",
    packages: ["@mux/mux-node"],
    code: `import Mux from "@mux/mux-node"; await new Mux().video.assets.list()`
  }
]
