import { assert, describe, it } from "@effect/vitest"
import { knownIssuers, matches, problemsOf } from "../../src/callers/ClaimPatterns.ts"

interface Patterns {
  readonly issuer?: string
  readonly claims: Readonly<Record<string, string>>
}

describe("The patterns of a trust", () => {
  const gitlab = { issuer: "https://gitlab.com" }
  const buildkite = { issuer: "https://agent.buildkite.com" }
  const cluster = { issuer: "https://cluster.example" }
  const messages = ({ claims, issuer = knownIssuers["github"]! }: Patterns) =>
    problemsOf(new URL(issuer), claims).map(({ message }) => message).join()
  /** Patterns that would accept strangers, and lawful ones beside them. */
  const refused: ReadonlyArray<readonly [refusal: RegExp, patterns: Patterns]> = [
    [/strangers/, { claims: {} }],
    [/strangers/, { claims: { ref: "refs/heads/main" } }],
    [/strangers/, { claims: { sub: "repo:acme/shop:ref:refs/heads/main" } }],
    [/strangers/, { claims: { job_workflow_ref: "acme/flows/.github/workflows/x.yml@refs/heads/main" } }],
    [/strangers/, { claims: { actor: "octocat", environment: "production" } }],
    [/strangers/, { issuer: "https://token.actions.githubusercontent.com/acme", claims: { ref: "refs/heads/main" } }],
    [/strangers/, {
      issuer: "https://TOKEN.actions.githubusercontent.com",
      claims: { sub: "repo:acme/shop:pull_request" }
    }],
    [/wildcard/, { claims: { repository: "*" } }],
    [/wildcard/, { claims: { repository: "*/*" } }],
    [/wildcard/, { claims: { repository: "*/shop" } }],
    [/wildcard/, { claims: { repository: "acme*" } }],
    [/wildcard/, { claims: { repository: "acme*/shop" } }],
    [/wildcard/, { claims: { repository: "/*" } }],
    [/wildcard/, { claims: { repository: "acme/**" } }],
    [/wildcard/, { claims: { repository_owner: "acm*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", repository_owner: "*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", sub: "repo:*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", sub: "repo:acme/*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", ref: "*" } }],
    [/wildcard/, { claims: { repository: "acme/shop", ref: "refs/heads/a*b*c" } }],
    [/strangers/, { ...gitlab, claims: { ref: "main", sub: "project_path:acme/shop:ref_type:branch:ref:main" } }],
    [/wildcard/, { ...gitlab, claims: { namespace_path: "ac*" } }],
    [/strangers/, { ...buildkite, claims: { pipeline_slug: "shop" } }],
    [/wildcard/, { ...buildkite, claims: { organization_slug: "*acme" } }],
    [/strangers/, { ...cluster, claims: { "kubernetes.io/serviceaccount/name": "web" } }],
    [/wildcard/, { ...cluster, claims: { sub: "system:serviceaccount:*:web" } }],
    [/wildcard/, { ...cluster, claims: { sub: "system:serviceaccount:*" } }],
    [/wildcard/, { ...cluster, claims: { "kubernetes.io/namespace": "shop*" } }],
    [/ASCII/, { claims: { repository: "acm\u0435/shop" } }],
    [/ASCII/, { claims: { repository: "acme/shop\n" } }],
    [/ASCII/, { claims: { repository: "" } }],
    [/is verified separately/, { claims: { repository: "acme/shop", aud: "x" } }],
    [/name of a claim/, { claims: { repository: "acme/shop", "a b": "x" } }],
    [/name of a claim/, { claims: { repository: "acme/shop", "a//b": "x" } }],
    [/at most 16/, {
      claims: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`repository${at || ""}`, "x"]))
    }]
  ]
  const lawful: ReadonlyArray<Patterns> = [
    { claims: { repository: "acme/shop" } },
    { claims: { repository: "acme/*", ref: "refs/heads/release-*" } },
    { claims: { repository_owner_id: "65" } },
    { claims: { repository_id: "74", sub: "repo:acme/shop:*" } },
    { ...gitlab, claims: { namespace_id: "72", ref_protected: "true" } },
    { ...gitlab, claims: { project_path: "acme/*" } },
    { ...buildkite, claims: { organization_slug: "acme", pipeline_slug: "shop-*" } },
    { ...cluster, claims: { sub: "system:serviceaccount:shop:*" } },
    { ...cluster, claims: { "kubernetes.io/namespace": "shop" } },
    { issuer: "https://gitlab.acme.example", claims: { project_path: "acme/shop" } }
  ]

  it("must name a single owner", () => {
    for (const [refusal, patterns] of refused) assert.match(messages(patterns), refusal, JSON.stringify(patterns))
    for (const patterns of lawful) assert.strictEqual(messages(patterns), "", JSON.stringify(patterns))
  })

  /** Patterns, and claims that match or do not. */
  const wildcards: ReadonlyArray<
    readonly [pattern: string, matching: ReadonlyArray<string>, other: ReadonlyArray<string>]
  > = [
    [
      "refs/heads/release-*",
      ["refs/heads/release-1.2", "refs/heads/release-"],
      [
        "refs/heads/release-1/evil",
        "refs/heads/release-a:b",
        "refs/heads/release-\u0435",
        "refs/heads/release-a b",
        "xrefs/heads/release-1"
      ]
    ],
    ["refs/*/main", ["refs/heads/main"], ["refs/heads/a/main", "refs/heads/main\n", "refs/heads/mainly"]],
    ["refs/heads/v1.0", ["refs/heads/v1.0"], ["refs/heads/v1x0", "refs/heads/v1.0.1", ""]]
  ]
  it("have wildcards that match within one segment only", () => {
    for (const [ref, matching, other] of wildcards) {
      for (const text of matching) assert.isTrue(matches({ ref: text }, { ref }), text)
      for (const text of other) assert.isFalse(matches({ ref: text }, { ref }), text)
    }
  })
})
