/** A fake CI system or cluster on the scripted authorization server: tokens that it signs for its jobs, and forged ones. */
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto"
import { openHostileAuthorizationServer, paths } from "./HostileAuthorizationServer.ts"

export type Claims = Readonly<Record<string, unknown>>

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
}

export const makeSigningKey = (kid: string, alg = "RS256"): SigningKey => {
  const { privateKey, publicKey } = alg.startsWith("ES")
    ? generateKeyPairSync("ec", { namedCurve: alg === "ES256" ? "P-256" : "P-384" })
    : generateKeyPairSync("rsa", { modulusLength: 2048 })
  return { kid, alg, privateKey, publicKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, alg, use: "sig" } }
}

/** Signs a header and claims, given as objects or as the text of their JSON. */
export const signToken = (
  { alg, kid, privateKey }: SigningKey,
  claims: Claims | string,
  header: Claims | string = {}
): string => {
  const head = typeof header === "string" ? header : { alg, kid, typ: "JWT", ...header }
  const content = `${encode(head)}.${encode(claims)}`
  const hash = alg.endsWith("384") ? "sha384" : "sha256"
  const signature = sign(hash, Buffer.from(content), {
    key: privateKey,
    ...alg.startsWith("ES") ? { dsaEncoding: "ieee-p1363" as const } : {}
  })
  return `${content}.${signature.toString("base64url")}`
}

export { encode as encodePart }

export const keysPath = "/keys"

const usualKey = makeSigningKey("key-1")

/** An issuer that publishes its keys, at any host, with a path if the host has one. */
export const openJobIssuer = async (issuer: string, key = usualKey) => {
  const { host, origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  const server = await openHostileAuthorizationServer({
    host,
    script: {
      [`${path}${paths.openid}`]: { body: { issuer, jwks_uri: `${origin}${keysPath}` } },
      [keysPath]: { body: { keys: [key.jwk] } }
    }
  })
  return {
    ...server,
    issuer,
    key,
    /** Replaces the published keys. */
    publish: (...keys: ReadonlyArray<SigningKey>) =>
      server.answer(keysPath, { body: { keys: keys.map(({ jwk }) => jwk) } })
  }
}

export type JobIssuer = Awaited<ReturnType<typeof openJobIssuer>>

export const seconds = (): number => Math.floor(Date.now() / 1000)

const times = (lifetime: number, now: number) => ({ iat: now, nbf: now - 5, exp: now + lifetime })

/** The tokens of real systems, by their published shapes. */
export const shapes: Readonly<
  Record<string, {
    readonly issuer: string
    readonly claims: (audience: string, now: number) => Claims
    readonly header: Claims
    readonly patterns: Readonly<Record<string, string>>
    /** The part of the identity's name that identifies the job. */
    readonly job: string
  }>
> = {
  "GitHub Actions": {
    issuer: "https://token.actions.githubusercontent.com",
    header: { x5t: "ykNaY4qM_ta4k2TgZOCEYLkcYlA" },
    claims: (aud, now) => ({
      jti: randomUUID(),
      sub: "repo:acme/shop:environment:production",
      aud,
      ref: "refs/heads/main",
      sha: "9f3182061f1e2cca4702c368cbc039b7dc9d4485",
      repository: "acme/shop",
      repository_owner: "acme",
      repository_owner_id: "65",
      run_id: "17983475938",
      run_number: "10",
      run_attempt: "2",
      repository_visibility: "private",
      repository_id: "74",
      actor_id: "12",
      actor: "octocat",
      workflow: "deploy",
      head_ref: "",
      base_ref: "",
      event_name: "push",
      ref_protected: "true",
      ref_type: "branch",
      workflow_ref: "acme/shop/.github/workflows/deploy.yml@refs/heads/main",
      job_workflow_ref: "acme/workflows/.github/workflows/deploy.yml@refs/heads/main",
      runner_environment: "github-hosted",
      environment: "production",
      iss: "https://token.actions.githubusercontent.com",
      ...times(300, now)
    }),
    patterns: { repository: "acme/shop", ref: "refs/heads/*", environment: "production" },
    job: "17983475938"
  },
  "GitLab CI": {
    issuer: "https://gitlab.com",
    header: {},
    claims: (aud, now) => ({
      namespace_id: "72",
      namespace_path: "acme",
      project_id: "20",
      project_path: "acme/shop",
      user_id: "1",
      user_login: "sample-user",
      user_email: "sample-user@example.com",
      user_access_level: "developer",
      user_identities: [{ provider: "github", extern_uid: "2435223452345" }],
      groups_direct: ["acme", "acme/team"],
      pipeline_id: "574",
      pipeline_source: "push",
      job_id: "302",
      ref: "main",
      ref_type: "branch",
      ref_path: "refs/heads/main",
      ref_protected: "true",
      runner_id: 1,
      runner_environment: "self-hosted",
      sha: "714a629c0b401fdce83e847fc9589983fc6f46bc",
      project_visibility: "public",
      jti: randomUUID(),
      iss: "https://gitlab.com",
      sub: "project_path:acme/shop:ref_type:branch:ref:main",
      aud,
      ...times(3600, now)
    }),
    patterns: { project_path: "acme/shop", ref_protected: "true", runner_id: "1" },
    job: "302"
  },
  Buildkite: {
    issuer: "https://agent.buildkite.com",
    header: { typ: undefined },
    claims: (aud, now) => ({
      iss: "https://agent.buildkite.com",
      sub: "organization:acme:pipeline:shop:ref:refs/heads/main:commit:b5ffe3aeea51cec6c41aef16e45ee6bce47d8810:step:",
      aud,
      jti: randomUUID(),
      organization_slug: "acme",
      pipeline_slug: "shop",
      build_number: 5,
      build_branch: "main",
      build_tag: null,
      build_commit: "b5ffe3aeea51cec6c41aef16e45ee6bce47d8810",
      step_key: null,
      job_id: "01945ecf-80f0-41e8-9b83-a2970a9305a1",
      agent_id: "01945ecf-8bcf-40a6-9d70-a765db9a0928",
      build_source: "ui",
      runner_environment: "buildkite-hosted",
      ...times(300, now)
    }),
    patterns: { organization_slug: "acme", pipeline_slug: "shop", build_branch: "main" },
    job: "01945ecf-80f0-41e8-9b8"
  },
  CircleCI: {
    issuer: "https://oidc.circleci.com/org/5034460f-c7c4-4c43-9457-de07e2029e7b",
    header: {},
    claims: (aud, now) => ({
      aud,
      iss: "https://oidc.circleci.com/org/5034460f-c7c4-4c43-9457-de07e2029e7b",
      "oidc.circleci.com/context-ids": ["ba5b1ff8-8a4e-4ec2-ad6d-6e3b5a2f1c07"],
      "oidc.circleci.com/job-id": "1f2e3d4c-5b6a-4978-8695-a4b3c2d1e0f9",
      "oidc.circleci.com/project-id": "2e1b7a0c-1c5d-4d3e-8a4f-0b3b3a0f3a11",
      "oidc.circleci.com/ssh-rerun": false,
      "oidc.circleci.com/vcs-origin": "github.com/acme/shop",
      "oidc.circleci.com/vcs-ref": "refs/heads/main",
      sub:
        "org/5034460f-c7c4-4c43-9457-de07e2029e7b/project/2e1b7a0c-1c5d-4d3e-8a4f-0b3b3a0f3a11/user/74c3d2e1-7c4b-4c6a-9d0c-1d5e6f708192",
      ...times(3600, now)
    }),
    patterns: {
      sub: "org/5034460f-c7c4-4c43-9457-de07e2029e7b/project/2e1b7a0c-1c5d-4d3e-8a4f-0b3b3a0f3a11/user/*",
      "oidc.circleci.com/ssh-rerun": "false",
      "oidc.circleci.com/vcs-ref": "refs/heads/main"
    },
    job: "1f2e3d4c-5b6a-4978-869"
  },
  Kubernetes: {
    issuer: "https://oidc.example.test/clusters/one/",
    header: { typ: undefined },
    claims: (aud, now) => ({
      aud: [aud],
      iss: "https://oidc.example.test/clusters/one/",
      jti: randomUUID(),
      "kubernetes.io": {
        namespace: "shop",
        node: { name: "node-1", uid: "646e7c5e-32d6-4d42-9dbd-e504e6cbe6b1" },
        pod: { name: "web-0", uid: "5e0bd49b-f040-43b0-99b7-22765a53f7f3" },
        serviceaccount: { name: "web", uid: "14ee3fa4-a7e2-420f-9f9a-dbc4507c3798" }
      },
      sub: "system:serviceaccount:shop:web",
      ...times(3600, now)
    }),
    patterns: { sub: "system:serviceaccount:shop:web", "kubernetes.io/namespace": "shop" },
    job: "5e0bd49b-f040-43b0-99b"
  }
}
