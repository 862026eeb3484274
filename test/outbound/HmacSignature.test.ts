import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { parseDefinition } from "../../src/domain/definition/DefinitionReader.ts"
import { placements } from "../../src/domain/injection/Placement.ts"
import { hmacCredential, signWithHmac } from "../../src/outbound/HmacSignature.ts"

const bundled = (name: string) =>
  Result.getOrThrow(
    parseDefinition(fs.readFileSync(new URL(`../../providers/${name}.json`, import.meta.url), "utf8"))
  )

const NOW = Date.parse("2026-11-23T05:20:00.000Z")
const KEY = "YSBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcyAuLi4="

interface Vector {
  readonly provider: string
  readonly values: Readonly<Record<string, string>>
  readonly request: readonly [method: string, url: string, body?: string]
  readonly now?: number
  readonly headers: Readonly<Record<string, string>>
}

/** What the clients of the vendors send for these requests at these times. */
const vectors: ReadonlyArray<Vector> = [
  // npm:@azure/app-configuration@1.13.0
  {
    provider: "azure-app-configuration",
    values: { credential_id: "1-l0-s0:abc", secret: KEY },
    request: ["PUT", "https://shop.azconfig.io/kv/a%20key?api-version=2026-04-01", "{\"value\":\"ü\"}"],
    headers: {
      "x-ms-date": "Mon, 23 Nov 2026 05:20:00 GMT",
      "x-ms-content-sha256": "sRDkSd692I4YkGBOI11lncVpRRvIhdPA3Nmi7mzn1Nk=",
      Authorization: "HMAC-SHA256 Credential=1-l0-s0:abc&SignedHeaders=x-ms-date;host;x-ms-content-sha256" +
        "&Signature=8Yf+yNEDnICCT7yfOy6uSRVe9bmMIxefhQpgHCOTnEk="
    }
  },
  // npm:@azure/communication-identity@1.3.1
  {
    provider: "azure-communication-services",
    values: { access_key: KEY },
    request: [
      "POST",
      "https://shop.unitedstates.communication.azure.com/identities?api-version=2023-10-01",
      "{\"createTokenWithScopes\":[\"chat\"]}"
    ],
    headers: {
      "x-ms-date": "Mon, 23 Nov 2026 05:20:00 GMT",
      "x-ms-content-sha256": "WTRvgEjjVd+bvyKw3WgXgDkU81aV8FWq+4/BE+he0+A=",
      Authorization: "HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256" +
        "&Signature=TdQVhoKp2ReHUrNxuel0WTZV153Vlp/kPJqrpbOF9a4="
    }
  },
  // npm:@okx_ai/okx-trade-cli@1.2.4
  {
    provider: "okx",
    values: { api_key: "k", secret_key: "22582BD0CFF14C41EDBF1AB98506286D", passphrase: "p" },
    request: ["GET", "https://www.okx.com/api/v5/account/balance?ccy=BTC"],
    now: Date.parse("2026-11-23T05:34:18.055Z"),
    headers: {
      "OK-ACCESS-KEY": "k",
      "OK-ACCESS-PASSPHRASE": "p",
      "OK-ACCESS-SIGN": "lZPZf3+bUsIwlW2La9oFJ+rfr2VZN4KXYHJCN/kuo8A=",
      "OK-ACCESS-TIMESTAMP": "2026-11-23T05:34:18.055Z"
    }
  },
  // npm:coinbase-pro@0.9.0
  {
    provider: "coinbase-exchange",
    values: { access_key: "k", secret_key: KEY, passphrase: "p" },
    request: ["POST", "https://api.exchange.coinbase.com/orders?x=1", "{\"size\":\"0.01\"}"],
    headers: {
      "CB-ACCESS-KEY": "k",
      "CB-ACCESS-PASSPHRASE": "p",
      "CB-ACCESS-SIGN": "Ub5DWCMENF36JewNLDVd+0Q4iPOSdaOSPiOJ1RYMuk8=",
      "CB-ACCESS-TIMESTAMP": "1795411200"
    }
  },
  // The example of docs.bitvavo.com, and npm:bitvavo@1.4.1
  {
    provider: "bitvavo",
    values: { api_key: "k", api_secret: "bitvavo" },
    request: [
      "POST",
      "https://api.bitvavo.com/v2/order",
      "{\"market\":\"BTC-EUR\",\"side\":\"buy\",\"price\":\"5000\",\"amount\":\"1.23\",\"orderType\":\"limit\"}"
    ],
    now: 1_548_172_481_125,
    headers: {
      "Bitvavo-Access-Key": "k",
      "Bitvavo-Access-Signature": "44d022723a20973a18f7ee97398b9fdd405d2d019c8d39e24b8cc0dcb39ca016",
      "Bitvavo-Access-Timestamp": "1548172481125"
    }
  },
  // The steps of github.com/SumSubstance/AppTokenUsageExamples
  {
    provider: "sumsub",
    values: { app_token: "sbx:t", secret_key: "Hej2ch71kG2kTd1iIUDZFNsO5C1lh5Gq" },
    request: [
      "POST",
      "https://api.sumsub.com/resources/applicants?levelName=basic-kyc-level",
      "{\"externalUserId\":\"1\"}"
    ],
    headers: {
      "X-App-Token": "sbx:t",
      "X-App-Access-Sig": "ae26c4bb43014d28392b1e9afb085d404ab83fd1dfc074d4ae4d48ff39a2ae1d",
      "X-App-Access-Ts": "1795411200"
    }
  }
]

describe("signWithHmac", () => {
  for (const { headers, now = NOW, provider, request: [method, address, body = ""], values } of vectors) {
    it(`signs requests to ${provider} as the vendor's client does`, () => {
      const secrets = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))
      const { headers: placed, hmac, strip } = Result.getOrThrow(placements(bundled(provider), secrets))
      const url = new URL(address)
      const signed = signWithHmac(
        { method, path: `${url.pathname}${url.search}`, headers: ["Host", url.host] },
        hmacCredential(hmac!),
        Buffer.from(body),
        now
      )
      assert.deepStrictEqual(
        {
          ...Object.fromEntries(Object.entries(placed).map(([name, value]) => [name, Redacted.value(value)])),
          ...Object.fromEntries(signed.slice(2).flatMap((name, at, all) => at % 2 === 0 ? [[name, all[at + 1]]] : []))
        },
        headers
      )
      assert.sameMembers([...strip.headers], Object.keys(headers).map((name) => name.toLowerCase()))
    })
  }
})
