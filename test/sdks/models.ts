/** APIs of language models, speech and search. */
import { type Apis, chat, either, events, upload } from "./Api.ts"

/** Chats with a model, once whole and once streamed, with a client in the form of OpenAI's. */
const chats = (create: string): string =>
  `say((await ${create}(question)).choices[0].message.content)
  let text = ""
  for await (const part of await ${create}({ ...question, stream: true })) text += part.choices[0].delta.content ?? ""
  if (text !== "served") throw new Error(text)`

const generated = { candidates: [{ content: { role: "model", parts: [{ text: "served" }] }, finishReason: "STOP" }] }

const conversed = { output: { message: { role: "assistant", content: [{ text: "served" }] } } }

/** The end of a response in the AI SDK's own form. */
const finished = {
  type: "finish",
  finishReason: { unified: "stop" },
  usage: { inputTokens: {}, outputTokens: {} }
}

/** The models of the AI SDK. */
const aiSdk = (create: string): string =>
  `const { generateText, streamText } = await import("ai")
  const model = ${create}
  say((await generateText({ model, prompt: "hi", maxRetries: 0 })).text)
  if (await streamText({ model, prompt: "hi", maxRetries: 0 }).text !== "served") throw new Error("not streamed")`

export const models: Apis = {
  openai: {
    key: "authorization: Bearer sk-proj-$",
    calls: {
      "POST api.openai.com/v1/chat/completions": chat,
      "POST api.openai.com/v1/files": upload({ id: "file-1" }),
      "POST eu.api.openai.com/v1/chat/completions": chat
    },
    sdk: {
      openai: `for (const client of [new sdk.default(), new sdk.default({ baseURL: "https://eu.api.openai.com/v1" })]) {
          ${chats("client.chat.completions.create")}
        }
        await new sdk.default().files.create({ file: fs.createReadStream(file), purpose: "assistants" })`
    }
  },
  anthropic: {
    key: "x-api-key: sk-ant-api03-$",
    calls: {
      "POST api.anthropic.com/v1/messages": either(
        { role: "assistant", content: [{ type: "text", text: "served" }] },
        events(["content_block_delta", {
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: "served" }
        }])
      ),
      "POST api.anthropic.com/v1/files": upload({ id: "served", type: "file" })
    },
    sdk: {
      "@anthropic-ai/sdk": `const client = new sdk.default()
        say((await client.messages.create(question)).content[0].text)
        for await (const { delta } of await client.messages.create({ ...question, stream: true })) say(delta.text)
        say((await client.beta.files.upload({ file: fs.createReadStream(file) })).id)`
    }
  },
  gemini: {
    key: "x-goog-api-key: AIza$",
    calls: {
      "POST generativelanguage.googleapis.com/v1/models/m:generateContent": generated,
      "POST generativelanguage.googleapis.com/v1/models/m:streamGenerateContent": events(generated)
    },
    sdk: {
      "@google/genai": `const { models } = new sdk.GoogleGenAI({}), request = { model: "m", contents: "hi" }
        say((await models.generateContent(request)).text)
        for await (const part of await models.generateContentStream(request)) say(part.text)`
    }
  },
  mistral: {
    key: "authorization: Bearer $",
    calls: {
      "POST api.mistral.ai/v1/chat/completions": chat,
      "POST api.mistral.ai/v1/files": upload({
        id: "497f6eca-6276-4993-bfeb-53cbbbba6f09",
        object: "file",
        bytes: 1,
        created_at: 1,
        filename: "f",
        purpose: "ocr",
        sample_type: "instruct",
        source: "upload"
      })
    },
    sdk: {
      "@mistralai/mistralai": `const client = new sdk.Mistral({ apiKey: env.MISTRAL_API_KEY })
        say((await client.chat.complete(question)).choices[0].message.content)
        for await (const { data } of await client.chat.stream(question)) say(data.choices[0].delta.content ?? "")
        await client.files.upload({ file: new File([await fs.openAsBlob(file)], "file.txt") })`
    }
  },
  groq: {
    key: "authorization: Bearer gsk_$",
    calls: {
      "POST api.groq.com/openai/v1/chat/completions": chat,
      "POST api.groq.com/openai/v1/audio/transcriptions": upload({ text: "served" })
    },
    sdk: {
      "groq-sdk": `const client = new sdk.default()
        ${chats("client.chat.completions.create")}
        say((await client.audio.transcriptions.create({ model: "m", file: fs.createReadStream(file) })).text)`
    }
  },
  deepseek: {
    key: "authorization: Bearer sk-$",
    calls: { "POST api.deepseek.com/chat/completions": chat },
    sdk: { "@ai-sdk/deepseek": aiSdk(`sdk.deepseek("m")`) }
  },
  "vercel-ai-gateway": {
    key: "authorization: Bearer vck_$",
    calls: {
      "POST ai-gateway.vercel.sh/v4/ai/language-model": ({ headers }) =>
        headers["ai-language-model-streaming"] === "true"
          ? events(
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: "served" },
            { type: "text-end", id: "t" },
            finished
          )
          : { ...finished, content: [{ type: "text", text: "served" }] }
    },
    sdk: { "@ai-sdk/gateway": aiSdk(`sdk.gateway("openai/m")`) }
  },
  bedrock: {
    key: "authorization: Bearer bedrock-api-key-$",
    calls: {
      "POST bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse": conversed,
      "POST bedrock-runtime.us-east-1.amazonaws.com/model/m/converse": conversed
    },
    sdk: {
      "@aws-sdk/client-bedrock-runtime": `for (const region of ["eu-west-1", "us-east-1"]) {
          const request = new sdk.ConverseCommand({ modelId: "m", messages: [{ role: "user", content: [{ text: "hi" }] }] })
          say((await new sdk.BedrockRuntimeClient({ region }).send(request)).output)
        }`
    }
  },
  "azure-openai": {
    login: { api_key: "$", resource: "mine" },
    base: "https://mine.openai.azure.com",
    key: "api-key: $",
    calls: {
      "POST mine.openai.azure.com/openai/v1/chat/completions": chat,
      "POST mine.openai.azure.com/openai/deployments/m/chat/completions": chat
    },
    sdk: {
      "@ai-sdk/azure": aiSdk(`sdk.azure.chat("m")`),
      openai: `const client = new sdk.AzureOpenAI({ apiVersion: "2024-10-21" })
        ${chats("client.chat.completions.create")}`
    }
  },
  cohere: {
    key: "authorization: Bearer $",
    calls: {
      "POST api.cohere.com/v2/chat": either(
        { id: "c", message: { role: "assistant", content: [{ type: "text", text: "served" }] } },
        events({ type: "content-delta", index: 0, delta: { message: { content: { text: "served" } } } })
      )
    },
    sdk: {
      "cohere-ai": `const client = new sdk.CohereClientV2({})
        say((await client.chat(question)).message)
        for await (const part of await client.chatStream(question)) say(part.delta)`
    }
  },
  openrouter: {
    key: "authorization: Bearer sk-or-v1-$",
    calls: { "POST openrouter.ai/api/v1/chat/completions": chat },
    sdk: {
      "@openrouter/sdk": `const { chat } = new sdk.OpenRouter({ apiKey: env.OPENROUTER_API_KEY })
        const create = (chatRequest) => chat.send({ chatRequest })
        ${chats("create")}`
    }
  },
  deepgram: {
    key: "authorization: Token $",
    calls: {
      "POST api.deepgram.com/v1/listen": upload({
        results: { channels: [{ alternatives: [{ transcript: "served" }] }] }
      }),
      "GET api.deepgram.com/v1/listen": { type: "Metadata", request_id: "served" }
    },
    sdk: {
      "@deepgram/sdk": `const client = new sdk.DeepgramClient()
        say(await client.listen.v1.media.transcribeFile(fs.readFileSync(file), { model: "m" }))
        const socket = await client.listen.v1.connect({ model: "m", Authorization: "Token " + env.DEEPGRAM_API_KEY })
        socket.on("message", (message) => { say(message); socket.close() })
        socket.connect()`
    }
  },
  huggingface: {
    key: "authorization: Bearer hf_$",
    calls: { "POST router.huggingface.co/v1/chat/completions": chat },
    sdk: {
      "@huggingface/inference": `const client = new sdk.InferenceClient(env.HF_TOKEN)
        say((await client.chatCompletion(question)).choices)
        for await (const part of client.chatCompletionStream(question)) say(part.choices)`
    }
  },
  firecrawl: {
    key: "authorization: Bearer fc-$",
    calls: {
      "POST api.firecrawl.dev/v2/scrape": { success: true, data: { markdown: "served", metadata: {} } },
      "POST api.firecrawl.dev/v2/search": { success: true, data: { web: [{ title: "served" }] } },
      "POST api.firecrawl.dev/v2/parse": upload({ success: true, data: { markdown: "served", metadata: {} } })
    },
    sdk: {
      "@mendable/firecrawl-js": `const client = new sdk.default()
        say(await client.scrape("https://x.test")); say(await client.search("hi"))`
    },
    cli: { "firecrawl-cli": "cp file.txt file.html; firecrawl scrape https://x.test; firecrawl parse file.html" }
  },
  browserbase: {
    login: { api_key: "bb_live_$", project_id: "p" },
    key: "x-bb-api-key: bb_live_$",
    calls: {
      "POST api.browserbase.com/v1/sessions": { id: "served" },
      "POST api.browserbase.com/v1/sessions/s/uploads": upload({ message: "served" })
    },
    sdk: {
      "@browserbasehq/sdk": `const client = new sdk.default()
        say(await client.sessions.create({ projectId: env.BROWSERBASE_PROJECT_ID }))
        say(await client.sessions.uploads.create("s", { file: fs.createReadStream(file) }))`
    }
  },
  langsmith: {
    base: "eu",
    key: "x-api-key: lsv2_pt_$",
    calls: {
      "GET eu.api.smith.langchain.com/datasets": [{ id: "served", name: "n" }],
      "POST eu.api.smith.langchain.com/runs": {}
    },
    sdk: {
      langsmith: `const client = new sdk.Client({ autoBatchTracing: false })
        await client.createRun({ name: "n", run_type: "llm", inputs: {} })
        for await (const each of client.listDatasets()) { say(each); break }`
    }
  },
  braintrust: {
    base: "eu",
    key: "authorization: Bearer sk-$",
    calls: {
      "POST www.braintrust.dev/api/apikey/login": {
        org_info: [{ id: "o", name: "o", api_url: "https://api-eu.braintrust.dev" }]
      },
      "POST www.braintrust.dev/api/experiment/register": {
        project: { id: "p", name: "p" },
        experiment: { id: "served", name: "served" }
      },
      "POST api-eu.braintrust.dev/logs3": { ids: ["i"] }
    },
    sdk: {
      braintrust: `const experiment = sdk.init("p")
        experiment.log({ input: "hi", output: "there", scores: {} })
        await experiment.flush()
        say(await experiment.id)`
    }
  }
}
