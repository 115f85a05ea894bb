import { describe, expect, it } from 'vitest';
import { TURN_LIMIT } from '../../src/run/run.ts';
import { ANA, BEN, TableGame } from './table-game.ts';

/** A run that has used all the model responses it may use, only reading. */
function exhausted(): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'look around' });
  useUp(game);
  return game;
}

/** The model reads until it is not asked any more; answers how often it was. */
function useUp(game: TableGame): number {
  let turns = 0;
  while (game.effects.some((effect) => effect.type === 'ask-model')) {
    turns += 1;
    game.modelReplies([{ id: `call-${game.nextComment()}`, name: 'read_file', arguments: 'read' }]);
    game.toolsAnswer();
  }
  return turns;
}

describe('/resume', () => {
  it('S107: a run that used all its model responses may use as many once more, and then again waits', () => {
    const game = exhausted();
    expect(game.pull.run).toMatchObject({ turns: TURN_LIMIT, phase: { kind: 'ended', how: 'turn-limit' } });
    expect(game.commands(BEN, { name: 'resume' }).reason).toBe('resumed');
    expect(useUp(game)).toBe(TURN_LIMIT);
    expect(game.pull.run).toMatchObject({ turns: 2 * TURN_LIMIT, phase: { kind: 'ended', how: 'turn-limit' } });
    expect(game.commands(ANA, { name: 'resume' }).reason).toBe('resumed');
  });

  it('S41a: in the second in which the run ended it does not count yet', () => {
    const game = exhausted();
    const { run } = game.pull;
    const at = run?.phase.kind === 'ended' ? run.phase.at : '';
    const { reason, effects } = game.commands(ANA, { name: 'resume' }, { createdAt: at });
    expect(reason).toBe('not-resumable');
    expect(effects).toMatchObject([{ type: 'answer', answer: { kind: 'not-resumed', why: 'written-before' } }]);
  });

  it.each([
    ['closed', 'pull-not-open'],
    ['merged', 'pull-not-open'],
    ['open', 'resumed'],
  ] as const)('F13: on a pull request that is %s: %s', (state, reason) => {
    const game = exhausted();
    const step = game.commands(ANA, { name: 'resume' }, { pull: game.github({ state }) });
    expect(step.reason).toBe(reason);
  });
});
