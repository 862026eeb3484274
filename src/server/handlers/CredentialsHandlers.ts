/** Handlers of the operations on secrets: resolve, export, scan, and the replacement of credentials in files. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Api } from "../../api/Api.ts"
import { ProfileSelection, RequestProblems } from "../../api/OperationParts.ts"
import { Connections } from "../../connections/Connections.ts"
import { EnvironmentScan } from "../../connections/scan/EnvironmentScan.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { CurrentProfile } from "../../domain/wire/Profile.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { currentPeer } from "../http/CurrentCaller.ts"
import { ResolveOperation } from "../resolve/ResolveOperation.ts"

type Services = ChildRefusal | Connections | EnvironmentScan | ResolveOperation

const group = (services: Context.Context<Services>) =>
  HttpApiBuilder.group(
    Api,
    "credentials",
    Effect.fnUntraced(function*(handlers) {
      const connections = yield* Connections
      const children = yield* ChildRefusal
      const operation = yield* ResolveOperation
      const scan = yield* EnvironmentScan

      return handlers.handleAll({
        export: ({ payload }) => {
          // As in `credsvc export`, the connection chosen with `set-default` is ignored: it applies only to the proxy
          // and to library calls.
          const request = { ...payload, connection: payload.connection ?? defaultConnectionName }
          const attempt = { event: "export", provider: request.provider, connection: request.connection } as const
          return children.outside("secrets", attempt, (profile) => connections.exportCredential(profile, request))
        },
        scan: ({ payload }) =>
          children.outside("secrets", { event: "scan", connection: payload.connection ?? null }, (profile) =>
            scan.report(profile, payload)),
        adopt: ({ payload }) =>
          children.outside("files", { event: "login", provider: payload.places.provider }, (profile) =>
            connections.adoptLogin(profile, payload)),
        keep: ({ payload }) =>
          children.outside("files", { event: "scan" }, (profile) =>
            connections.keepOriginal(profile, payload)),
        restore: ({ payload }) =>
          children.outside("secrets", { event: "restore-file" }, (profile) =>
            connections.restoreFile(profile, payload))
      }).handleRaw(
        "resolve",
        Effect.fnUntraced(function*({ headers, request }) {
          const text = yield* Effect.orDie(request.text)
          const [peer, profile] = [yield* currentPeer, yield* CurrentProfile]
          const body = yield* operation.respond({ peer, profile, run: headers["credsvc-run"] }, text)
          return HttpServerResponse.text(body, { contentType: "application/json" })
        })
      )
    }, Effect.provideContext(services))
  )

/** Builds the group in a context that has only its services, because the HTTP API copies the context for each request. */
export const CredentialsHandlers = Layer.effectContext(
  Effect.flatMap(
    Effect.context<Services | ProfileSelection | RequestProblems | Scope.Scope>(),
    (services) =>
      Effect.setContext(
        Layer.build(group(services)),
        Context.pick(ProfileSelection, RequestProblems, Scope.Scope)(services)
      )
  )
)
