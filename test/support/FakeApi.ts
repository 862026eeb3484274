/** An API without a network, which records the daemon's own requests and responds with given statuses or bodies. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiHttp, type ApiRequest, ApiUnreachableError } from "../../src/outbound/ApiHttp.ts"

export const apiDown = new ApiUnreachableError({ detail: "api.acme.example could not be reached (ECONNREFUSED)" })

/** The value of a header that occurs once. */
export const headerOf = ({ headers }: ApiRequest, name: string): string | undefined => {
  const values = headers.filter((_, at) => at % 2 === 1 && headers[at - 1]!.toLowerCase() === name)
  return values.length === 1 ? values[0] : undefined
}

export class FakeApi {
  readonly seen: Array<ApiRequest> = []
  answer: (request: ApiRequest) => Effect.Effect<number, ApiUnreachableError> = () => Effect.succeed(200)
  body = ""

  readonly layer = Layer.succeed(ApiHttp, {
    send: (request, { readsBody }) =>
      Effect.suspend(() => {
        this.seen.push(request)
        return Effect.map(this.answer(request), (status) => ({ status, body: readsBody ? this.body : "" }))
      })
  })
}
