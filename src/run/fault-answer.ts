import type { Intent } from '../command/intent.ts';
import type { Effect } from './effect.ts';
import type { Pull } from './run.ts';
import type { Signal } from './signal.ts';

/**
 * What people hear of a signal that was put aside: where its words stand, else in the conversation. Null where nobody can
 * wait for anything, because the words are not ours and there never was a run, and where they were told so already. `pull`
 * is null where it could not be read; `unread` says that another version stored it.
 */
export function faultAnswer(signal: Signal, pull: Pull | null, fault: string, unread?: 'form'): Effect | null {
  if (pull !== null && pull.run === null && !isToUs(signal)) return null;
  // It follows words that were put aside for the same reason.
  if (unread !== undefined && signal.type === 'put-aside') return null;
  const words = signal.type === 'intent' && isSaid(signal.intent) ? signal.intent.place : null;
  const about = words === null ? 'event' : 'words';
  return {
    type: 'answer',
    to: words ?? { at: 'pull' },
    answer: { kind: 'fault', fault, about: unread ?? about },
    once: `fault:${fault}`,
  };
}

/** Whether somebody may have said no by it to anything here. `pull` is null where it could not be read. */
export function mayBeNo(signal: Signal, pull: Pull | null): boolean {
  return signal.type === 'intent' && NOES.has(signal.intent.kind) && (pull === null || pull.run !== null);
}

const NOES: ReadonlySet<Intent['kind']> = new Set(['said', 'dismissed', 'thread']);

type Said = Extract<Intent, { kind: 'said' | 'edited' }>;

function isSaid(intent: Intent): intent is Said {
  return intent.kind === 'said' || intent.kind === 'edited';
}

function isToUs(signal: Signal): boolean {
  if (signal.type !== 'intent' || !isSaid(signal.intent)) return false;
  const { utterance } = signal.intent;
  return utterance.kind === 'mention' || ('addressed' in utterance && utterance.addressed);
}
