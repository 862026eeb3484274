import type { VendorClient } from "./VendorClient.ts"

const script = (provider: string, name: string, code: string): VendorClient => ({
  provider,
  packages: [name],
  registry: "pypi",
  language: "python",
  code
})

export const pythonVendors: ReadonlyArray<VendorClient> = [
  script("openai", "openai", `import openai; openai.OpenAI(max_retries=0).models.list()`),
  script("anthropic", "anthropic", `import anthropic; anthropic.Anthropic(max_retries=0).models.list()`),
  script("groq", "groq", `import groq; groq.Groq(max_retries=0).models.list()`),
  script("gemini", "google-genai", `from google import genai; client = genai.Client(); list(client.models.list())`),
  script("huggingface", "huggingface-hub", `from huggingface_hub import whoami; whoami()`),
  script("langsmith", "langsmith", `from langsmith import Client; next(Client().list_projects(), None)`),
  script(
    "posthog",
    "posthog",
    `import os; from posthog import Posthog
Posthog("phc_x", host="https://us.i.posthog.com", personal_api_key=os.environ["POSTHOG_PERSONAL_API_KEY"]).load_feature_flags()`
  ),
  script(
    "github-token",
    "pygithub",
    `import os, github; github.Github(auth=github.Auth.Token(os.environ["GITHUB_TOKEN"])).get_user().login`
  ),
  {
    ...script(
      "supabase",
      "supabase",
      `import os; from supabase import create_client
create_client(os.environ["SUPABASE_URL"], os.environ["SUPABASE_SECRET_KEY"]).table("t").select("*").execute()`
    ),
    baseUrl: "https://abcdefghijklmnopqrst.supabase.co"
  }
]
