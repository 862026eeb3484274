/** Client ID metadata documents: the ID of a client is the URL of a document that describes it. */

export const clientMetadataPath = "/auth/client.json"

/** The URL of this daemon's document, or undefined for a daemon that other machines cannot reach by https. */
export const ownClientId = (publicUrl: string): string | undefined =>
  publicUrl.startsWith("https:") ? publicUrl + clientMetadataPath : undefined

/** The document of a client. Any server may read it, so such a client has no secret. */
export const metadataDocument = (clientId: string, redirectUris: ReadonlyArray<string>) => ({
  client_id: clientId,
  client_name: "credsvc",
  application_type: redirectUris.every((uri) => uri.startsWith("https:")) ? "web" : "native",
  redirect_uris: redirectUris,
  grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
})
