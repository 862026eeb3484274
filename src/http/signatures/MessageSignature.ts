/**
 * Signs HTTP requests and reads their signatures (RFC 9421): the derived components of a request target and header fields,
 * without component parameters.
 */

export interface SignedRequest {
  readonly method: string
  readonly authority: string
  /** The absolute path, as sent. */
  readonly path: string
  /** The query with its question mark. An empty query is the question mark alone. */
  readonly query: string
  /** The value of a header field that occurs once; undefined without one. */
  readonly field: (name: string) => string | undefined
}

export interface SignatureParameters {
  /** The time of the signature in Unix seconds. */
  readonly created: number
  readonly keyid: string
  readonly alg?: string
  readonly nonce?: string
  readonly tag?: string
}

export interface RequestSignature {
  readonly label: string
  readonly components: ReadonlyArray<string>
  readonly parameters: SignatureParameters
  readonly signature: Uint8Array
}

const derived: Readonly<Record<string, (request: SignedRequest) => string>> = {
  "@method": ({ method }) => method,
  "@authority": ({ authority }) => authority.toLowerCase(),
  "@path": ({ path }) => path,
  "@query": ({ query }) => query
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

const serialize = (components: ReadonlyArray<string>, parameters: SignatureParameters): string =>
  `(${components.map(quoted).join(" ")})` +
  Object.entries(parameters).map(([name, value]: [string, string | number]) =>
    `;${name}=${typeof value === "number" ? value : quoted(value)}`
  ).join("")

/** The text that is signed (RFC 9421 section 2.5), or undefined if the request lacks a component. */
export const signatureBase = (
  request: SignedRequest,
  components: ReadonlyArray<string>,
  parameters: SignatureParameters
): string | undefined => {
  const lines: Array<string> = []
  for (const component of components) {
    const value = component.startsWith("@") ? derived[component]?.(request) : request.field(component)?.trim()
    if (value === undefined) return undefined
    lines.push(`${quoted(component)}: ${value}`)
  }
  return [...lines, `"@signature-params": ${serialize(components, parameters)}`].join("\n")
}

/** The path and the query of a request target, as they are signed. */
export const pathAndQuery = (target: string): Pick<SignedRequest, "path" | "query"> => {
  const at = target.indexOf("?")
  return at === -1 ? { path: target, query: "?" } : { path: target.slice(0, at), query: target.slice(at) }
}

/** Returns the fields `Signature-Input` and `Signature`, or undefined if the request lacks a component. */
export const signRequest = (
  request: SignedRequest,
  { components, label, parameters, sign }: {
    readonly label: string
    readonly components: ReadonlyArray<string>
    readonly parameters: SignatureParameters
    readonly sign: (bytes: Uint8Array) => Uint8Array
  }
): { readonly "signature-input": string; readonly signature: string } | undefined => {
  const base = signatureBase(request, components, parameters)
  if (base === undefined) return undefined
  const signature = Buffer.from(sign(Buffer.from(base))).toString("base64")
  return {
    "signature-input": `${label}=${serialize(components, parameters)}`,
    signature: `${label}=:${signature}:`
  }
}

const inputPattern =
  /^([a-z*][a-z0-9_.*-]*)=\(((?:"[!-~]*"(?: "[!-~]*")*)?)\)((?:;[a-z*][a-z0-9_.*-]*=(?:-?\d{1,15}|"(?:[ !#-[\]-~]|\\["\\])*"))*)$/
const parameterPattern = /;([a-z*][a-z0-9_.*-]*)=(?:(-?\d{1,15})|"((?:[ !#-[\]-~]|\\["\\])*)")/g
const signaturePattern = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]+={0,2}):$/

const names: ReadonlySet<string> = new Set(["alg", "created", "keyid", "nonce", "tag"])

/**
 * Reads the only signature of a request from its fields `Signature-Input` and `Signature`. Returns undefined for
 * anything else: several signatures, component parameters, a repeated component, or an unknown parameter.
 */
export const readSignature = (input: string, signature: string): RequestSignature | undefined => {
  const [, label, list = "", text = ""] = inputPattern.exec(input.trim()) ?? []
  const [, signedLabel, encoded = ""] = signaturePattern.exec(signature.trim()) ?? []
  if (label === undefined || label !== signedLabel) return undefined
  const components = list === "" ? [] : list.split(" ").map((item) => item.slice(1, -1))
  if (new Set(components).size !== components.length || components.some((name) => /["\\]/.test(name))) return undefined
  const parameters: Record<string, string | number> = {}
  for (const [, name = "", number, string = ""] of text.matchAll(parameterPattern)) {
    const value = number === undefined ? string.replace(/\\(.)/g, "$1") : Number(number)
    const isKnown = names.has(name) && (typeof value === "number") === (name === "created")
    if (!isKnown || Object.hasOwn(parameters, name)) return undefined
    parameters[name] = value
  }
  if (parameters["created"] === undefined || parameters["keyid"] === undefined) return undefined
  return {
    label,
    components,
    parameters: parameters as unknown as SignatureParameters,
    signature: Buffer.from(encoded, "base64")
  }
}
