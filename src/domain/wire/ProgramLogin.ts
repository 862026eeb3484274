/** What a proxy sends to the daemon about a request by which a program in a run logs in, refreshes or logs out, and the reply. */
import * as Schema from "effect/Schema"
import { Content } from "./OriginalFile.ts"
import { ProviderName } from "./ProviderName.ts"
import { maxPath } from "./ResolveMessages.ts"
import { wire } from "./Wire.ts"

/** A request or response of the program, as far as the daemon has to know it. */
const ProgramMessage = wire("ProgramMessage", "The content of a request or response", {
  contentType: [Schema.String.check(Schema.isMaxLength(256)), "The media type of the content; empty if unknown"],
  content: [Content, "The content as text"]
})
export type ProgramMessage = typeof ProgramMessage.Type

export const ProgramLoginRequest = wire(
  "ProgramLoginRequest",
  "A program's request to which the provider may respond with tokens",
  {
    provider: [ProviderName, "The provider that the request belongs to"],
    method: [Schema.String.check(Schema.isMaxLength(32)), "The method of the request"],
    host: [Schema.String.check(Schema.isMaxLength(253)), "The host of the request"],
    port: [Schema.Int, "The port of the request"],
    target: [Schema.String.check(Schema.isMaxLength(maxPath)), "The path and query"],
    client: [
      Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1024))),
      "The client ID in the Authorization header, if present"
    ],
    request: [ProgramMessage, "The content of the request"],
    response: [Schema.optionalKey(ProgramMessage), "The response of the provider. Absent before the request is sent"]
  }
)
export type ProgramLoginRequest = typeof ProgramLoginRequest.Type

export const ProgramLoginReply = wire(
  "ProgramLoginReply",
  "What the proxy does with a program's login, refresh or logout request, or with the provider's response",
  {
    captured: [
      Schema.optionalKey(Schema.Literal(true)),
      "Present if the proxy must send the request and ask again with the response. Without this member and without `content`, " +
      "the proxy sends the request and forwards the response unchanged"
    ],
    status: [
      Schema.optionalKey(Schema.Int),
      "The status of the response to the program. The default is the status of the provider's response"
    ],
    contentType: [Schema.optionalKey(Schema.String), "The media type of the content"],
    content: [
      Schema.optionalKey(Schema.String),
      "The content of the response that the proxy sends to the program, with placeholders in place of tokens"
    ]
  }
)
export type ProgramLoginReply = typeof ProgramLoginReply.Type
