import { describe, expect, it } from 'vitest';
import { renderAnswer } from '../../src/render/answer.ts';
import { TURN_LIMIT } from '../../src/run/run.ts';
import { ANA, TableGame } from './table-game.ts';

/** The model proposes to write this on the fifth line, and it stands on the page. */
function proposes(game: TableGame, text: string): void {
  game.modelReplies([{ id: `call-${game.nextComment()}`, name: 'edit_file', arguments: `edit 5 ${text}` }]);
  game.toolsAnswer();
  game.reviewIsPosted();
}

describe('a model that never comes to an end', () => {
  it('H4: is asked no more than a run may ask, and whoever gave the task is told why and what to do', () => {
    const game = new TableGame();
    game.commands(ANA, { name: 'task', text: 'read on' });
    let asked = 0;
    for (; game.effects.some(({ type }) => type === 'ask-model') && asked < 1_000; asked += 1) {
      game.modelReplies([{ id: `call-${asked}`, name: 'read_file', arguments: 'read' }]);
      game.toolsAnswer();
    }
    expect(asked).toBe(TURN_LIMIT);
    const told = game.take('answer')?.answer;
    expect(told).toMatchObject({ kind: 'run-ended', how: 'turn-limit', requester: { id: ANA.id } });
    if (told === undefined) return;
    const text = renderAnswer(told, { links: { repository: 'https://github.com/acme/shop' }, commands: [] });
    expect(text).toContain('@ana, the run ended, because it used all the model responses it may use');
    expect(text).toContain('`/resume` lets it go on');
  });
});

describe('rounds of one change', () => {
  it('H5: a person may ask for something else as often as they like; each answer is shown', () => {
    const game = new TableGame();
    game.commands(ANA, { name: 'task', text: 'number the line' });
    for (let round = 1; round <= 50; round += 1) {
      if (game.pull.run?.phase.kind === 'ended') game.commands(ANA, { name: 'resume' });
      proposes(game, `try-${round % 2}`);
      const waiting = game.pull.proposals.filter(({ state }) => state === 'proposed');
      expect([round, game.pull.proposalCount, waiting.length]).toEqual([round, round, 1]);
      const targets = { by: 'ids', ids: waiting.map(({ id }) => id) } as const;
      game.commands(ANA, { name: 'edit', targets, instruction: 'the other one', line: 'the other one' });
    }
    expect(game.problems).toEqual([]);
  });
});
