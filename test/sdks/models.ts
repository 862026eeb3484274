/** APIs of language models, speech and search. */
import { type Api, chat, cli, either, events, sdk, upload } from "./Api.ts"

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

/** The end of a response in the AI SDK's own form. */
const finished = {
  type: "finish",
  finishReason: { unified: "stop" },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
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
  },
  {
    provider: "vercel-ai-gateway",
    downloads: 33.3,
    login: "vck_$",
    arrives: "authorization: Bearer vck_$",
    calls: {
      "POST ai-gateway.vercel.sh/v4/ai/language-model": ({ headers }) =>
        headers["ai-language-model-streaming"] === "true"
          ? events(
            { type: "stream-start", warnings: [] },
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: "served" },
            { type: "text-end", id: "t" },
            finished
          )
          : { ...finished, content: [{ type: "text", text: "served" }], warnings: [] }
    },
    programs: [sdk("@ai-sdk/gateway", aiSdk(`(await import("@ai-sdk/gateway")).gateway("openai/m")`))]
  },
  {
    provider: "bedrock",
    downloads: 20.8,
    login: "bedrock-api-key-$",
    arrives: "authorization: Bearer bedrock-api-key-$",
    calls: {
      "POST bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse": {
        output: { message: { role: "assistant", content: [{ text: "served" }] } },
        stopReason: "end_turn"
      },
      "POST bedrock-runtime.us-east-1.amazonaws.com/model/m/converse": {
        output: { message: { role: "assistant", content: [{ text: "served" }] } },
        stopReason: "end_turn"
      }
    },
    programs: [
      sdk(
        "@aws-sdk/client-bedrock-runtime",
        `const { BedrockRuntimeClient, ConverseCommand } = await import("@aws-sdk/client-bedrock-runtime")
        for (const region of ["eu-west-1", "us-east-1"]) {
          const request = new ConverseCommand({ modelId: "m", messages: [{ role: "user", content: [{ text: "hi" }] }] })
          say((await new BedrockRuntimeClient({ region }).send(request)).output)
        }`
      )
    ]
  },
  {
    provider: "azure-openai",
    downloads: 3.9,
    login: { api_key: "$", resource: "mine" },
    base: "https://mine.openai.azure.com",
    arrives: "api-key: $",
    calls: {
      "POST mine.openai.azure.com/openai/v1/chat/completions": chat,
      "POST mine.openai.azure.com/openai/deployments/m/chat/completions": chat
    },
    programs: [
      sdk("@ai-sdk/azure", aiSdk(`(await import("@ai-sdk/azure")).azure.chat("m")`)),
      sdk(
        "openai",
        `const { AzureOpenAI } = await import("openai")
        const client = new AzureOpenAI({ apiVersion: "2024-10-21" })
        const create = (request) => client.chat.completions.create(request)
        ${chats("create")}`
      )
    ]
  },
  {
    provider: "cohere",
    downloads: 1.6,
    login: "$",
    arrives: "authorization: Bearer $",
    calls: {
      "POST api.cohere.com/v2/chat": either(
        {
          id: "c",
          finish_reason: "COMPLETE",
          message: { role: "assistant", content: [{ type: "text", text: "served" }] }
        },
        events({ type: "content-delta", index: 0, delta: { message: { content: { text: "served" } } } })
      )
    },
    programs: [
      sdk(
        "cohere-ai",
        `const { CohereClientV2 } = await import("cohere-ai")
        const client = new CohereClientV2({}), request = { model: "m", messages: [{ role: "user", content: "hi" }] }
        say((await client.chat(request)).message)
        for await (const part of await client.chatStream(request)) say(part.delta)`
      )
    ]
  },
  {
    provider: "openrouter",
    downloads: 1.6,
    login: "sk-or-v1-$",
    arrives: "authorization: Bearer sk-or-v1-$",
    calls: { "POST openrouter.ai/api/v1/chat/completions": chat },
    programs: [
      sdk(
        "@openrouter/sdk",
        `const { OpenRouter } = await import("@openrouter/sdk")
        const client = new OpenRouter({ apiKey: env.OPENROUTER_API_KEY })
        const create = (request) => client.chat.send({ chatRequest: request })
        ${chats("create")}`
      )
    ]
  },
  {
    provider: "deepgram",
    downloads: 1.5,
    login: "$",
    arrives: "authorization: Token $",
    calls: {
      "POST api.deepgram.com/v1/listen": upload({
        metadata: {},
        results: { channels: [{ alternatives: [{ transcript: "served" }] }] }
      }),
      "GET api.deepgram.com/v1/listen": { type: "Metadata", request_id: "served" }
    },
    programs: [
      sdk(
        "@deepgram/sdk",
        `const { DeepgramClient } = await import("@deepgram/sdk")
        const { readFileSync } = await import("node:fs")
        const client = new DeepgramClient()
        say(await client.listen.v1.media.transcribeFile(readFileSync(file), { model: "m" }))
        const socket = await client.listen.v1.connect({ model: "m", Authorization: "Token " + env.DEEPGRAM_API_KEY })
        socket.on("message", (message) => { say(message); socket.close() })
        socket.connect()`
      )
    ]
  },
  {
    provider: "huggingface",
    downloads: 1.4,
    login: "hf_$",
    arrives: "authorization: Bearer hf_$",
    calls: { "POST router.huggingface.co/v1/chat/completions": chat },
    programs: [
      sdk(
        "@huggingface/inference",
        `const { InferenceClient } = await import("@huggingface/inference")
        const client = new InferenceClient(env.HF_TOKEN), request = { model: "m", messages: [{ role: "user", content: "hi" }] }
        say((await client.chatCompletion(request)).choices)
        for await (const part of client.chatCompletionStream(request)) say(part.choices)`
      )
    ]
  },
  {
    provider: "firecrawl",
    downloads: 2,
    login: "fc-$",
    arrives: "authorization: Bearer fc-$",
    calls: {
      "POST api.firecrawl.dev/v2/scrape": { success: true, data: { markdown: "served", metadata: {} } },
      "POST api.firecrawl.dev/v2/search": {
        success: true,
        data: { web: [{ url: "https://x.test", title: "served" }] }
      },
      "POST api.firecrawl.dev/v2/parse": upload({ success: true, data: { markdown: "served", metadata: {} } })
    },
    programs: [
      sdk(
        "@mendable/firecrawl-js",
        `const { default: Firecrawl } = await import("@mendable/firecrawl-js")
        const client = new Firecrawl()
        say(await client.scrape("https://x.test")); say(await client.search("hi"))`
      ),
      cli("firecrawl-cli", "cp file.txt file.html; firecrawl scrape https://x.test; firecrawl parse file.html")
    ]
  },
  {
    provider: "browserbase",
    downloads: 3.3,
    login: { api_key: "bb_live_$", project_id: "p" },
    arrives: "x-bb-api-key: bb_live_$",
    calls: {
      "POST api.browserbase.com/v1/sessions": { id: "served" },
      "POST api.browserbase.com/v1/sessions/s/uploads": upload({ message: "served" })
    },
    programs: [
      sdk(
        "@browserbasehq/sdk",
        `const { default: Browserbase } = await import("@browserbasehq/sdk")
        const { createReadStream } = await import("node:fs")
        const client = new Browserbase()
        say(await client.sessions.create({ projectId: env.BROWSERBASE_PROJECT_ID }))
        say(await client.sessions.uploads.create("s", { file: createReadStream(file) }))`
      )
    ]
  },
  {
    provider: "langsmith",
    downloads: 14.3,
    login: "lsv2_pt_$",
    base: "eu",
    arrives: "x-api-key: lsv2_pt_$",
    calls: {
      "GET eu.api.smith.langchain.com/datasets": [{ id: "served", name: "n" }],
      "POST eu.api.smith.langchain.com/runs": {}
    },
    programs: [
      sdk(
        "langsmith",
        `const { Client } = await import("langsmith")
        const client = new Client({ autoBatchTracing: false })
        await client.createRun({ name: "n", run_type: "llm", inputs: {} })
        for await (const each of client.listDatasets()) { say(each); break }`
      )
    ]
  },
  {
    provider: "braintrust",
    downloads: 2.5,
    login: "sk-$",
    base: "eu",
    arrives: "authorization: Bearer sk-$",
    calls: {
      "POST www.braintrust.dev/api/apikey/login": {
        org_info: [{
          id: "o",
          name: "o",
          api_url: "https://api-eu.braintrust.dev",
          proxy_url: "https://api-eu.braintrust.dev"
        }]
      },
      "POST www.braintrust.dev/api/experiment/register": {
        project: { id: "p", name: "p" },
        experiment: { id: "served", name: "served" }
      },
      "POST api-eu.braintrust.dev/logs3": { ids: ["i"] }
    },
    programs: [
      sdk(
        "braintrust",
        `const { init } = await import("braintrust")
        const experiment = init("p")
        experiment.log({ input: "hi", output: "there", scores: {} })
        await experiment.flush()
        say(await experiment.id)`
      )
    ]
  }
]
