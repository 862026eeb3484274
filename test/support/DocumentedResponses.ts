/** Checks responses of the daemon against the OpenAPI description, so that every test of an operation tests its description. */
import formats from "ajv-formats"
import Ajv from "ajv/dist/2020.js"
import * as fs from "node:fs"

type Json = any

const documentOf = (): Json => JSON.parse(fs.readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"))

/** Validates values against schemas of the document. */
export const responseValidator = (document: Json = documentOf()) => {
  const ajv = new Ajv.default({ strict: false, allErrors: true, discriminator: false })
  formats.default(ajv)
  ajv.addSchema({ $id: "https://credsvc.invalid/openapi.json", components: { schemas: document.components.schemas } })
  const validators = new Map<unknown, ReturnType<typeof ajv.compile>>()
  return {
    /** What is wrong with the value; null if it is valid. */
    problems: (schema: Json, value: unknown): string | null => {
      let validate = validators.get(schema)
      if (validate === undefined) {
        const absolute = JSON.stringify(schema).replaceAll(
          "\"#/components/",
          "\"https://credsvc.invalid/openapi.json#/components/"
        )
        validators.set(schema, validate = ajv.compile(JSON.parse(absolute)))
      }
      return validate(value) ? null : ajv.errorsText(validate.errors, { separator: "; " })
    }
  }
}

interface DescribedOperation {
  readonly method: string
  readonly path: RegExp
  readonly responses: Json
}

const resolved = (document: Json, response: Json): Json => {
  const name = /^#\/components\/responses\/(.+)$/.exec(response?.$ref ?? "")?.[1]
  return name === undefined ? response : document.components.responses[name]
}

let shared: ((method: string, target: string, status: number, type: string, body: unknown) => string | null) | undefined

const makeCheck = (): NonNullable<typeof shared> => {
  const document = documentOf()
  const validator = responseValidator(document)
  const operations: ReadonlyArray<DescribedOperation> = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      // A path without parameters comes first in the document, and is preferred by the daemon.
      path: RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      responses
    }))
  )
  return (method, target, status, type, body) => {
    const path = target.replace(/[?#].*$/s, "")
    const operation = operations.find((each) => each.method === method && each.path.test(path))
    if (operation === undefined) return null
    const response = resolved(document, operation.responses[status])
    const content = response?.content?.[type]
    if (content === undefined) return `no response of ${status} has the type ${type}`
    return validator.problems(content.schema, body)
  }
}

/** How a JSON response differs from the description; null if it does not, or if the request is for no operation. */
export const undocumented: NonNullable<typeof shared> = (...response) => (shared ??= makeCheck())(...response)
