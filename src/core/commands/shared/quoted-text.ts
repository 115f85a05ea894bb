import { headOf } from '../../agent/shared/clean-text.ts';
import type { Quote } from '../../state/intent.ts';
import { CONTEXT_LIMITS } from '../../state/task-context.ts';

/** What a comment quotes, for the agent; null if it quotes nothing. */
export function quotedText(quote: Quote | null): string | null {
  if (quote === null) return null;
  return quote.kind === 'other' ? quote.text : headOf(quote.lines.join('\n'), CONTEXT_LIMITS.quote);
}
