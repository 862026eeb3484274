/** Validates the sections on tokens that an API issues: where tokens are, and where clients may use them. */
import * as Result from "effect/Result"
import { PLACEHOLDER } from "../injection/Placeholder.ts"
import { parseRule } from "../rules/Rule.ts"
import { checkHeaders, type Tell } from "./PlacementChecks.ts"
import type { ProviderDefinition } from "./Provider.ts"
import { placementsOf, sectionOf } from "./ProviderFields.ts"

export const checkIssuedTokens = (definition: ProviderDefinition, tell: Tell): void => {
  const { issuesTokens } = definition
  const all = placementsOf(definition)
  for (const { place, placement: { body, headers, issuedTokensOnly, pathTemplates, query, ...places } } of all) {
    const others = Object.keys({ ...places, ...body, ...headers, ...query }).length + pathTemplates.length
    if (issuedTokensOnly !== undefined && others > 0) {
      tell([...place, "issued_tokens_only"], "cannot be combined with another place of the credential at this host")
    }
  }
  if (issuesTokens.length === 0) return
  if (all.some(({ placement: { awsSigv4, hmac } }) => awsSigv4 !== undefined || hmac !== undefined)) {
    tell(["issues_tokens"], "is not supported together with aws_sigv4 or hmac, which sign requests")
  }
  for (const [index, section] of issuesTokens.entries()) {
    const { host, login, methods, paths, refused, tokens, useHeaders, useHosts } = section
    const here = tell.at("issues_tokens", index)
    if (!definition.hosts.includes(host)) here(["host"], "must be an entry of \"hosts\"")
    if (paths.length === 0) here(["paths"], "has no path")
    for (const [at, path] of paths.entries()) {
      const rule = parseRule(`POST host.example${path}`)
      if (!path.startsWith("/")) here(["paths", at], "must begin with a slash")
      else if (Result.isFailure(rule)) here(["paths", at], rule.failure)
      else if (login !== undefined && path.includes("*")) {
        here(["paths", at], "must not contain a wildcard, because login applies to these exact paths")
      } else if (rule.success.operation !== null) here(["paths", at], "must not have a GraphQL operation")
    }
    if ([tokens.length > 0, login !== undefined, refused !== undefined].filter(Boolean).length !== 1) {
      here([], "must have exactly one of tokens, login and refused")
    } else if (tokens.length === 0 && methods.join() !== "POST") {
      here(["methods"], "has no effect with login or refused, which apply to every method")
    }
    if (login !== undefined) {
      const { revocationUrl, tokenUrl } = definition.authType === "oauth2" ? definition.oauth : {}
      const [name, url] = login.endpoint === "token" ? ["token_url", tokenUrl] : ["revocation_url", revocationUrl]
      if (url === undefined) {
        here(["login"], `requires oauth.${name}, the endpoint at which the daemon refreshes or revokes the tokens`)
      }
      if (sectionOf(definition).perHost[host]?.issuedTokensOnly !== true) {
        here(["login"], "needs issued_tokens_only for this host in oauth.per_host")
      }
      if (!definition.placeholder.endsWith(PLACEHOLDER)) {
        here(["login"], `requires a definition whose placeholder ends with "${PLACEHOLDER}"`)
      }
    }
    checkHeaders(useHeaders, new Set(["token"]), here.at("use_headers"))
    for (const [at, entry] of useHosts.entries()) {
      if (!definition.hosts.includes(entry)) here(["use_hosts", at], "must be an entry of \"hosts\"")
    }
  }
}
