import { env, type VendorClient } from "./VendorClient.ts"

/** A module that sends a prompt to a model of a provider of the Vercel AI SDK. */
const generates = (from: string, name: string, model: string): string =>
  `import { ${name} } from ${JSON.stringify(from)}
await ${model}.doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }] })`

/** A client of the Vercel AI SDK whose export creates a model by its name. */
const aiSdk = (provider: string, from: string, name: string): VendorClient => ({
  provider,
  packages: [from],
  code: generates(from, name, `${name}("m")`)
})

export const modelVendors: ReadonlyArray<VendorClient> = [
  { provider: "openai", packages: ["openai"], code: `import OpenAI from "openai"; await new OpenAI().models.list()` },
  {
    provider: "anthropic",
    packages: ["@anthropic-ai/sdk"],
    code: `import Anthropic from "@anthropic-ai/sdk"; await new Anthropic().models.list()`
  },
  {
    provider: "gemini",
    packages: ["@google/genai"],
    code: `import { GoogleGenAI } from "@google/genai"; await new GoogleGenAI({}).models.list()`
  },
  { provider: "groq", packages: ["groq-sdk"], code: `import Groq from "groq-sdk"; await new Groq().models.list()` },
  {
    provider: "cohere",
    packages: ["cohere-ai"],
    code: `import { CohereClientV2 } from "cohere-ai"; await new CohereClientV2({}).models.list()`
  },
  {
    provider: "mistral",
    packages: ["@mistralai/mistralai"],
    code: `import { Mistral } from "@mistralai/mistralai"; await new Mistral({ apiKey: ${
      env("MISTRAL_API_KEY")
    } }).models.list()`
  },
  {
    provider: "replicate",
    packages: ["replicate"],
    code: `import Replicate from "replicate"; await new Replicate().models.list()`
  },
  {
    provider: "together",
    packages: ["together-ai"],
    code: `import Together from "together-ai"; await new Together().models.list()`
  },
  {
    provider: "cerebras",
    packages: ["@cerebras/cerebras_cloud_sdk"],
    code:
      `import Cerebras from "@cerebras/cerebras_cloud_sdk"; await new Cerebras({ warmTCPConnection: false }).models.list()`
  },
  {
    provider: "huggingface",
    packages: ["@huggingface/hub"],
    code: `import { whoAmI } from "@huggingface/hub"; await whoAmI({ accessToken: ${env("HF_TOKEN")} })`
  },
  {
    provider: "fal",
    packages: ["@fal-ai/client"],
    code: `import { fal } from "@fal-ai/client"; await fal.queue.status("fal-ai/x", { requestId: "1" })`
  },
  {
    provider: "elevenlabs",
    packages: ["@elevenlabs/elevenlabs-js"],
    code: `import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js"; await new ElevenLabsClient().voices.getAll()`
  },
  {
    provider: "deepgram",
    packages: ["@deepgram/sdk"],
    code: `import * as sdk from "@deepgram/sdk"
const client = sdk.createClient ? sdk.createClient(${env("DEEPGRAM_API_KEY")}) : new sdk.DeepgramClient()
await (client.manage.getProjects?.() ?? client.manage.v1.projects.list())`
  },
  {
    provider: "assemblyai",
    packages: ["assemblyai"],
    code: `import { AssemblyAI } from "assemblyai"; await new AssemblyAI({ apiKey: ${
      env("ASSEMBLYAI_API_KEY")
    } }).transcripts.list()`
  },
  {
    provider: "perplexity",
    packages: ["@perplexity-ai/perplexity_ai"],
    code: `import Perplexity from "@perplexity-ai/perplexity_ai"; await new Perplexity().search.create({ query: "x" })`
  },
  {
    provider: "voyage",
    packages: ["voyageai"],
    code: `import { VoyageAIClient } from "voyageai"
await new VoyageAIClient({ apiKey: ${env("VOYAGE_API_KEY")} }).embed({ input: "x", model: "voyage-3" })`
  },
  {
    provider: "openrouter",
    packages: ["@openrouter/sdk"],
    code: `import { OpenRouter } from "@openrouter/sdk"
await new OpenRouter({ apiKey: ${env("OPENROUTER_API_KEY")} }).credits.getCredits()`
  },
  {
    provider: "cartesia",
    packages: ["@cartesia/cartesia-js"],
    code: `import Cartesia from "@cartesia/cartesia-js"; await new Cartesia({ token: ${
      env("CARTESIA_API_KEY")
    }, apiKey: ${env("CARTESIA_API_KEY")} }).voices.list()`
  },
  {
    provider: "hume",
    packages: ["hume"],
    code: `import { HumeClient } from "hume"; await new HumeClient({ apiKey: ${
      env("HUME_API_KEY")
    } }).tts.voices.list({ provider: "HUME_AI" })`
  },
  {
    provider: "deepl",
    packages: ["deepl-node"],
    code: `import * as deepl from "deepl-node"; await new deepl.Translator(${env("DEEPL_API_KEY")} ?? ${
      env("DEEPL_AUTH_KEY")
    }).getUsage()`
  },
  {
    provider: "runway",
    packages: ["@runwayml/sdk"],
    code: `import RunwayML from "@runwayml/sdk"; await new RunwayML().organization.retrieve()`
  },
  {
    provider: "runpod",
    packages: ["runpod-sdk"],
    code: `import runpodSdk from "runpod-sdk"; await runpodSdk(${env("RUNPOD_API_KEY")}).endpoint("abc").health()`
  },
  {
    provider: "rev-ai",
    packages: ["revai-node-sdk"],
    code: `import { RevAiApiClient } from "revai-node-sdk"
await new RevAiApiClient({ token: ${env("REVAI_API_KEY")} ?? ${env("REVAI_ACCESS_TOKEN")} }).getAccount()`
  },
  {
    provider: "azure-openai",
    packages: ["openai"],
    baseUrl: "https://resource-4f9a1c7e2b8d.openai.azure.com",
    code: `import { AzureOpenAI } from "openai"; await new AzureOpenAI({ apiVersion: "2024-10-21" }).models.list()`
  },
  {
    provider: "bedrock",
    packages: ["@aws-sdk/client-bedrock-runtime"],
    code: `import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime"
await new BedrockRuntimeClient({ region: "us-east-1" }).send(new ConverseCommand({ modelId: "m", messages: [] }))`
  },
  aiSdk("xai", "@ai-sdk/xai", "xai"),
  aiSdk("deepseek", "@ai-sdk/deepseek", "deepseek"),
  aiSdk("fireworks", "@ai-sdk/fireworks", "fireworks"),
  aiSdk("deepinfra", "@ai-sdk/deepinfra", "deepinfra"),
  {
    provider: "vercel-ai-gateway",
    packages: ["@ai-sdk/gateway"],
    code: generates("@ai-sdk/gateway", "gateway", `gateway("v/m")`)
  },
  {
    provider: "azure-openai",
    packages: ["@ai-sdk/azure"],
    baseUrl: "https://resource-4f9a1c7e2b8d.openai.azure.com",
    code: generates("@ai-sdk/azure", "azure", `azure("m")`)
  },
  {
    provider: "bedrock",
    packages: ["@ai-sdk/amazon-bedrock"],
    code: generates(
      "@ai-sdk/amazon-bedrock",
      "createAmazonBedrock",
      `createAmazonBedrock({ region: "us-east-1" })("m")`
    )
  },
  aiSdk("baseten", "@ai-sdk/baseten", "baseten"),
  aiSdk("moonshot", "@ai-sdk/moonshotai", "moonshotai"),
  {
    provider: "luma-ai",
    packages: ["@ai-sdk/luma"],
    code: `import { luma } from "@ai-sdk/luma"
await luma.image("photon-1").doGenerate({ prompt: "x", n: 1, providerOptions: {} })`
  },
  {
    provider: "black-forest-labs",
    packages: ["@ai-sdk/black-forest-labs"],
    code: `import { blackForestLabs } from "@ai-sdk/black-forest-labs"
await blackForestLabs.image("flux-pro-1.1").doGenerate({ prompt: "x", n: 1, providerOptions: {} })`
  },
  {
    provider: "hume",
    packages: ["@ai-sdk/hume"],
    code: `import { hume } from "@ai-sdk/hume"
await hume.speech().doGenerate({ text: "x" })`
  },
  {
    provider: "lmnt",
    packages: ["@ai-sdk/lmnt"],
    code: `import { lmnt } from "@ai-sdk/lmnt"
await lmnt.speech("aurora").doGenerate({ text: "x" })`
  },
  {
    provider: "gladia",
    packages: ["@ai-sdk/gladia"],
    code: `import { gladia } from "@ai-sdk/gladia"
await gladia.transcription().doGenerate({ audio: new Uint8Array(8), mediaType: "audio/wav" })`
  },
  {
    provider: "rev-ai",
    packages: ["@ai-sdk/revai"],
    code: `import { revai } from "@ai-sdk/revai"
await revai.transcription("machine").doGenerate({ audio: new Uint8Array(8), mediaType: "audio/wav" })`
  }
]
