/**
 * Verifies an exported log with public keys alone. Without the keys of the vault, the MACs cannot be checked; the hashes cover them, and
 * the signatures cover the hashes.
 */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { AuditLink, type ChainVerification, LogChain, RequestLink } from "../domain/LogChain.ts"
import { verifies } from "../platform/Ed25519.ts"
import { signedMessage } from "../profiles/Profiles.ts"
import * as Audit from "./AuditChain.ts"
import * as Requests from "./RequestChain.ts"

const { base } = LogChain.fields
/** A line of an export: the beginning of the request log, an entry of the audit log, or a batch of requests. */
const Line = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ base }),
    Schema.Struct({ entry: AuditLink }),
    Schema.Struct({ batch: RequestLink })
  ])
)
const decodeLine = Schema.decodeUnknownExit(Line)

class Invalid extends Error {}

const altered = (what: string): Invalid => new Invalid(`${what} is missing, was altered, or was added`)

export class ChainVerifier {
  readonly #publicKeys: ReadonlyArray<string>
  #audit = { seq: 0, hash: Audit.genesis as string }
  #requests: { readonly seq: number; readonly hash: string } | undefined
  #signed = 0
  #signatures = 0
  #batches = 0
  #lines = 0
  #problem: string | undefined

  /** `publicKeys`: each is the `x` of a JWK. A signature has to be by one of them. */
  constructor(publicKeys: ReadonlyArray<string>) {
    this.#publicKeys = publicKeys
  }

  /** Returns false after the first problem. */
  add(line: string): boolean {
    this.#lines++
    try {
      this.#read(line)
      return true
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      this.#problem = `Line ${this.#lines}: ${error.message}.`
      return false
    }
  }

  get result(): ChainVerification {
    const problem = this.#problem ??
      (this.#requests === undefined
        ? "The file is empty. Write it with: credsvc log --export-chain"
        : this.#audit.seq > 0 && this.#signatures === 0
        ? "No signature covers this log yet, so it proves nothing. The daemon signs every 64 entries and when it stops: " +
          "export the log again after credsvc daemon restart"
        : null)
    return {
      ok: problem === null,
      entries: this.#audit.seq,
      signed: this.#signed,
      requestBatches: this.#batches,
      problem
    }
  }

  #read(text: string): void {
    const decoded = decodeLine(text)
    if (Exit.isFailure(decoded)) throw new Invalid("not a line of credsvc log --export-chain")
    const line = decoded.value
    if ("base" in line) return this.#begin(line.base)
    if (this.#requests === undefined) throw new Invalid("the first line of the export is missing")
    if ("entry" in line) return this.#addEntry(line.entry)
    this.#addBatch(line.batch, this.#requests)
  }

  #begin({ hash, seq, signature }: LogChain["base"]): void {
    if (this.#requests !== undefined) throw new Invalid("the export begins a second time")
    this.#requests = { seq, hash }
    if (seq === 0 && hash === Audit.genesis) return
    if (signature === null) {
      throw new Invalid(
        `the batches of requests up to ${seq} were deleted by an earlier version of credsvc, which did not sign that`
      )
    }
    this.#checkSignature(
      Requests.basePurpose,
      Requests.signedOf(seq, hash),
      signature,
      `the deletion of batches up to ${seq}`
    )
  }

  #addEntry(entry: AuditLink): void {
    const what = `entry ${this.#audit.seq + 1} of the audit log`
    if (entry.seq !== this.#audit.seq + 1 || entry.prev_hash !== this.#audit.hash) throw altered(what)
    const hash = Audit.hashOf(entry, entry.mac)
    if (entry.signature !== null) {
      this.#checkSignature(Audit.purpose, Audit.checkpointOf(entry.seq, hash), entry.signature, what)
      this.#signed = entry.seq
    } else if (entry.seq % Audit.checkpointInterval === 0) throw altered(`the signature of ${what}`)
    this.#audit = { seq: entry.seq, hash }
  }

  #addBatch(batch: RequestLink, before: { readonly seq: number; readonly hash: string }): void {
    const what = `batch ${before.seq + 1} of the request log`
    if (batch.seq !== before.seq + 1 || batch.prev_hash !== before.hash) throw altered(what)
    const { mac, signature, ...rest } = batch
    const hash = Requests.hashOf({ ...rest, content: Buffer.from(rest.content, "base64") }, mac)
    this.#checkSignature(Requests.purpose, Requests.signedOf(batch.seq, hash), signature, what)
    this.#requests = { seq: batch.seq, hash }
    this.#batches++
  }

  #checkSignature(purpose: string, bytes: Uint8Array, signature: string, what: string): void {
    const message = signedMessage(purpose, bytes)
    const given = Buffer.from(signature, "base64url")
    if (this.#publicKeys.some((key) => verifies(key, message, given))) {
      this.#signatures++
      return
    }
    throw new Invalid(`${what} was altered, or signed by an identity whose public key was not given`)
  }
}
