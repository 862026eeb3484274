/**
 * Tests programs that sign their requests inside the real `credsvc run`, against a server that verifies every signature.
 * `CREDSVC_TEST_UPLOAD_MIB` is the size of the large upload.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { type AwsServer, type KeyPair, makeAwsServer } from "../support/AwsServer.ts"
import { live } from "../support/Fixture.ts"
import { collect, openSandbox, type Outcome, type Sandbox } from "../support/Sandbox.ts"
import { makeAuthority } from "../support/TestCertificates.ts"
import { installedDirectory } from "./ClientSuite.ts"

const KEYS: KeyPair = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "IQoJb3JpZ2luX2VjEXAMPLE//////////wEaCXVzLWVhc3QtMSJHMEUCIQ"
}
const HOSTS = [
  "sts.us-east-1.amazonaws.com",
  "dynamodb.us-east-1.amazonaws.com",
  "bedrock-runtime.us-east-1.amazonaws.com",
  "s3.us-east-1.amazonaws.com",
  "bucket.s3.us-east-1.amazonaws.com",
  "bucket.s3.amazonaws.com"
]
const MEBIBYTES = Number(process.env["CREDSVC_TEST_UPLOAD_MIB"] ?? 48)

const isExecutable = (file: string) => spawnSync(file, ["--version"], { stdio: "ignore" }).status === 0
/** The installed versions: that of Debian, and another one of pip. */
const awsPrograms = ["/usr/bin/aws", "aws"].filter(isExecutable)
const sdk = path.join(installedDirectory(), "node_modules", "@aws-sdk", "client-s3")

const settings = (home: string) => ({
  HOME: home,
  AWS_REGION: "us-east-1",
  AWS_DEFAULT_REGION: "us-east-1",
  AWS_PAGER: "",
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_MAX_ATTEMPTS: "1"
})

interface SignedHome {
  readonly sandbox: Sandbox
  readonly server: AwsServer
  readonly ca: string
  readonly run: (command: ReadonlyArray<string>, timeout?: number) => Promise<Outcome>
}

interface AwsLogin {
  readonly user: KeyPair
  readonly role?: KeyPair
  readonly flow: string
  readonly entered: Readonly<Record<string, string | undefined>>
}

/** A daemon with a connection to AWS, whose hosts lead to a server of ours. */
const homeWith = Effect.fnUntraced(function*({ entered, flow, role, user }: AwsLogin) {
  const authority = makeAuthority()
  const server = yield* makeAwsServer(authority.issue([...HOSTS, "localhost"]), user, role)
  const sandbox = yield* Effect.acquireRelease(
    Effect.promise(() => openSandbox({ connect: false })),
    (opened) => Effect.promise(() => opened.close())
  )
  const ca = path.join(sandbox.directory, "aws.pem")
  fs.writeFileSync(ca, authority.caPem)
  const file = path.join(sandbox.home, "config.json")
  const config = JSON.parse(fs.readFileSync(file, "utf8"))
  config.upstream.extra_ca_certs.push(ca)
  for (const host of HOSTS) config.upstream.resolve[`${host}:443`] = `127.0.0.1:${server.port}`
  fs.writeFileSync(file, JSON.stringify(config))
  const run: SignedHome["run"] = (command, timeout = 120_000) =>
    sandbox.credsvc(["run", "--", ...command], { env: settings(sandbox.directory), timeout })
  const login = yield* Effect.promise(() =>
    sandbox.credsvc(["login", "aws", "--flow", flow, "--stdin"], { input: JSON.stringify(entered) })
  )
  assert.strictEqual(login.code, 0, login.stderr)
  const home: SignedHome = { sandbox, server, ca, run }
  return home
})

const signedHome = homeWith({
  user: KEYS,
  flow: "api_key",
  entered: {
    access_key_id: KEYS.accessKeyId,
    secret_access_key: KEYS.secretAccessKey,
    session_token: KEYS.sessionToken
  }
})

const USER: KeyPair = {
  accessKeyId: "AKIAI44QH8DHBEXAMPLE",
  secretAccessKey: "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY"
}

/** Asserts that all requests had valid signatures, and returns them. */
const valid = ({ seen }: AwsServer) => {
  assert.isNotEmpty(seen)
  assert.deepStrictEqual(seen.flatMap(({ problem }) => problem ?? []), [])
  assert.isTrue(seen.every(({ signed }) => signed))
  assert.notInclude(JSON.stringify(seen), "credsvc-proxy-managed")
  return seen.splice(0)
}

describe("an AWS role", () => {
  live("is assumed with a signature that the server accepts, and its keys sign the requests of a run", function*() {
    const { run, sandbox, server } = yield* homeWith({
      user: USER,
      role: KEYS,
      flow: "assume_role",
      entered: {
        role_arn: "arn:aws:iam::123456789012:role/Deploy",
        access_key_id: USER.accessKeyId,
        secret_access_key: USER.secretAccessKey
      }
    })
    const [assumed] = valid(server)
    assert.strictEqual(assumed?.scope, "us-east-1/sts")
    assert.include(assumed?.headers.join(), USER.accessKeyId)
    const script = `curl -sSf --aws-sigv4 aws:amz:us-east-1:sts --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" ` +
      `'https://${HOSTS[0]}/?Action=GetCallerIdentity'`
    const { code, stderr, stdout } = yield* Effect.promise(() => run(["sh", "-ec", script]))
    assert.strictEqual(code, 0, `${stdout}\n${stderr}`)
    assert.include(valid(server)[0]?.headers.join(), KEYS.sessionToken ?? "")
    const checked = yield* Effect.promise(() => sandbox.credsvc(["doctor", "--probe", "--json"]))
    assert.include(checked.stdout, "Amazon Web Services accepts the credential", checked.stderr)
  }, 120_000)
})

describe.skipIf(awsPrograms.length === 0)("with the stored key pair of an AWS user", () => {
  for (const aws of awsPrograms) {
    live(`${aws} without credsvc is accepted by the fake server only with the right secret`, function*() {
      const { ca, sandbox, server } = yield* signedHome
      const direct = (secret: string) =>
        Effect.promise(() =>
          collect(
            spawn(aws, ["s3api", "list-buckets", "--endpoint-url", `https://localhost:${server.port}`], {
              env: {
                PATH: process.env["PATH"],
                ...settings(sandbox.directory),
                AWS_CA_BUNDLE: ca,
                AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
                AWS_SECRET_ACCESS_KEY: secret,
                AWS_SESSION_TOKEN: KEYS.sessionToken
              }
            }),
            "",
            120_000
          )
        )
      const right = yield* direct(KEYS.secretAccessKey)
      assert.strictEqual(right.code, 0, right.stderr)
      valid(server)
      assert.notStrictEqual((yield* direct("another secret")).code, 0)
      assert.strictEqual(server.seen[0]?.problem, "an invalid signature")
    }, 300_000)

    live(`${aws} calls services, downloads and uploads with placeholders`, function*() {
      const { run, sandbox, server } = yield* signedHome
      // Version 1 makes presigned URLs of Signature Version 2 by default.
      fs.mkdirSync(path.join(sandbox.directory, ".aws"))
      fs.writeFileSync(
        path.join(sandbox.directory, ".aws", "config"),
        "[default]\ns3 =\n  signature_version = s3v4\n"
      )
      const large = path.join(sandbox.directory, "large.bin")
      fs.writeFileSync(large, Buffer.alloc(20 * 1024 * 1024, "credsvc"))
      const small = path.join(sandbox.directory, "small file+.txt")
      fs.writeFileSync(small, "small")
      const script = [
        `${aws} sts get-caller-identity --query Arn --output text`,
        `${aws} dynamodb list-tables --output text`,
        `${aws} s3 cp "${small}" "s3://bucket/a b/~small+(1).txt" --quiet`,
        `${aws} s3 cp s3://bucket/key - `,
        `${aws} s3 cp "${large}" s3://bucket/large.bin --quiet`,
        `curl -sSf "$(${aws} s3 presign s3://bucket/key --expires-in 3600)"`
      ].join("\n")
      const { code, stderr, stdout } = yield* Effect.promise(() => run(["sh", "-ec", script], 300_000))
      assert.strictEqual(code, 0, `${stdout}\n${stderr}`)
      assert.include(stdout, "arn:aws:iam::123456789012:user/served")
      const seen = valid(server)
      const parts = seen.filter(({ url }) => url.includes("partNumber="))
      assert.strictEqual(parts.reduce((sum, { length }) => sum + length, 0), 20 * 1024 * 1024)
      assert.isTrue(seen.some(({ url }) => url.includes("X-Amz-Signature=")))
    }, 600_000)
  }

  live("curl signs a request to Bedrock with placeholders", function*() {
    const { run, server } = yield* signedHome
    const url = `https://${HOSTS[2]}/model/anthropic.claude-v2%3A1/converse`
    const script =
      `curl -sSf --aws-sigv4 aws:amz:us-east-1:bedrock --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" ` +
      `-H 'Content-Type: application/json' -d '{"messages":[]}' '${url}'`
    const { code, stderr, stdout } = yield* Effect.promise(() => run(["sh", "-ec", script]))
    assert.strictEqual(code, 0, `${stdout}\n${stderr}`)
    assert.strictEqual(valid(server)[0]?.scope, "us-east-1/bedrock")
  }, 120_000)

  live("`credsvc doctor --probe` accepts the stored key pair", function*() {
    const { sandbox, server } = yield* signedHome
    const { code, stderr, stdout } = yield* Effect.promise(() => sandbox.credsvc(["doctor", "--probe", "--json"]))
    assert.include(stdout, "Amazon Web Services accepts the credential", `${code} ${stderr}`)
    assert.strictEqual(valid(server)[0]?.url, "/?Action=GetCallerIdentity&Version=2011-06-15")
  }, 120_000)
})

const javascript = `
import { Readable } from "node:stream"
import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, GetObjectCommand, PutObjectCommand, S3Client,
  UploadPartCommand } from "@aws-sdk/client-s3"
const client = new S3Client({ region: "us-east-1", maxAttempts: 1 })
const target = { Bucket: "bucket", Key: "a b/key+(1)*'.txt" }
const send = (command) => client.send(command)
await send(new PutObjectCommand({ ...target, Body: "text", Metadata: { note: "two  words" } }))
console.log(await (await send(new GetObjectCommand(target))).Body.transformToString())
const { UploadId } = await send(new CreateMultipartUploadCommand(target))
const part = Buffer.alloc(6 * 1024 * 1024, "p")
const { ETag } = await send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: part }))
await send(new CompleteMultipartUploadCommand({ ...target, UploadId,
  MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] } }))
const megabyte = Buffer.alloc(1024 * 1024, "x")
const count = Number(process.argv[2])
async function* data() { for (let i = 0; i < count; i++) yield megabyte }
await send(new PutObjectCommand({ Bucket: "bucket", Key: "large", Body: Readable.from(data(), { objectMode: false }),
  ContentLength: count * megabyte.length }))
`

/** By how much the resident set of a process grows after `begun` returns true, in bytes. */
const residentGrowth = (pid: number, begun: () => boolean): () => number => {
  let base: number | undefined
  let most = 0
  const timer = setInterval(() => {
    const status = begun() && fs.existsSync(`/proc/${pid}/status`) ? fs.readFileSync(`/proc/${pid}/status`, "utf8") : ""
    const resident = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
    base ??= resident === 0 ? undefined : resident
    most = Math.max(most, resident)
  }, 20)
  return () => {
    clearInterval(timer)
    return most - (base ?? 0)
  }
}

describe.skipIf(!fs.existsSync(sdk))("the AWS SDK for JavaScript", () => {
  live(`uploads, downloads and streams ${MEBIBYTES} MiB in chunks with placeholders`, function*() {
    const { sandbox, server } = yield* signedHome
    const file = path.join(installedDirectory(), `signed-${process.pid}.mjs`)
    fs.writeFileSync(file, javascript)
    const child = sandbox.spawn(["run", "--", process.execPath, file, String(MEBIBYTES)], {
      env: settings(sandbox.directory)
    })
    const growth = residentGrowth(child.pid ?? 0, () => server.seen.at(-1)?.url.startsWith("/large") === true)
    const { code, stderr, stdout } = yield* Effect.promise(() => collect(child, "", 900_000))
    fs.rmSync(file)
    assert.strictEqual(code, 0, `${stdout}\n${stderr}`)
    const seen = valid(server)
    const last = seen.at(-1)
    assert.strictEqual(last?.length, MEBIBYTES * 1024 * 1024)
    assert.strictEqual(last?.payload, "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
    const grown = growth()
    if (process.platform === "linux") assert.isBelow(grown, 48 * 1024 * 1024)
  }, 1_200_000)
})
