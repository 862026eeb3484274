/** APIs of language models, speech and search. */
import { type Api, chat, either, events, sdk, upload } from "./Api.ts"

/** Chats with a model, once whole and once streamed, with a client in the form of OpenAI's. */
const chats = (create: string): string =>
  `const request = { model: "m", messages: [{ role: "user", content: "hi" }] }
  say((await ${create}(request)).choices[0].message.content)
  let text = ""
  for await (const part of await ${create}({ ...request, stream: true })) text += part.choices[0].delta.content ?? ""
  if (text !== "served") throw new Error(text)`

const generated = { candidates: [{ content: { role: "model", parts: [{ text: "served" }] }, finishReason: "STOP" }] }

/** The response of OpenAI's newer form. */
const spoken = {
  id: "r",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  output: [{
    type: "message",
    id: "i",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "served", annotations: [] }]
  }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
}

/** The models of the AI SDK. */
const aiSdk = (create: string): string =>
  `const { generateText, streamText } = await import("ai")
  const model = ${create}
  say((await generateText({ model, prompt: "hi", maxRetries: 0 })).text)
  if (await streamText({ model, prompt: "hi", maxRetries: 0 }).text !== "served") throw new Error("not streamed")`

export const models: ReadonlyArray<Api> = [
  {
    provider: "openai",
    downloads: 52.9,
    login: "sk-proj-$",
    arrives: "authorization: Bearer sk-proj-$",
    calls: {
      "POST api.openai.com/v1/chat/completions": chat,
      "POST api.openai.com/v1/files": upload({ id: "file-1" }),
      "POST eu.api.openai.com/v1/chat/completions": chat
    },
    programs: [
      sdk(
        "openai",
        `const { default: OpenAI } = await import("openai")
        const { createReadStream } = await import("node:fs")
        for (const client of [new OpenAI(), new OpenAI({ baseURL: "https://eu.api.openai.com/v1" })]) {
          const create = (request) => client.chat.completions.create(request)
          ${chats("create")}
        }
        await new OpenAI().files.create({ file: createReadStream(file), purpose: "assistants" })`
      )
    ]
  },
  {
    provider: "anthropic",
    downloads: 37.4,
    login: "sk-ant-api03-$",
    arrives: "x-api-key: sk-ant-api03-$",
    calls: {
      "POST api.anthropic.com/v1/messages": either(
        { id: "m", type: "message", role: "assistant", content: [{ type: "text", text: "served" }], usage: {} },
        events(
          ["message_start", { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: {} } }],
          ["content_block_start", { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
          ["content_block_delta", {
            type: "content_block_delta",
            index: 0,
            delta: { type: "text_delta", text: "served" }
          }],
          ["content_block_stop", { type: "content_block_stop", index: 0 }],
          ["message_delta", { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }],
          ["message_stop", { type: "message_stop" }]
        )
      ),
      "POST api.anthropic.com/v1/files": upload({ id: "served", type: "file" })
    },
    programs: [
      sdk(
        "@anthropic-ai/sdk",
        `const { default: Anthropic } = await import("@anthropic-ai/sdk")
        const { createReadStream } = await import("node:fs")
        const client = new Anthropic(), request = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }
        say((await client.messages.create(request)).content[0].text)
        say((await client.messages.stream(request).finalMessage()).content[0].text)
        say((await client.beta.files.upload({ file: createReadStream(file) })).id)`
      )
    ]
  },
  {
    provider: "gemini",
    downloads: 31.6,
    login: "AIza$",
    arrives: "x-goog-api-key: AIza$",
    calls: {
      "POST generativelanguage.googleapis.com/v1/models/m:generateContent": generated,
      "POST generativelanguage.googleapis.com/v1/models/m:streamGenerateContent": events(generated)
    },
    programs: [
      sdk(
        "@google/genai",
        `const { GoogleGenAI } = await import("@google/genai")
        const { models } = new GoogleGenAI({}), request = { model: "m", contents: "hi" }
        say((await models.generateContent(request)).text)
        for await (const part of await models.generateContentStream(request)) say(part.text)`
      )
    ]
  },
  {
    provider: "mistral",
    downloads: 7.7,
    login: "$",
    arrives: "authorization: Bearer $",
    calls: {
      "POST api.mistral.ai/v1/chat/completions": chat,
      "POST api.mistral.ai/v1/files": upload({
        id: "497f6eca-6276-4993-bfeb-53cbbbba6f09",
        object: "file",
        bytes: 1,
        created_at: 1,
        filename: "file.txt",
        purpose: "ocr",
        sample_type: "instruct",
        source: "upload"
      })
    },
    programs: [
      sdk(
        "@mistralai/mistralai",
        `const { Mistral } = await import("@mistralai/mistralai")
        const { openAsBlob } = await import("node:fs")
        const client = new Mistral({ apiKey: env.MISTRAL_API_KEY }), request = { model: "m", messages: [{ role: "user", content: "hi" }] }
        say((await client.chat.complete(request)).choices[0].message.content)
        for await (const { data } of await client.chat.stream(request)) say(data.choices[0].delta.content ?? "")
        await client.files.upload({ file: new File([await openAsBlob(file)], "file.txt") })`
      )
    ]
  },
  {
    provider: "groq",
    downloads: 2.3,
    login: "gsk_$",
    arrives: "authorization: Bearer gsk_$",
    calls: {
      "POST api.groq.com/openai/v1/chat/completions": chat,
      "POST api.groq.com/openai/v1/audio/transcriptions": upload({ text: "served" })
    },
    programs: [
      sdk(
        "groq-sdk",
        `const { default: Groq } = await import("groq-sdk")
        const { createReadStream } = await import("node:fs")
        const client = new Groq()
        const create = (request) => client.chat.completions.create(request)
        ${chats("create")}
        say((await client.audio.transcriptions.create({ model: "m", file: createReadStream(file) })).text)`
      )
    ]
  },
  {
    provider: "xai",
    downloads: 4.4,
    login: "xai-$",
    arrives: "authorization: Bearer xai-$",
    calls: {
      "POST api.x.ai/v1/responses": either(
        spoken,
        events(
          { type: "response.created", response: { ...spoken, output: [] } },
          { type: "response.output_text.delta", item_id: "i", output_index: 0, content_index: 0, delta: "served" },
          { type: "response.completed", response: spoken }
        )
      )
    },
    programs: [sdk("@ai-sdk/xai", aiSdk(`(await import("@ai-sdk/xai")).xai("m")`))]
  },
  {
    provider: "deepseek",
    downloads: 2.5,
    login: "sk-$",
    arrives: "authorization: Bearer sk-$",
    calls: { "POST api.deepseek.com/chat/completions": chat },
    programs: [sdk("@ai-sdk/deepseek", aiSdk(`(await import("@ai-sdk/deepseek")).deepseek("m")`))]
  },
  {
    provider: "replicate",
    downloads: 1.4,
    login: "r8_$",
    arrives: "authorization: Bearer r8_$",
    calls: {
      "POST api.replicate.com/v1/models/owner/model/predictions": {
        id: "p",
        status: "succeeded",
        output: "served",
        urls: {}
      },
      "POST api.replicate.com/v1/files": upload({ id: "served" })
    },
    programs: [
      sdk(
        "replicate",
        `const { default: Replicate } = await import("replicate")
        const { openAsBlob } = await import("node:fs")
        const client = new Replicate()
        say(await client.run("owner/model", { input: { prompt: "hi" } }))
        say(await client.files.create(await openAsBlob(file)))`
      )
    ]
  },
  {
    provider: "exa",
    downloads: 1.3,
    login: "$",
    arrives: "x-api-key: $",
    calls: { "POST api.exa.ai/search": { results: [{ id: "served", url: "https://x.test" }] } },
    programs: [
      sdk(
        "exa-js",
        `const { default: Exa } = await import("exa-js"); say(await new Exa().search("hi", { contents: false }))`
      )
    ]
  }
]
