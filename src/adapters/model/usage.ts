import { z } from 'zod';
import type { TokenUsage } from '../../core/state/conversation.ts';
import { isReported } from '../../core/state/spending.ts';

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

const WireUsage = z
  .object({
    prompt_tokens: TokenCount,
    completion_tokens: TokenCount,
    prompt_tokens_details: z.object({ cached_tokens: TokenCount }).catch({ cached_tokens: 0 }),
  })
  .catch({ prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } })
  .transform(
    ({ prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } }): TokenUsage => ({
      inputTokens: prompt_tokens,
      // A part of the input, and never more.
      cachedInputTokens: Math.min(cached_tokens, prompt_tokens),
      outputTokens: completion_tokens,
    }),
  );

/** An endpoint's count of tokens; each is 0 where it counts none. */
export function parseUsage(counted: unknown): TokenUsage {
  return WireUsage.parse(counted);
}

/** An endpoint's count of tokens; null if it counts none. */
export function readUsage(counted: unknown): TokenUsage | null {
  const usage = parseUsage(counted);
  return isReported(usage) ? usage : null;
}
