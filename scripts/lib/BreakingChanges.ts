/**
 * Compares two OpenAPI documents of this program, and reports the changes that break clients of the older one.
 *
 * Whatever the daemon sends may gain fields, values of lists, and alternatives, which clients must ignore. Whatever it
 * reads may only accept more.
 */
type Json = Record<string, any>
type Direction = "request" | "response"

const annotations = new Set(["description", "example", "examples", "title", "summary", "discriminator", "contact"])

/** The parts of a document that decide what clients may send and expect. The keys of `properties` are names. */
export const shapeOf = (value: unknown, hasNames = false): any => {
  if (Array.isArray(value)) return value.map((item) => shapeOf(item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => hasNames || !annotations.has(key))
      .map(([key, item]) => [key, shapeOf(item, !hasNames && key === "properties")])
  )
}

const methods = ["get", "post", "put", "patch", "delete"]

const operationsOf = ({ paths }: Json): ReadonlyMap<string, Json> =>
  new Map(
    Object.entries<Json>(paths).flatMap(([path, item]) =>
      methods.flatMap((method): ReadonlyArray<[string, Json]> =>
        item[method] === undefined ? [] : [[`${method.toUpperCase()} ${path}`, item[method]]]
      )
    )
  )

const resolved = (value: Json, document: Json): Json => {
  const { $ref } = value
  return typeof $ref !== "string"
    ? value
    : resolved($ref.replace(/^#\//, "").split("/").reduce<any>((inner, key) => inner[key], document), document)
}

const list = (schema: Json): ReadonlyArray<Json> => schema["anyOf"] ?? schema["oneOf"] ?? [schema]

const valuesOf = ({ const: value, enum: values }: Json): ReadonlyArray<unknown> | undefined =>
  value === undefined ? values : [value]

/** What a member of a union is known by: its value, the values of its constant properties, or its type, listed or not. */
const keyOf = (schema: Json): string => {
  const constants = Object.entries<Json>(schema["properties"] ?? {}).flatMap(([name, { const: value }]) =>
    value === undefined ? [] : [[name, value]]
  )
  if (constants.length > 0) return JSON.stringify(constants.toSorted())
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"])
  return schema["enum"] === undefined ? String(schema["type"]) : `listed ${schema["type"]}`
}

const limits: ReadonlyArray<readonly [keyword: string, tightens: (before: number, after: number) => boolean]> = [
  ["minLength", (before, after) => after > before],
  ["minItems", (before, after) => after > before],
  ["minimum", (before, after) => after > before],
  ["maxLength", (before, after) => after < before],
  ["maxItems", (before, after) => after < before],
  ["maximum", (before, after) => after < before]
]

export const breakingChanges = (before: Json, after: Json): ReadonlyArray<string> => {
  const found: Array<string> = []
  const compared = new Set<string>()

  const compareSchemas = (older: Json, newer: Json, direction: Direction, where: string): void => {
    const pair = `${direction} ${older["$ref"]} ${newer["$ref"]}`
    if (older["$ref"] !== undefined && newer["$ref"] !== undefined) {
      if (compared.has(pair)) return
      compared.add(pair)
    }
    const old = resolved(older, before)
    const current = resolved(newer, after)
    const oldMembers = list(old).map((member) => resolved(member, before))
    const newMembers = list(current).map((member) => resolved(member, after))
    if (oldMembers.length > 1 || newMembers.length > 1) {
      const currentByKey = new Map(newMembers.map((member) => [keyOf(member), member]))
      const oldKeys = new Set(oldMembers.map(keyOf))
      for (const member of oldMembers) {
        const match = currentByKey.get(keyOf(member))
        if (match !== undefined) compareSchemas(member, match, direction, where)
        else if (direction === "request") found.push(`${where}: no longer accepts ${keyOf(member)}`)
      }
      for (const key of currentByKey.keys()) {
        // An object is an alternative that clients tell apart; null, a text or a list is not.
        const isNewKind = direction === "response" && !oldKeys.has(key) && !key.startsWith("[")
        if (isNewKind) found.push(`${where}: can also be ${key}`)
      }
      return
    }
    compareSingle(old, current, direction, where)
  }

  const compareSingle = (old: Json, current: Json, direction: Direction, where: string): void => {
    if (old["type"] !== current["type"]) {
      const [wider, narrower] = direction === "request" ? [current, old] : [old, current]
      if (wider["type"] === "number" && narrower["type"] === "integer") return
      // A schema without a type accepts everything.
      if (direction === "response" || current["type"] !== undefined) {
        found.push(`${where}: was ${old["type"] ?? "any value"} and is ${current["type"] ?? "any value"}`)
      }
      return
    }
    const oldValues = valuesOf(old)
    const newValues = valuesOf(current)
    if (direction === "request") {
      if (newValues !== undefined) {
        const lost = oldValues === undefined
          ? ["other values"]
          : oldValues.filter((value) => !newValues.includes(value))
        for (const value of lost) found.push(`${where}: no longer accepts ${String(value)}`)
      }
      if (current["pattern"] !== undefined && current["pattern"] !== old["pattern"]) {
        found.push(`${where}: has another pattern`)
      }
      for (const [keyword, tightens] of limits) {
        const limit = current[keyword]
        if (limit !== undefined && (old[keyword] === undefined || tightens(old[keyword], limit))) {
          found.push(`${where}: ${keyword} is now ${limit}`)
        }
      }
    } else if (old["format"] !== undefined && current["format"] !== old["format"]) {
      found.push(`${where}: has another format`)
    }
    if (old["items"] !== undefined && current["items"] !== undefined) {
      compareSchemas(old["items"], current["items"], direction, `${where}[]`)
    }
    const [oldRest, newRest] = [old["additionalProperties"], current["additionalProperties"]]
    if (typeof oldRest === "object" && typeof newRest === "object") {
      compareSchemas(oldRest, newRest, direction, `${where}.*`)
    }
    compareProperties(old, current, direction, where)
  }

  const compareProperties = (old: Json, current: Json, direction: Direction, where: string): void => {
    const oldProperties: Json = old["properties"] ?? {}
    const newProperties: Json = current["properties"] ?? {}
    const wasRequired = new Set<string>(old["required"])
    const isRequired = new Set<string>(current["required"])
    for (const [name, schema] of Object.entries<Json>(oldProperties)) {
      const property = `${where}.${name}`
      if (newProperties[name] === undefined) {
        // Requests with unknown fields are rejected.
        found.push(`${property}: was removed`)
        continue
      }
      if (direction === "response" && wasRequired.has(name) && !isRequired.has(name)) {
        found.push(`${property}: can be absent`)
      }
      compareSchemas(schema, newProperties[name], direction, property)
    }
    for (const name of isRequired) {
      if (direction === "request" && !wasRequired.has(name)) found.push(`${where}.${name}: is required`)
    }
  }

  const compareParameters = (old: Json, current: Json, where: string): void => {
    const named = (operation: Json, document: Json): ReadonlyMap<string, Json> =>
      new Map(
        (operation["parameters"] as ReadonlyArray<Json>).map((each) => resolved(each, document))
          .map((parameter) => [`${parameter["in"]} ${parameter["name"]}`, parameter])
      )
    const oldParameters = named(old, before)
    const newParameters = named(current, after)
    for (const [key, parameter] of newParameters) {
      const known = oldParameters.get(key)
      if (parameter["required"] === true && known?.["required"] !== true) found.push(`${where}: requires ${key}`)
      if (known !== undefined) compareSchemas(known["schema"], parameter["schema"], "request", `${where} ${key}`)
    }
    for (const key of oldParameters.keys()) {
      if (!newParameters.has(key)) found.push(`${where}: no longer has ${key}`)
    }
  }

  const compareContents = (old: Json, current: Json, direction: Direction, where: string): void => {
    for (const [type, { schema }] of Object.entries<Json>(old)) {
      if (current[type] === undefined) {
        found.push(`${where}: no longer ${direction === "request" ? "accepts" : "has"} ${type}`)
      } else compareSchemas(schema, current[type].schema, direction, where)
    }
  }

  const newer = operationsOf(after)
  for (const [name, old] of operationsOf(before)) {
    const current = newer.get(name)
    if (current === undefined) {
      found.push(`${name}: was removed`)
      continue
    }
    if (current["operationId"] !== old["operationId"]) {
      found.push(`${name}: its operationId is ${current["operationId"]}`)
    }
    compareParameters(old, current, name)
    if (old["requestBody"] !== undefined || current["requestBody"] !== undefined) {
      if (current["requestBody"] === undefined) found.push(`${name}: no longer accepts a body`)
      else if (old["requestBody"] === undefined) found.push(`${name}: requires a body`)
      else compareContents(old["requestBody"].content, current["requestBody"].content, "request", `${name} body`)
    }
    for (const [status, response] of Object.entries<Json>(old["responses"])) {
      const other = current["responses"][status]
      if (other === undefined) {
        if (status.startsWith("2")) found.push(`${name}: no longer responds with ${status}`)
        continue
      }
      compareContents(
        resolved(response, before)["content"] ?? {},
        resolved(other, after)["content"] ?? {},
        "response",
        `${name} ${status}`
      )
    }
    for (const status of Object.keys(current["responses"])) {
      if (status.startsWith("2") && old["responses"][status] === undefined) {
        found.push(`${name}: can respond with ${status}`)
      }
    }
  }
  return found
}
