/** The page on which the user of a browser confirms a login of an exposed daemon. */

const formType = { "content-type": "application/x-www-form-urlencoded" }

/** Returns the request that the form of the page sends. */
export const confirmationOf = (page: string) => {
  const field = (pattern: RegExp) => pattern.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? ""
  return {
    target: field(/<form method="post" action="([^"]+)"/),
    method: "POST",
    headers: formType,
    body: new URLSearchParams({ action: "paste", callback: field(/name="callback" value="([^"]+)"/) }).toString()
  }
}
