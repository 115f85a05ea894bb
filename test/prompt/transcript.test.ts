import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/prompt/message.ts';
import { checkTranscript, toolMessages } from '../../src/prompt/transcript.ts';
import type { Batch } from '../../src/run/run.ts';

const opening: readonly Message[] = [
  { role: 'system', content: 's' },
  { role: 'user', content: 'u' },
];

function batch(ids: readonly string[], answered: readonly boolean[]): Batch {
  const calls = ids.map((id, index) => ({
    call: { id, name: 'edit_file', arguments: '{}' },
    status: answered[index]
      ? ({ kind: 'answered', output: `o${id}` } as const)
      : ({ kind: 'proposed', proposalId: id } as const),
  }));
  return { turn: 1, text: null, calls, continued: false };
}

function asked(calls: Batch['calls']): Message {
  return { role: 'assistant', content: null, calls: calls.map(({ call }) => call) };
}

const ids = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,4}$/), { minLength: 1, maxLength: 6 });

describe('a transcript', () => {
  it('S102 D7: is sent once every call has its one answer, in order', () => {
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 4 }), (turns) => {
        const messages = turns.flatMap((turn) => {
          const made = batch(
            turn,
            turn.map(() => true),
          );
          return [asked(made.calls), ...(toolMessages(made) ?? [])];
        });
        expect(checkTranscript([...opening, ...messages])).toEqual([]);
      }),
    );
  });

  it('S102: a lost, doubled, swapped or misplaced answer is found', () => {
    fc.assert(
      fc.property(ids, fc.nat(), fc.constantFrom('lost', 'doubled', 'swapped', 'late'), (turn, seed, fault) => {
        const made = batch(
          turn,
          turn.map(() => true),
        );
        const tools = [...(toolMessages(made) ?? [])];
        const at = seed % tools.length;
        const [one] = tools.splice(at, 1);
        if (one === undefined || (fault === 'swapped' && tools.length === 0)) return;
        if (fault === 'doubled') tools.splice(at, 0, one, one);
        if (fault === 'swapped') tools.splice(at === 0 ? 1 : at - 1, 0, one);
        if (fault === 'late') tools.push({ role: 'user', content: 'x' }, one);
        expect(checkTranscript([...opening, asked(made.calls), ...tools])).not.toEqual([]);
      }),
    );
  });

  it('S103: has no tool messages while a call is undecided', () => {
    expect(toolMessages(batch(['a', 'b'], [true, false]))).toBeNull();
    expect(toolMessages(batch(['a', 'b'], [true, true]))).toEqual([
      { role: 'tool', callId: 'a', content: 'oa' },
      { role: 'tool', callId: 'b', content: 'ob' },
    ]);
  });

  it('D7: repeated call ids are named', () => {
    const made = batch(['a', 'a'], [true, true]);
    expect(checkTranscript([...opening, asked(made.calls), ...(toolMessages(made) ?? [])])).toEqual([
      'message 2 uses the call id a twice',
    ]);
  });

  it('the last word is never the model’s', () => {
    expect(checkTranscript([...opening, { role: 'assistant', content: 'done', calls: [] }])).toHaveLength(1);
    expect(checkTranscript([])).toHaveLength(1);
  });
});
