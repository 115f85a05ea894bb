import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/core/state/limits.ts';
import { ANA, TableGame } from './support/table-game.ts';

/** The model proposes this text for line 5, and the change is posted. */
function proposes(game: TableGame, text: string): void {
  game.modelReplies([{ id: `call-${game.nextComment()}`, name: 'edit_file', arguments: `edit 5 ${text}` }]);
  game.toolsAnswer();
  game.reviewIsPosted();
}

describe('a model that never finishes', () => {
  it('gets no request beyond the limit, and the requester gets the reason and the next step (H4)', () => {
    const game = new TableGame();
    game.commands(ANA, { name: 'task', text: 'read on' });
    let asked = 0;
    for (; game.effects.some(({ type }) => type === 'ask-model') && asked < 1_000; asked += 1) {
      game.modelReplies([{ id: `call-${asked}`, name: 'read_file', arguments: 'read' }]);
      game.toolsAnswer();
    }
    expect(asked).toBe(LIMITS.responsesAlone);
    const reply = game.take('reply')?.reply;
    expect(reply).toContain('@ana, the run ended because it reached its limit of model responses');
    expect(reply).toContain('Use `/resume` to continue this run');
  });
});

describe('rounds of one change', () => {
  it('a person can ask for changes without limit, and each revision is posted (H5)', () => {
    const game = new TableGame();
    game.commands(ANA, { name: 'task', text: 'number the line' });
    for (let round = 1; round <= 50; round += 1) {
      if (game.pull.run?.phase.kind === 'ended') game.commands(ANA, { name: 'resume', text: '' });
      proposes(game, `try-${round % 2}`);
      const waiting = game.pull.proposals.filter(({ state }) => state === 'proposed');
      expect([round, game.pull.proposalCount, waiting.length]).toEqual([round, round, 1]);
      const targets = { by: 'ids', ids: waiting.map(({ id }) => id) } as const;
      game.commands(ANA, { name: 'edit', targets, instruction: 'the other one', fullText: 'the other one' });
    }
    expect(game.problems).toEqual([]);
  });
});
