import type { OpenAI } from 'openai';
import { Stream } from 'openai/streaming';
import { z } from 'zod';
import type { TokenUsage } from '../../core/state/conversation.ts';
import { isReported } from '../../core/state/spending.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import type { JsonObject } from './model-wire.ts';

const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml)\b/i;

const JSON_TYPES = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** The events of a stream, or the one object of an endpoint that ignores `stream`. */
export type AnswerBody =
  | { readonly kind: 'plain'; readonly json: unknown }
  | {
      readonly kind: 'stream';
      readonly events: AsyncIterable<unknown>;
      /** Whether `[DONE]` came, which says that the endpoint did not break off. */
      readonly isDone: () => boolean;
    };

/**
 * Reads a response's body with `read`. Throws `UnusableResponseError` for a web page and for broken JSON. Errors among
 * the events are thrown by the SDK, unless `mode` leaves them to `read`.
 */
export async function readAnswerBody<Answer>(
  response: Response,
  client: OpenAI,
  read: (body: AnswerBody) => Promise<Answer>,
  mode: 'legacy' | 'events' = 'legacy',
): Promise<Answer> {
  const type = response.headers.get('content-type') ?? '';
  if (PAGE_TYPES.test(type)) {
    await response.body?.cancel();
    throw new UnusableResponseError('wrong-content-type', `content type ${type.slice(0, 60)}`);
  }
  try {
    if (JSON_TYPES.test(type)) return await read({ kind: 'plain', json: parseJson(await response.text()) });
    const { watched, isDone } = watchForDone(response);
    const events = Stream.fromSSEResponse<unknown>(watched, new AbortController(), client, false, mode);
    return await read({ kind: 'stream', events, isDone });
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnusableResponseError('unreadable-answer', error.message);
    throw error;
  }
}

const DONE = /[\r\n]data: ?\[DONE\]/;

/** The SDK does not tell a stream that ended with `[DONE]` from one that broke off. */
function watchForDone({ body, headers, status }: Response) {
  let isDone = false;
  let tail = '\n';
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const text = `${tail}${Buffer.from(bytes).toString('latin1')}`;
      isDone ||= DONE.test(text);
      tail = text.slice(-20);
      controller.enqueue(bytes);
    },
  });
  const watched = new Response(body?.pipeThrough(watch) ?? null, { headers, status });
  return { watched, isDone: () => isDone };
}

/** More tokens than any model reads or writes at once. Such a count says nothing. */
const MAX_TOKENS = 100_000_000;

/** A count that makes no sense is none. */
const TokenCount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(0).max(MAX_TOKENS))
  .catch(0);

/** The two APIs have other names for the same counts. */
function countOf(counted: JsonObject, ...names: readonly string[]): number {
  return names.map((name) => TokenCount.parse(counted[name])).find((count) => count > 0) ?? 0;
}

/** An endpoint's count of tokens; each is 0 where it counts none. */
export function parseUsage(counted: unknown): TokenUsage {
  const usage = isRecord(counted) ? counted : {};
  const inputTokens = countOf(usage, 'prompt_tokens', 'input_tokens');
  const details = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  return {
    inputTokens,
    // A part of the input, and never more.
    cachedInputTokens: Math.min(countOf(isRecord(details) ? details : {}, 'cached_tokens'), inputTokens),
    outputTokens: countOf(usage, 'completion_tokens', 'output_tokens'),
  };
}

/** An endpoint's count of tokens; null if it counts none. */
export function readUsage(counted: unknown): TokenUsage | null {
  const usage = parseUsage(counted);
  return isReported(usage) ? usage : null;
}
