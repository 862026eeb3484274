/** Ambiguous paths, which servers may decode to a path that the rules of a run deny. */

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const SEPARATORS = words(String.raw`
  / // /./ /.// /;/ /;a=b/ \ /\ %2f %2F %252f %5c %255C %2f/ /%2e/ /%20/ /%00/ %u2215 %EF%BC%8F %E2%88%95 %c0%af
  %e0%80%af %25%32%66 %c1%9c /%09/ /%0a
`)

const PARENTS = words(String.raw`
  .. %2e%2e %2E%2e .%2e %2e. %252e%252e %25%32%65%25%32%65 ..; ..;a=b %c0%ae%c0%ae ..%00 ..%0d ... .... ..%20 ..%09
  ..%c2%ad %u002e%u002e %EF%BC%8E%EF%BC%8E %E2%80%A5 ..%ef%bb%bf %3b/.. ..?
`)

const SECRETS = words(String.raw`
  secret Secret SECRET %73ecret s%65cret %73%65%63%72%65%74 %53ECRET secre%54 %C5%BFecret secret%00 secret%20 secret.
  secret.. secret;a=b secret%3ba secret%3Fa secret%23a secret%2f secret%5c secret\ secret%2fx secret%09 %2573ecret
  secret%2500 se%C2%ADcret %EF%BD%93ecret s%CC%80ecret %e2%80%8bsecret secret::$DATA SECRET~1 secret%c2%a0
`)

/** Paths that some server may read as one under `/allowed/secret` or outside of `/allowed`. Some are unambiguous. */
export const ambiguousPaths: ReadonlyArray<string> = [
  ...SEPARATORS.flatMap((separator) => PARENTS.map((parent) => `/allowed${separator}${parent}${separator}other/x`)),
  ...PARENTS.flatMap((parent) => [`/allowed/a/${parent}/secret/x`, `/other/${parent}/allowed/x`, `/allowed/${parent}`]),
  ...SECRETS.flatMap((
    secret
  ) => [`/allowed/${secret}`, `/allowed/${secret}/x`, `/allowed/./${secret}`, `/Allowed/${secret}`]),
  ...SEPARATORS.flatMap((
    separator
  ) => [`/allowed${separator}secret/x`, `${separator}other/allowed/x`, `/allowed/secret${separator}x`]),
  ...words(String.raw`
    / /other /ALLOWED/x /allowedx/y /allowed%2fx/%2e%2e/%2e%2e/other //allowed/x /%61llowed/../other * https://a/allowed/x
    allowed/x /allowed/x% /allowed/%gg/../../other /allowed/%2 /allowed#/../other
  `)
]

/** Segments and separators of fuzzed paths. */
export const pathParts: ReadonlyArray<string> = [
  ...SEPARATORS,
  ...PARENTS,
  ...SECRETS,
  ...words("/allowed /allowed/ allowed other a b.c %41 % %2 %C3%A9 + : @ = & ~ é | %7e %2541 . ;")
]
