/** Digests of content in the field `Content-Digest` (RFC 9530). */
import { builtins } from "../../platform/builtins.ts"

const algorithms: Readonly<Record<string, string>> = { "sha-256": "sha256", "sha-512": "sha512" }

const digestOf = (algorithm: string, content: string): string =>
  builtins.crypto.createHash(algorithm).update(content, "utf8").digest("base64")

export const contentDigest = (content: string): string => `sha-256=:${digestOf("sha256", content)}:`

/** Whether every digest of the field matches the content. False if the field has no digest of a known algorithm. */
export const matchesDigest = (field: string, content: string): boolean => {
  const members = field.split(",").map((member) => /^([a-z0-9-]+)=:([A-Za-z0-9+/]+={0,2}):$/.exec(member.trim()))
  return members.length > 0 && members.every((member) => {
    const algorithm = algorithms[member?.[1] ?? ""]
    return algorithm !== undefined && digestOf(algorithm, content) === member?.[2]
  })
}
