import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { allowsScope, scopeOf } from "../../../src/domain/definition/AwsSigV4.ts"
import { parseDefinition, readDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import { hostFor } from "../../../src/domain/definition/ProviderHosts.ts"
import { binding } from "../../../src/domain/injection/CredentialBinding.ts"
import { placementAt } from "../../../src/domain/injection/Placement.ts"

const aws = Result.getOrThrow(
  parseDefinition(fs.readFileSync(new URL("../../../providers/aws.json", import.meta.url), "utf8"))
)

const entryOf = (host: string) => hostFor(aws, null, { host, port: 443 })?.entry

const allows = (host: string, scope: string): boolean => {
  const entry = entryOf(host)
  const [region = "", service = ""] = scope.split("/")
  return entry !== undefined && allowsScope(placementAt(aws, entry).awsSigv4!, entry, host, { region, service })
}

describe("the AWS definition", () => {
  it("allows the scope of each form of host", () => {
    const cases = [
      ["sts.amazonaws.com", "us-east-1/sts"],
      ["iam.amazonaws.com", "us-east-1/iam"],
      ["sts.eu-west-1.amazonaws.com", "eu-west-1/sts"],
      ["sts-fips.us-east-1.amazonaws.com", "us-east-1/sts"],
      ["dynamodb.us-gov-west-1.amazonaws.com", "us-gov-west-1/dynamodb"],
      ["ec2.cn-north-1.amazonaws.com.cn", "cn-north-1/ec2"],
      ["lambda.us-east-1.api.aws", "us-east-1/lambda"],
      ["bedrock-runtime.us-west-2.amazonaws.com", "us-west-2/bedrock"],
      ["email.eu-central-1.amazonaws.com", "eu-central-1/ses"],
      ["api.ecr.us-east-1.amazonaws.com", "us-east-1/ecr"],
      ["runtime.sagemaker.us-east-1.amazonaws.com", "us-east-1/sagemaker"],
      ["streams.dynamodb.us-east-1.amazonaws.com", "us-east-1/dynamodb"],
      ["abc123.execute-api.us-east-1.amazonaws.com", "us-east-1/execute-api"],
      ["s3.us-east-2.amazonaws.com", "us-east-2/s3"],
      ["bucket.s3.us-east-2.amazonaws.com", "us-east-2/s3"],
      ["bucket.s3.dualstack.us-east-2.amazonaws.com", "us-east-2/s3"],
      ["bucket.s3.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1/s3"],
      ["bucket.s3.amazonaws.com", "us-east-2/s3"],
      ["s3.amazonaws.com", "eu-west-3/s3"],
      ["bucket.s3-accelerate.amazonaws.com", "us-east-2/s3"],
      ["123456789012.s3-control.us-east-1.amazonaws.com", "us-east-1/s3"]
    ] as const
    for (const [host, scope] of cases) assert.isTrue(allows(host, scope), `${host} ${scope}`)
  })

  it("allows no scope of another service, region or host", () => {
    const rows = [
      ["sts.amazonaws.com", "us-east-1/iam"],
      ["sts.amazonaws.com", "eu-west-1/sts"],
      ["sts.eu-west-1.amazonaws.com", "us-east-1/sts"],
      ["bedrock-runtime.us-west-2.amazonaws.com", "us-west-2/bedrock-runtime"],
      ["bucket.s3.us-east-2.amazonaws.com", "us-east-1/s3"],
      ["bucket.s3.us-east-2.amazonaws.com", "us-east-2/iam"],
      ["iam.s3.amazonaws.com", "us-east-1/iam"],
      ["abc123.execute-api.us-east-1.amazonaws.com", "us-east-1/lambda"],
      ["bucket.s3.amazonaws.com", "us-east-1/sts"],
      ["s3.amazonaws.com.evil.example", "us-east-1/s3"],
      ["evil.example", "us-east-1/s3"]
    ] as const
    for (const [host, scope] of rows) assert.isFalse(allows(host, scope), `${host} ${scope}`)
  })

  it("determines the scope of requests without a scope by their host, unless the host allows any region", () => {
    const scope = (host: string) => scopeOf(placementAt(aws, entryOf(host)).awsSigv4!, entryOf(host)!, host)
    assert.deepStrictEqual(scope("sts.us-east-1.amazonaws.com"), { region: "us-east-1", service: "sts" })
    assert.deepStrictEqual(scope("bedrock.eu-west-1.amazonaws.com"), { region: "eu-west-1", service: "bedrock" })
    assert.isUndefined(scope("s3.amazonaws.com"))
  })

  it("does not include hosts of customers' machines", () => {
    const allHosts = [
      "amazonaws.com",
      "ec2-203-0-113-25.us-west-2.compute.amazonaws.com",
      "balancer-1.us-east-1.elb.amazonaws.com",
      "database.abc.us-east-1.rds.amazonaws.com",
      "123456789012.dkr.ecr.us-east-1.amazonaws.com"
    ]
    for (const host of allHosts) assert.isUndefined(entryOf(host), host)
  })
})

const fields = [{ name: "access_key_id", secret: false }, { name: "secret_access_key" }, {
  name: "session_token",
  required: false
}]
const document = (more: object, apiKey: object = {}) => ({
  name: "store",
  auth_type: "api_key",
  flow: "api_key",
  hosts: ["{service}.{region}.store.example"],
  api_key: { aws_sigv4: {}, fields, ...apiKey },
  ...more
})
const roles = { flows: ["api_key", "assume_role"] }
const bothHosts = ["{service}.{region}.store.example", "{service}.{region}.other.example"]
const problems = (more: object, apiKey?: object): ReadonlyArray<string> =>
  Result.match(readDefinition(document(more, apiKey)), {
    onFailure: (found) => found.map(({ message, path }) => `${path} ${message}`),
    onSuccess: () => []
  })

describe("a definition with aws_sigv4", () => {
  it("is valid for a store that is compatible with S3", () => {
    assert.deepStrictEqual(
      problems(
        { api_url: "{base_url}", hosts: ["{base_url}"] },
        {
          base_url: "https://{account}.store.example",
          aws_sigv4: { scopes: { "{base_url}": ["auto/s3", "us-east-1/s3"] } }
        }
      ),
      []
    )
  })

  it("is rejected if it lacks a scope for a host or a key pair, or sends the secret", () => {
    const cases = [
      [{ hosts: ["s3.store.example"] }, {}, /^\/hosts\/0 needs a region/],
      [{ hosts: ["*.{region}.store.example"] }, {}, /^\/hosts\/0 needs a service/],
      [{ hosts: ["{region}.{region}.store.example"] }, {}, /contains \{region\} twice/],
      [{}, { aws_sigv4: { scopes: { "other.example": "us-east-1/s3" } } }, /must be an entry of "hosts"/],
      [{}, { aws_sigv4: { signing_names: { "a b": "s3" } } }, /must name services/],
      [{}, { fields: [{ name: "api_key" }] }, /must contain access_key_id/],
      [{}, { fields: [fields[0], { name: "secret_access_key", secret: false }, { name: "x" }] }, /as secret/],
      [
        {},
        { fields: [fields[0], { name: "secret_access_key", required: false }] },
        /must not make secret_access_key/
      ],
      [{}, { headers: { "X-Key": "{secret_access_key}" } }, /must not send \{secret_access_key\}/],
      [{ extra_headers: { "X-Key": "{secret_access_key}" } }, {}, /must not send/],
      [{}, { header_name: "X-Key" }, /only one of/],
      [{ flows: ["api_key", "assume_role"] }, {}, /assume_role and the flow "assume_role" require each other/],
      [{}, { aws_sigv4: { assume_role: { aws: "sts.{region}.store.example" } } }, /require each other/],
      [
        roles,
        { aws_sigv4: { assume_role: { aws: "sts.{region}.evil.example" } } },
        /assume_role\/aws must be one of the hosts/
      ],
      [roles, { aws_sigv4: { assume_role: { aws: "sts.us-east-1.store.example" } } }, /must contain \{region\} once/],
      [roles, { aws_sigv4: { assume_role: { other: "sts.{region}.store.example" } } }, /not an AWS partition/],
      [
        roles,
        {
          aws_sigv4: {
            scopes: { "{service}.{region}.store.example": "{region}/s3" },
            assume_role: { aws: "sts.{region}.store.example" }
          }
        },
        /assume_role\/aws must be one of the hosts whose requests are signed for the service sts/
      ],
      [{ flows: ["assume_role"] }, {}, /must contain the default flow "api_key"/],
      [{}, { header_prefix: "Token" }, /has no effect/]
    ] as const
    for (const [more, apiKey, expected] of cases) assert.match(problems(more, apiKey).join("\n"), expected)
  })

  it("may name the service that issues the keys of a role, and binds a connection to this service", () => {
    const at = (host: string) => ({ aws_sigv4: { assume_role: { aws: host } } })
    assert.deepStrictEqual(problems(roles, at("sts.{region}.store.example")), [])
    const texts = ["sts.{region}.store.example", "sts.{region}.other.example"].map((host) =>
      binding(Result.getOrThrow(readDefinition(document({ ...roles, hosts: bothHosts }, at(host)))))
    )
    assert.notStrictEqual(texts[0], texts[1])
  })

  it("is the only kind that may have hosts with several wildcard labels", () => {
    for (
      const host of ["*.*.store.example", "{region}.store.example", "a.*.store.example", "{service}.*.store.example"]
    ) {
      assert.match(problems({ hosts: [host], api_key: {} }).join(), /may contain \* only as the first label/, host)
    }
    assert.match(
      problems({}, {
        per_host: { "{service}.{region}.store.example": { header_name: "X-Key" } }
      }).join(),
      /may contain \* only as the first label/
    )
    assert.match(problems({ hosts: ["*.*.example"] }).join(), /full DNS name/)
    assert.match(problems({ api_url: "*.*.store.example" }).join(), /must be one URL/)
  })
})
