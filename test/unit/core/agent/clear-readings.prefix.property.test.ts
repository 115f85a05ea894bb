import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTranscript } from '../../../../lab/shared/check-transcript.ts';
import { CHAT_WIRE } from '../../../../src/adapters/model/chat-wire.ts';
import type { ModelWire } from '../../../../src/adapters/model/model-wire.ts';
import { opaqueFor } from '../../../../src/adapters/model/request.ts';
import { RESPONSES_WIRE } from '../../../../src/adapters/model/responses-wire.ts';
import { sentMessages } from '../../../../src/core/agent/clear-readings.ts';
import type { TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import { ANA, BEN, TableGame } from '../support/table-game.ts';

/** One thing that happens during a run. */
type PlayedEvent =
  | { readonly kind: 'responds'; readonly calls: readonly string[] }
  | { readonly kind: 'decides'; readonly how: 'approve' | 'deny' | 'edit' | 'continue' }
  | { readonly kind: 'resumes' }
  /** The context was full. */
  | { readonly kind: 'clears' };

const EVENT: fc.Arbitrary<PlayedEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('responds' as const),
    calls: fc.array(fc.constantFrom('read', 'edit 2 a', 'edit 5 b', 'edit 9 c'), { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('decides' as const), how: fc.constantFrom('approve', 'deny', 'edit', 'continue') }),
  fc.record({ kind: fc.constant('resumes' as const) }),
  fc.record({ kind: fc.constant('clears' as const) }),
);

const ADDRESS = { model: 'random', endpoint: 'simulated' };

function wireOf(wire: ModelWire, messages: readonly TranscriptMessage[]): readonly string[] {
  const sent = messages.map((message) => ({ message, opaque: opaqueFor(message, ADDRESS, () => false) }));
  return Object.values(wire.writeTranscript(sent)).flatMap((member) =>
    Array.isArray(member) ? member.map((entry: unknown) => JSON.stringify(entry)) : [JSON.stringify(member)],
  );
}

describe('the requests of a run', () => {
  it.each([CHAT_WIRE, RESPONSES_WIRE])(
    'each begin, byte for byte on $path, with the one before until readings are cleared, and are valid (S169, S170)',
    (wire) => {
      let compared = 0;
      let clearings = 0;
      fc.assert(
        fc.property(fc.array(EVENT, { maxLength: 25 }), (events) => {
          const game = new TableGame();
          game.commands(ANA, { name: 'task', text: 'number the lines' });
          let previous: readonly string[] = [];
          let cleared = 0;
          const compare = (): void => {
            if (!game.effects.some(({ type }) => type === 'ask-model')) return;
            const clearedBefore = game.pull.run?.clearedBefore ?? 0;
            const sent = sentMessages(game.transcript, clearedBefore);
            const request = wireOf(wire, sent);
            expect(checkTranscript(sent)).toEqual([]);
            if (clearedBefore > cleared) previous = [];
            clearings += clearedBefore > cleared ? 1 : 0;
            cleared = clearedBefore;
            expect(request.slice(0, previous.length)).toEqual(previous);
            if (request.length > previous.length && previous.length > 0) compared += 1;
            previous = request;
          };
          compare();
          for (const [index, event] of events.entries()) {
            play(game, event, index);
            compare();
          }
          expect(game.problems).toEqual([]);
        }),
        { numRuns: 150 },
      );
      expect(compared).toBeGreaterThan(50);
      expect(clearings).toBeGreaterThan(10);
    },
  );
});

function play(game: TableGame, event: PlayedEvent, index: number): void {
  switch (event.kind) {
    case 'responds':
      game.modelReplies(event.calls.map((text, at) => callOf(text, `${index}-${at}`)));
      game.toolsAnswer();
      game.reviewIsPosted();
      break;
    case 'decides':
      decide(game, event.how);
      break;
    case 'resumes':
      game.commands(BEN, { name: 'resume', text: '' });
      break;
    case 'clears':
      clear(game);
      break;
  }
}

/** Everything so far is cleared. */
function clear(game: TableGame): void {
  const { run } = game.pull;
  if (run?.phase.kind !== 'awaiting-model' || run.clearedBefore >= game.transcript.length) return;
  game.take('ask-model');
  const clearedBefore = game.transcript.length;
  game.signal({ type: 'readings-cleared', runId: run.id, turn: run.phase.turn, clearedBefore, usage: null });
}

function callOf(text: string, id: string) {
  return { id, name: text === 'read' ? 'read_file' : 'edit_file', arguments: text };
}

function decide(game: TableGame, how: Extract<PlayedEvent, { kind: 'decides' }>['how']): void {
  if (how === 'continue') game.commands(ANA, { name: 'continue', text: '' });
  else if (how === 'edit')
    game.commands(ANA, { name: 'edit', targets: { by: 'all' }, instruction: 'other', fullText: 'other' });
  else if (how === 'deny') game.commands(ANA, { name: 'deny', targets: { by: 'all' }, reason: 'no', fullText: 'no' });
  else game.commands(ANA, { name: 'approve', targets: { by: 'all' }, note: '' });
}
