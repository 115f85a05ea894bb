import type { OpenAI } from 'openai';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** The model's sizes in tokens, as the operator states them; null for those that they do not state. */
type KnownSizes = { readonly contextTokens: number | null; readonly maxOutputTokens: number | null };

type ContextSizeOptions = KnownSizes & {
  readonly client: Pick<OpenAI, 'get'>;
  readonly model: string;
  readonly now: () => number;
};

const LOOKUP_TIMEOUT_MS = 5_000;

/** An endpoint that could not be asked is asked again after this time (ms). */
const RETRY_AFTER_MS = 10 * 60_000;

/** Reads how long a request can be: as the operator says, else as the endpoint's list of models says, if it does. */
export function createContextSizeReader(options: ContextSizeOptions): (signal: AbortSignal) => Promise<number | null> {
  let known: number | null = options.contextTokens;
  let askedAt = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    if (known === null && options.now() - askedAt >= RETRY_AFTER_MS) {
      askedAt = options.now();
      known = await lookUp(options, signal);
    }
    return known === null ? null : withoutAnswer(known, options.maxOutputTokens);
  };
}

/** Never fails: without an answer the size stays unknown. */
async function lookUp({ client, model }: ContextSizeOptions, stopping: AbortSignal): Promise<number | null> {
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)]);
    const response = await client.get('/models', { signal, timeout: 2 * LOOKUP_TIMEOUT_MS }).asResponse();
    return findContextSize(parseJson(await response.text()), model);
  } catch {
    return null;
  }
}

/** An answer is left this many tokens if the operator sets no limit. */
const ANSWER_TOKENS = 16_000;

/** The context without room for the answer, which has at most half of it. */
function withoutAnswer(contextTokens: number, maxOutputTokens: number | null): number {
  const answer = maxOutputTokens ?? Math.min(ANSWER_TOKENS, contextTokens / 4);
  return Math.floor(contextTokens - Math.min(answer, contextTokens / 2));
}

/** The names of the size in the lists of models of OpenRouter, vLLM, Groq, Mistral, LM Studio, Anthropic and others. */
const SIZE_NAMES = [
  'context_length',
  'max_model_len',
  'context_window',
  'max_context_length',
  'max_input_tokens',
  'n_ctx',
  'n_ctx_train',
] as const;

/** The size of the model's context in an endpoint's list of models; the smallest, if there are several. */
export function findContextSize(list: unknown, model: string): number | null {
  const models: readonly unknown[] = isRecord(list) && Array.isArray(list['data']) ? list['data'] : [];
  const entry = models.find((one) => isRecord(one) && (one['id'] === model || one['id'] === `models/${model}`));
  if (!isRecord(entry)) return null;
  const parts = [entry, entry['meta'], entry['top_provider']].filter(isRecord);
  const sizes = parts.flatMap((part) => SIZE_NAMES.flatMap((name) => tokenCount(part[name]) ?? []));
  return sizes.length === 0 ? null : Math.min(...sizes);
}

const PLAUSIBLE = { min: 256, max: 100_000_000 } as const;

/** A number of tokens, also in digits; null for anything that cannot be one. */
function tokenCount(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count)) return null;
  return count >= PLAUSIBLE.min && count <= PLAUSIBLE.max ? count : null;
}
