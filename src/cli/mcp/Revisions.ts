/**
 * The revisions of MCP without a handshake: each request carries its revision, and each result says that it is complete. A
 * request without a revision belongs to a client that has sent `initialize`, which the SDK serves.
 */
import { ErrorCode, McpError, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { version } from "../../platform/process/Version.ts"

type Fields = Readonly<Record<string, unknown>>

const current = "2026-07-28"
const supported = [current, ...SUPPORTED_PROTOCOL_VERSIONS]

/** The code of `UnsupportedProtocolVersionError` in the specification of MCP. */
const unsupportedVersion = -32022
const prefix = "io.modelcontextprotocol/"

/** The time for which a client may keep a result that depends only on this program. */
export const lasting = { ttlMs: 3_600_000, cacheScope: "private" }

const isCurrent = (meta: Fields | undefined): boolean => {
  const requested = meta?.[`${prefix}protocolVersion`]
  if (requested === undefined) return false
  if (requested !== current) {
    throw new McpError(unsupportedVersion, "Unsupported protocol version", { supported, requested })
  }
  if (typeof meta?.[`${prefix}clientCapabilities`] !== "object") {
    throw new McpError(ErrorCode.InvalidParams, `missing ${prefix}clientCapabilities`)
  }
  return true
}

/** A handler for requests of every revision. `caching` is for results that a client may keep. */
export const ofEveryRevision = <Request extends { readonly params?: object | undefined }, Result extends object, More>(
  handler: (request: Request, more: More) => Result | Promise<Result>,
  caching: Fields = {}
) =>
async (request: Request, more: More): Promise<Result> => {
  const isModern = isCurrent((request.params as { readonly _meta?: Fields } | undefined)?._meta)
  const result = await handler(request, more)
  return isModern
    ? {
      ...result,
      resultType: "complete",
      ...caching,
      _meta: { [`${prefix}serverInfo`]: { name: "credsvc", version } }
    }
    : result
}

/** The response to `server/discover`, which replaces the handshake. */
export const discovered = (capabilities: object, instructions: string) => ({
  supportedVersions: supported,
  capabilities,
  instructions
})
