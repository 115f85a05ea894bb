/**
 * The words of refusals of a conversation that is too long, with the endpoints that write them. A recorded text of each
 * is in test/fixtures. Such a text can name the limit of the answer too. No size is read from it, because what it counts
 * differs: the next request is shorter.
 */
export const OVERFLOWS: readonly (readonly [endpoints: string, words: RegExp])[] = [
  [
    'OpenAI, DeepSeek, OpenRouter, vLLM, xAI, Ollama’s cloud',
    /max(?:imum)? (?:context|model|prompt|input) length(?: is|:| of| \()/i,
  ],
  ['vLLM with the size first, LM Studio', /context length (?:is|of) only/i],
  ['Together, SGLang, LM Studio, vLLM', /(?:longer|greater|larger) than .{0,40}(?:context|model) (?:length|window)/i],
  [
    'llama.cpp, OpenAI, Ollama, Anthropic, LiteLLM, codes as words',
    /exceed\w*.{0,60}\bcontext[ _](?:length|size|window|limit)/i,
  ],
  ['MiniMax, LM Studio, Cloudflare', /context[ _]?(?:length|size|window|limit).{0,30}exceed/i],
  ['older LM Studio', /context the overflows/i],
  ['Mistral', /too large for model with/i],
  ['Anthropic, Ollama, Bedrock', /\b(?:prompt|input|conversation)(?: is| was)? too (?:long|large)/i],
  ['Perplexity, Moonshot', /\b(?:messages|tokens?|tokens? length)(?: is| are)? too long/i],
  ['Moonshot', /exceed\w* (?:the )?(?:model )?token limit|token limit exceed/i],
  [
    'Gemini, Copilot, SGLang, Poolside, Bedrock, z.ai, NIM',
    /(?<!\bin (?:the|your) )\b(?:input|prompt|request(?:ed)?)\b.{0,60}\bexceed.{0,40}\b(?:tokens?|length|size|limit|context|model)/i,
  ],
  ['Cohere, Doubao', /\b(?:total|number of|total number of) tokens\b.{0,60}\bexceed/i],
  ['TGI, Together, Hugging Face', /\binputs?`? (?:tokens \+ |must have less than \d+ tokens)/i],
  ['Alibaba', /input length should be/i],
  ['Groq, Cerebras', /reduce (?:the|your) (?:length|size|prompt|input|message)/i],
  ['Cohere, Bedrock', /too many (?:input |prompt )?tokens\b(?!, please wait)/i],
  ['Titan on Bedrock', /expected maxLength: \d+, actual/i],
  ['OpenAI, of one message', /messages\[\d+\]\.content\W.{0,20}string too long/i],
  [
    'others in like words',
    /\b(?:input|prompt|sequence)\b.{0,40}(?:(?:longer|larger|greater|more) than|exceeds max|> max)/i,
  ],
  ['Tencent, Baidu', /(?:输入|上下文|提示词?).{0,10}(?:过长|超)/i],
];

/** All of them. */
export const TOO_LONG_WORDS = new RegExp(OVERFLOWS.map(([, { source }]) => source).join('|'), 'i');

/** A limit of speed that one request alone passes, so that no wait helps. */
const LIMIT_AND_REQUEST = /\blimit\W{1,3}([\d,]+).{0,60}?\brequested\W{1,3}([\d,]+)/i;

/** Whether an endpoint refuses a request because it has more tokens than a minute or a day may have. */
export function exceedsRateAlone(message: string): boolean {
  const [, limit = '', requested = ''] = LIMIT_AND_REQUEST.exec(message) ?? [];
  return Number(requested.replaceAll(',', '')) > Number(limit.replaceAll(',', ''));
}
