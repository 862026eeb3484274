/** Reads problem documents of the daemon. Only a command that fails loads this module, with the classes of errors. */
import * as Schema from "effect/Schema"
import * as Errors from "../domain/Errors.ts"

const errorClasses = new Map<string, Schema.Codec<Errors.PublishedError>>(
  Errors.published.map((
    errorClass
  ) => [errorClass.identifier, errorClass as unknown as Schema.Codec<Errors.PublishedError>])
)

/**
 * Decodes a problem document to the error that it names, or returns undefined if this version does not know the error.
 * The status of a `RequestRefusedError` varies, so its schema cannot decode it. `request` is added to the message.
 */
export const decodeProblem = (text: string, request = ""): Errors.PublishedError | undefined => {
  try {
    const body = JSON.parse(text) as { readonly error?: unknown; readonly detail?: unknown }
    const detail = `${body.detail ?? ""}${request}`
    const { error } = body
    if (error === "RequestRefusedError") return new Errors.RequestRefusedError({ detail })
    const errorClass = errorClasses.get(String(error))
    return errorClass === undefined ? undefined : Schema.decodeUnknownSync(errorClass)({ ...body, detail })
  } catch {
    return undefined
  }
}
