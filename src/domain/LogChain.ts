/** Both logs with the hashes and signatures of their chains, for verification on another machine. */
import * as Schema from "effect/Schema"
import { ProfileHandle } from "./Profile.ts"
import { named, wire } from "./Wire.ts"

const chained = {
  prev_hash: "The hash of the previous one; that of the base for the first, or 64 zeros",
  mac: "A MAC by the vault, in hexadecimal. The hash of the link covers it",
  seq: "Its number; there are no gaps"
}

/** An entry of the audit log as it is stored: text, so that its hash covers exactly what was written. */
export const AuditLink = Schema.Struct({
  seq: Schema.Int,
  timestamp: Schema.String,
  event: Schema.String,
  provider: Schema.NullOr(Schema.String),
  connection: Schema.NullOr(Schema.String),
  identity: Schema.NullOr(Schema.String),
  status: Schema.String,
  /** The hash of the previous entry, or `genesis` for the first. */
  prev_hash: Schema.String,
  mac: Schema.String,
  signature: Schema.NullOr(Schema.String)
}).pipe(named("AuditLink", "An entry of the audit log, as a link of its chain", {
  ...chained,
  timestamp: "When it was recorded",
  event: "What was done",
  provider: "The provider; null if it is about none",
  connection: "The connection; null if it is about none",
  identity: "Who did it; null for entries of the store itself",
  status: "Whether it was done",
  signature: "The signature by its identity; null for most entries"
}))
export type AuditLink = typeof AuditLink.Type

export const RequestLink = Schema.Struct({
  seq: Schema.Int,
  run: Schema.String,
  part: Schema.Int,
  profile: Schema.String,
  began: Schema.String,
  ended: Schema.String,
  entries: Schema.Int,
  content: Schema.String,
  prev_hash: Schema.String,
  mac: Schema.String,
  signature: Schema.String
}).pipe(named("RequestLink", "A batch of the request log, as a link of its chain", {
  ...chained,
  run: "The run that sent the requests",
  profile: "Its profile, whose identity has signed",
  began: "When the first request began",
  ended: "When the last request began",
  part: "The number of the report of its run",
  entries: "The number of requests",
  content: "The requests as compressed JSON (RFC 1951), in base64",
  signature: "The signature by the identity of its profile"
}))
export type RequestLink = typeof RequestLink.Type

const ChainBase = Schema.Struct({
  seq: Schema.Int,
  hash: Schema.String,
  signature: Schema.NullOr(Schema.String)
}).pipe(named("ChainBase", "The last deleted batch of the request log, from which the rest is verified", {
  seq: "Its number; 0 if none was deleted",
  hash: "Its hash",
  signature:
    "The signature by the identity of its profile; null if none was deleted, or by an earlier version of credsvc"
}))
export type ChainBase = typeof ChainBase.Type

const PublicKeyOf = wire(
  { identity: ProfileHandle, publicKey: Schema.String },
  "PublicKeyOf",
  "The public key of an identity",
  { identity: "The identity", publicKey: "The Ed25519 key: 32 bytes in base64url" }
)

export const LogChain = Schema.Struct({
  keys: Schema.Array(PublicKeyOf),
  base: ChainBase,
  entries: Schema.Array(AuditLink),
  batches: Schema.Array(RequestLink)
}).pipe(named("LogChain", "A part of both logs with their hashes and signatures", {
  keys: "The keys of all identities of this machine",
  base: "Where the request log begins",
  entries: "Entries of the audit log, oldest first; empty after the last one",
  batches: "Batches of the request log, oldest first; empty after the last one"
}))
export type LogChain = typeof LogChain.Type

export const ChainVerification = wire(
  {
    ok: Schema.Boolean,
    entries: Schema.Int,
    signed: Schema.Int,
    requestBatches: Schema.Int,
    problem: Schema.NullOr(Schema.String)
  },
  "ChainVerification",
  "The result of verifying an exported log with public keys",
  {
    ok: "Whether everything that was verified is valid",
    entries: "The number of valid entries of the audit log",
    signed: "The number of the last entry that a signature covers",
    requestBatches: "The number of valid batches of the request log",
    problem: "What is wrong; null if nothing is"
  }
)
export type ChainVerification = typeof ChainVerification.Type
