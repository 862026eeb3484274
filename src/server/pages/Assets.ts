/**
 * The stylesheet and the script of the pages, served unchanged, without a build step.
 *
 * The path of each contains a hash of its content, so browsers may cache it forever. Pages state the whole hash, because another server
 * that had the port before could have put other content into the cache. Files are read on first use. If a file is missing from an
 * installation, the pages work without it.
 */
import { sha256 } from "../../platform/Digest.ts"
import { readAsset } from "../../platform/files/PackageFiles.ts"
import { etagResponse } from "./EtagResponse.ts"

interface Asset {
  readonly path: string
  /** The value of the attribute `integrity`. */
  readonly integrity: string
  readonly response: ReturnType<typeof etagResponse>
}

const kept = { "cache-control": "private, max-age=31536000, immutable" }

const once = <A>(make: () => A): () => A => {
  let made: A | undefined
  return () => made ??= make()
}

const asset = (name: string, extension: string, contentType: string): () => Asset =>
  once(() => {
    const text = readAsset(`${name}.${extension}`, import.meta.url) ?? ""
    const hash = sha256(text)
    return {
      path: `/ui/assets/${name}-${hash.slice(0, 16)}.${extension}`,
      integrity: `sha256-${Buffer.from(hash, "hex").toString("base64")}`,
      response: etagResponse(text, { contentType, headers: kept })
    }
  })

export const stylesheet = asset("pages", "css", "text/css; charset=utf-8")

export const script = asset("pages", "js", "text/javascript; charset=utf-8")
