/**
 * What the store uses of the driver, for type checks where the package is not installed. TypeScript uses this pattern only
 * if it cannot resolve the module.
 */
declare module "@effect/sql-pg/*" {
  import type * as Effect from "effect/Effect"
  import type * as Queue from "effect/Queue"
  import type * as EffectResult from "effect/Result"
  import type * as Scope from "effect/Scope"
  import type { SqlError } from "effect/sql/SqlError"
  import type { Compiler } from "effect/sql/Statement"

  export type Config = Readonly<Record<string, unknown>> & { readonly url?: unknown }
  export interface Result {
    readonly command: string
    readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
  export interface PgConnection {
    readonly query: (
      sql: string,
      params?: ReadonlyArray<unknown>,
      prepare?: boolean
    ) => Effect.Effect<Result, SqlError>
    readonly queryValues: (
      sql: string,
      params?: ReadonlyArray<unknown>,
      prepare?: boolean
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError>
    readonly listen: (
      channel: string
    ) => Effect.Effect<Queue.Dequeue<unknown, SqlError>, SqlError, Scope.Scope>
  }
  export interface PgPool {
    readonly get: Effect.Effect<PgConnection, SqlError, Scope.Scope>
    readonly reserve: Effect.Effect<PgConnection, SqlError, Scope.Scope>
    readonly use: <A, E, R>(
      use: (connection: PgConnection) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError, R>
  }
  export const make: (config: Config) => Effect.Effect<PgConnection & PgPool, SqlError, Scope.Scope>
  export const makeCompiler: () => Compiler
  export interface Registry {
    readonly register: <A>(oid: number, codec: {
      readonly encode: (value: A) => EffectResult.Result<Uint8Array, never>
      readonly decode: (bytes: Uint8Array) => EffectResult.Result<A, never>
    }) => void
  }
  export const makeRegistry: () => Registry
  export const OID: { readonly int8: number }
  export const encode: (value: unknown, oid: number) => EffectResult.Result<Uint8Array, never>
  export const decode: (bytes: Uint8Array, oid: number, format: number) => EffectResult.Result<unknown, never>
}
