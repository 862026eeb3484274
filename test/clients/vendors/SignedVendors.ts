import { env, type VendorClient } from "./VendorClient.ts"

export const signedVendors: ReadonlyArray<VendorClient> = [
  {
    provider: "azure-app-configuration",
    packages: ["@azure/app-configuration"],
    baseUrl: "https://shop.azconfig.io",
    code: `import { AppConfigurationClient } from "@azure/app-configuration"
const parts = [${env("AZURE_APPCONFIG_ENDPOINT")}, ${env("AZURE_APP_CONFIGURATION_CREDENTIAL_ID")}, ${
      env("AZURE_APP_CONFIGURATION_SECRET")
    }]
const client = new AppConfigurationClient(\`Endpoint=\${parts[0]};Id=\${parts[1]};Secret=\${parts[2]}\`)
await client.setConfigurationSetting({ key: "a key/\u00fc", value: "\u00fc" })
await client.getConfigurationSetting({ key: "a b", label: "x&y" })`
  },
  {
    provider: "azure-communication-services",
    packages: ["@azure/communication-identity"],
    baseUrl: "https://shop.unitedstates.communication.azure.com",
    code: `import { CommunicationIdentityClient } from "@azure/communication-identity"
const parts = [${env("AZURE_COMMUNICATION_SERVICES_ENDPOINT")}, ${env("AZURE_COMMUNICATION_SERVICES_ACCESS_KEY")}]
await new CommunicationIdentityClient(\`endpoint=\${parts[0]};accesskey=\${parts[1]}\`).createUserAndToken(["chat"])`
  },
  { provider: "okx", packages: ["@okx_ai/okx-trade-cli"], argv: ["okx", "account", "balance"] },
  {
    provider: "bitvavo",
    packages: ["bitvavo"],
    code: `import bitvavo from "bitvavo"
const client = bitvavo().options({ APIKEY: ${env("BITVAVO_API_KEY")}, APISECRET: ${env("BITVAVO_API_SECRET")} })
await client.placeOrder("BTC-EUR", "buy", "limit", { amount: "1", price: "2000" })
await client.balance({ symbol: "BTC" })`
  }
]
