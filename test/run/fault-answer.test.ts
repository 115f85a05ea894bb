import { describe, expect, it } from 'vitest';
import { commandTable } from '../../src/command/table.ts';
import { renderAnswer } from '../../src/render/answer.ts';
import { faultAnswer } from '../../src/run/fault-answer.ts';
import type { Signal } from '../../src/run/signal.ts';
import { delivery, pullOf, run } from '../store/samples.ts';

const LOST: Signal = { type: 'model-failed', runId: 'r', turn: 1, message: '' };

function textOf(signal: Signal): string {
  const effect = faultAnswer(signal, null, 'f00d');
  if (effect?.type !== 'answer') throw new Error('nobody is told');
  return renderAnswer(effect.answer, { links: { repository: '' }, commands: commandTable });
}

describe('G8: what people are told of what was put aside', () => {
  it('where an outcome was lost, how its run can be ended and begun anew', () => {
    expect(textOf(LOST)).toContain('`/stop` ends it, and `/countersign <task>` starts a new one');
    expect(textOf(LOST)).toContain('`f00d`');
  });

  it('nothing of an event where there never was a run', () => {
    const closed: Signal = { type: 'intent', deliveryId: 'a', intent: delivery('a').intent };
    expect(faultAnswer(closed, pullOf(1), 'f00d')).toBeNull();
    expect(faultAnswer(closed, pullOf(1, { run: run('r') }), 'f00d')).toMatchObject({ to: { at: 'pull' } });
  });
});
