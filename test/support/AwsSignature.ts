/** Verifies the signatures of requests to AWS, apart from the code that makes them. */
import { headerValues, type ProviderRequest } from "../../src/conformance/ProviderMessage.ts"
import { builtins } from "../../src/platform/builtins.ts"

const hmac = (key: string | Buffer, text: string): Buffer =>
  builtins.crypto.createHmac("sha256", key).update(text).digest()

const sha256 = (text: string): string => builtins.crypto.createHash("sha256").update(text).digest("hex")

/** The problems of an AWS Signature Version 4, of requests without percent-encoding and without empty parameters. */
export const signatureObjections = (
  values: Readonly<Record<string, string>>,
  request: ProviderRequest
): ReadonlyArray<string> => {
  const [authorization = "", ...more] = headerValues(request, "Authorization")
  const [, keyId, date = "", region = "", service = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
      .exec(authorization) ?? []
  if (signature === undefined || more.length > 0) return ["the request does not have exactly one AWS signature"]
  if (keyId !== values["access_key_id"]) return ["the AWS signature has another access key ID"]
  const [time = ""] = headerValues(request, "X-Amz-Date")
  const [payload = sha256(request.body)] = headerValues(request, "X-Amz-Content-Sha256")
  const lines = names.split(";").map((name) => `${name}:${headerValues(request, name).join(",")}`)
  const query = request.url.search.slice(1).split("&").toSorted().join("&")
  const canonical = [request.method, request.url.pathname, query, ...lines, "", names, payload].join("\n")
  const scope = [date, region, service, "aws4_request"]
  const key = scope.reduce(hmac, Buffer.from(`AWS4${values["secret_access_key"]}`))
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n")
  return hmac(key, text).toString("hex") === signature ? [] : ["the AWS signature is invalid"]
}
