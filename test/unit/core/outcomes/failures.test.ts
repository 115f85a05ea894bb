import { describe, expect, it } from 'vitest';
import { deadLetterReply } from '../../../../src/core/outcomes/failures.ts';
import type { Signal } from '../../../../src/core/step/signals.ts';
import { delivery, pullOf, run } from '../../../contracts/store/samples.ts';

const LOST: Signal = { type: 'model-failed', runId: 'r', turn: 1, failure: null, message: '' };

function textOf(signal: Signal): string {
  const effect = deadLetterReply(signal, null, 'f00d');
  if (effect?.type !== 'reply') throw new Error('no reply');
  return effect.reply;
}

describe('the reply about a dead letter (G8)', () => {
  it('says how to restart the run after a lost outcome', () => {
    expect(textOf(LOST)).toContain('If the run doesn’t continue, use `/stop` and start a new one');
    expect(textOf(LOST)).toContain('`f00d`');
  });

  it('is omitted for an event without a run', () => {
    const closed: Signal = { type: 'intent', deliveryId: 'a', intent: delivery('a').intent };
    expect(deadLetterReply(closed, pullOf(1), 'f00d')).toBeNull();
    expect(deadLetterReply(closed, pullOf(1, { run: run('r') }), 'f00d')).toMatchObject({ to: { at: 'pull-request' } });
  });
});
