/** A Security Token Service of AWS that issues keys for a role. Shares no code with the requests. */
import type { ApiKeyProvider } from "../domain/definition/Provider.ts"
import { type ApiCredential, signatureObjections } from "./FakeProviderApi.ts"
import type { ProviderRequest, ProviderResponse } from "./ProviderMessage.ts"
import { type Entered, enteredFor } from "./SampleFields.ts"

const role = "arn:aws:iam::123456789012:role/Check"

const refusal = (status: number, code: string, message: string): ProviderResponse => ({
  status,
  headers: { "content-type": "text/xml" },
  body:
    `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code>` +
    `<Message>${message}</Message></Error></ErrorResponse>`
})

export class FakeTokenService {
  /** What a person enters. */
  readonly entered: Entered
  issued = 0
  readonly #user: Entered

  constructor(user: Entered) {
    this.#user = user
    this.entered = {
      role_arn: role,
      access_key_id: user["access_key_id"] ?? "",
      secret_access_key: user["secret_access_key"] ?? "",
      external_id: "check",
      duration: "900",
      region: "us-west-2"
    }
  }

  /** Undefined if a pattern of the definition is too complex for a sample. */
  static of(definition: ApiKeyProvider): FakeTokenService | string {
    const user = enteredFor(definition)
    return typeof user === "string" ? user : new FakeTokenService(user)
  }

  /** The keys that it has issued last. */
  get current(): Entered {
    const digits = String(this.issued).padStart(4, "0")
    return {
      access_key_id: `ASIACHECKCHECK${digits}`,
      secret_access_key: `${digits}CHECK/CHECK+CHECK/CHECK+CHECK/CHECK+CHEC`.slice(0, 40),
      session_token: `check-token-${digits}`
    }
  }

  readonly answer = (request: ProviderRequest): ProviderResponse => {
    const credential: ApiCredential = { values: this.#user, main: "secret_access_key" }
    const [objection] = signatureObjections(credential, request)
    const given = Object.fromEntries(new URLSearchParams(request.body))
    const expected: Entered = {
      Action: "AssumeRole",
      Version: "2011-06-15",
      RoleArn: role,
      RoleSessionName: "credsvc",
      DurationSeconds: "900",
      ExternalId: "check"
    }
    if (request.method !== "POST" || request.url.host !== "sts.us-west-2.amazonaws.com") {
      return refusal(404, "UnknownOperationException", "not a request for a role")
    }
    if (objection !== undefined) return refusal(403, "SignatureDoesNotMatch", objection)
    const wrong = Object.keys({ ...expected, ...given }).find((name) => given[name] !== expected[name])
    if (wrong !== undefined) return refusal(400, "ValidationError", `the parameter ${wrong} is wrong`)
    this.issued++
    const { access_key_id: id, secret_access_key: secret, session_token: token } = this.current
    const expiration = new Date(Date.now() + 900_000).toISOString()
    return {
      status: 200,
      headers: { "content-type": "text/xml" },
      body:
        `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><AssumedRoleUser>` +
        `<AssumedRoleId>AROACHECK:credsvc</AssumedRoleId><Arn>${role}/credsvc</Arn></AssumedRoleUser><Credentials>` +
        `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>` +
        `<SessionToken>${token}</SessionToken><Expiration>${expiration}</Expiration></Credentials>` +
        `</AssumeRoleResult></AssumeRoleResponse>`
    }
  }
}
