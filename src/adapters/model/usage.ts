import { z } from 'zod';
import type { TokenUsage } from '../../core/state/conversation.ts';
import { isReported } from '../../core/state/spending.ts';
import { isRecord } from '../../lib/trust.ts';
import type { JsonObject } from './model-wire.ts';

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
