import type { Intent } from '../state/intent.ts';
import type { Effect } from '../step/effects.ts';
import { composeReply } from './shared/markdown.ts';

/** The reply to a comment that asks for something while its repository is paused; undefined for anything else. */
export function pausedReply(intent: Intent): Effect | undefined {
  if (intent.kind !== 'comment') return undefined;
  const { location, parsed } = intent;
  if (parsed.kind === 'text' && !parsed.addressedToApp) return undefined;
  return { type: 'reply', to: location, reply: PAUSED_REPLY, onceKey: 'paused' };
}

const PAUSED_REPLY = composeReply(
  'The operator of Countersign has paused it here, so nothing is done now. ' +
    'Comments are kept, and all of them are handled in order once the pause ends.',
);
