import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTranscript } from '../../../../lab/shared/check-transcript.ts';
import { buildInterimResults, buildToolMessages } from '../../../../src/core/agent/messages.ts';
import { retargetedOutput } from '../../../../src/core/agent/shared/tool-results.ts';
import type { ToolBatch, TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import { run } from '../messages/sample.ts';

const opening: readonly TranscriptMessage[] = [
  { role: 'system', content: 's' },
  { role: 'user', content: 'u' },
];

function batch(ids: readonly string[], answered: readonly boolean[]): ToolBatch {
  const calls = ids.map((id, index) => ({
    turn: 1,
    toolCall: { id, name: 'edit_file', arguments: '{}' },
    isCut: false,
    heldPath: null,
    status: answered[index]
      ? ({ kind: 'answered', output: `o${id}` } as const)
      : ({ kind: 'proposed', proposalId: id } as const),
  }));
  return { turn: 1, assistantText: null, calls, continued: false };
}

function responseWith(calls: ToolBatch['calls']): TranscriptMessage {
  return { role: 'assistant', content: null, toolCalls: calls.map(({ toolCall }) => toolCall) };
}

const ids = fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,4}$/), { minLength: 1, maxLength: 6 });

describe('a transcript', () => {
  it('is valid once every call has exactly one answer, in order (S102, D7)', () => {
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 4 }), (turns) => {
        const messages = turns.flatMap((turn) => {
          const made = batch(
            turn,
            turn.map(() => true),
          );
          return [responseWith(made.calls), ...(buildToolMessages(made) ?? [])];
        });
        expect(checkTranscript([...opening, ...messages])).toEqual([]);
      }),
    );
  });

  it('a missing, duplicate, swapped or misplaced answer is found (S102)', () => {
    fc.assert(
      fc.property(ids, fc.nat(), fc.constantFrom('lost', 'doubled', 'swapped', 'late'), (turn, seed, fault) => {
        const made = batch(
          turn,
          turn.map(() => true),
        );
        const tools = [...(buildToolMessages(made) ?? [])];
        const at = seed % tools.length;
        const [one] = tools.splice(at, 1);
        if (one === undefined || (fault === 'swapped' && tools.length === 0)) return;
        if (fault === 'doubled') tools.splice(at, 0, one, one);
        if (fault === 'swapped') tools.splice(at === 0 ? 1 : at - 1, 0, one);
        if (fault === 'late') tools.push({ role: 'user', content: 'x' }, one);
        expect(checkTranscript([...opening, responseWith(made.calls), ...tools])).not.toEqual([]);
      }),
    );
  });

  it('has no tool messages while a call is undecided (S103)', () => {
    expect(buildToolMessages(batch(['a', 'b'], [true, false]))).toBeNull();
    expect(buildToolMessages(batch(['a', 'b'], [true, true]))).toEqual([
      { role: 'tool', toolCallId: 'a', content: 'oa' },
      { role: 'tool', toolCallId: 'b', content: 'ob' },
    ]);
  });

  it('a tool’s output has no hidden characters of branches, paths or lines (X17)', () => {
    const { calls, ...rest } = batch(['a'], [true]);
    const output = retargetedOutput('main\u202E', 'src/\u{E0041}a.ts');
    const made = { ...rest, calls: calls.map((call) => ({ ...call, status: { kind: 'answered', output } as const })) };
    const content = output.replace('\u202E', '\\u{202E}').replace('\u{E0041}', '\\u{E0041}');
    expect(buildToolMessages(made)).toEqual([{ role: 'tool', toolCallId: 'a', content }]);
    const interim = buildInterimResults([...opening, responseWith(made.calls)], run({ batch: made, messageCount: 3 }));
    expect(interim).toEqual([{ role: 'tool', toolCallId: 'a', content }]);
  });
});
