import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../src/core/state/limits.ts';
import { ANA, BEN, TableGame } from '../support/table-game.ts';

/** A run that reached its limit of model responses by reading files. */
function exhausted(): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'look around' });
  exhaustResponses(game);
  return game;
}

/** Lets the model read files until it gets no further request; returns the number of requests. */
function exhaustResponses(game: TableGame): number {
  let turns = 0;
  while (game.effects.some((effect) => effect.type === 'ask-model')) {
    turns += 1;
    game.modelReplies([{ id: `call-${game.nextComment()}`, name: 'read_file', arguments: 'read' }]);
    game.toolsAnswer();
  }
  return turns;
}

describe('/resume', () => {
  it('allows as many model responses again (S107)', () => {
    const game = exhausted();
    expect(game.pull.run).toMatchObject({
      turns: LIMITS.responsesAlone,
      phase: { kind: 'ended', reason: 'turn-limit' },
    });
    expect(game.commands(BEN, { name: 'resume', text: '' }).reason).toBe('resumed');
    expect(exhaustResponses(game)).toBe(LIMITS.responsesAlone);
    expect(game.pull.run).toMatchObject({
      turns: 2 * LIMITS.responsesAlone,
      phase: { kind: 'ended', reason: 'turn-limit' },
    });
    expect(game.commands(ANA, { name: 'resume', text: '' }).reason).toBe('resumed');
  });

  it.each([
    ['closed', 'pull-not-open'],
    ['merged', 'pull-not-open'],
    ['open', 'resumed'],
  ] as const)('on a pull request that is %s: %s (F13)', (state, reason) => {
    const game = exhausted();
    const step = game.commands(ANA, { name: 'resume', text: '' }, { pull: game.github({ state }) });
    expect(step.reason).toBe(reason);
  });
});
