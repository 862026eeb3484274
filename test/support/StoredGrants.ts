/** Definitions of the provider `acme` with the flows that store credentials, and what a person enters for them. */
import * as Effect from "effect/Effect"
import { builtins } from "../../src/platform/builtins.ts"
import { oauthDocument } from "./Acme.ts"
import type { Sent } from "./FakeOAuthHttp.ts"

export const tokenUrl = "https://login.acme.example/token"

const generated = builtins.crypto.generateKeyPairSync("rsa", { modulusLength: 2048 })
export const privateKey = generated.privateKey.export({ format: "pem", type: "pkcs8" }).toString()
export const { publicKey } = generated

/** A part of the private key, to search for it. */
export const keyCanary = privateKey.split("\n")[5]!

type Section = Readonly<Record<string, unknown>>

const documentOf = (flow: string, section: Section, oauth: Section) =>
  oauthDocument({
    display_name: "Acme",
    flow,
    oauth: { authorization_url: null, revocation_url: null, [flow]: section, ...oauth }
  })

export const byClient = (section: Section = {}, oauth: Section = {}) => documentOf("client_credentials", section, oauth)

export const byAssertion = (section: Section = {}, oauth: Section = {}) =>
  documentOf("jwt_bearer", {
    fields: [{ name: "client_id", secret: false }],
    claims: { iss: "{client_id}", aud: "{token_url}" },
    ...section
  }, oauth)

export const byKeyFile = (section: Section = {}) =>
  byAssertion({
    fields: [
      {
        name: "key_file",
        kind: "key_file",
        members: { client_email: "/client_email", private_key: "/private_key" },
        expected: { "/type": "service_account", "/token_uri": [tokenUrl, "https://login.acme.example/old"] }
      },
      { name: "subject", secret: false, required: false }
    ],
    claims: { iss: "{client_email}", sub: "{subject}", aud: "{token_url}", scope: "{scope}" },
    scopes: ["read"],
    ...section
  })

export const keyFile = (changes: object = {}) =>
  JSON.stringify({
    type: "service_account",
    client_email: "robot@acme.example",
    private_key: privateKey,
    token_uri: tokenUrl,
    ...changes
  })

export const byRequest = (section: Section = {}, oauth: Section = {}) =>
  documentOf("token_request", {
    url: "https://login.acme.example/sessions/{account}",
    fields: [{ name: "account", secret: false }, { name: "user", secret: false }, { name: "password" }],
    body: { user: "{user}", password: "{password}" },
    ...section
  }, { token_url: null, token_response: { access_token: "/data/token", expires_in: "/data/expires_at" }, ...oauth })

/** The parts of an assertion, which must have a valid signature. */
export const assertionOf = (sent: Sent): Effect.Effect<{ readonly head: any; readonly claims: any }> =>
  Effect.sync(() => {
    const text = /[\w-]+\.[\w-]+\.[\w-]{40,}/.exec(`${sent.authorization ?? ""} ${sent.body}`)?.[0] ?? ""
    const [head = "", claims = "", signature = ""] = text.split(".")
    const data = Buffer.from(`${head}.${claims}`)
    if (!builtins.crypto.verify("sha256", data, publicKey, Buffer.from(signature, "base64url"))) {
      throw new Error("the signature of the assertion is not valid")
    }
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString())
    return { head: read(head), claims: read(claims) }
  })
