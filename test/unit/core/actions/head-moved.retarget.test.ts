import { expect, it } from 'vitest';
import { ANA, BEN, posted, REF, type TableGame } from '../support/table-game.ts';

/** One approved change in a commit attempt. */
function committing(): TableGame {
  const game = posted(3);
  game.commands(ANA, { name: 'approve', targets: { by: 'all' }, note: '' }, { createdAt: '2030-01-01T00:00:00Z' });
  expect(game.commitBegins()?.ids).toHaveLength(1);
  return game;
}

function retarget(game: TableGame): void {
  const intent = { kind: 'retargeted', pull: REF, actor: BEN, from: 'main', to: 'release' } as const;
  game.signal({ type: 'intent', deliveryId: 'retarget', intent });
}

it('a retry that finds another base withdraws the changes, also without a webhook (B11, S90b)', () => {
  const game = committing();
  expect(game.commitBegins('write', 'release')?.ids).toEqual([]);
  expect(game.pull.proposals).toMatchObject([{ state: 'superseded', note: 'the pull request now targets release' }]);
  expect(game.transcript.at(-1)).toMatchObject({
    role: 'tool',
    content: expect.stringMatching(/^Withdrawn: the pull request now targets release, not main/),
  });
  const before = game.pull;
  retarget(game);
  expect(game.pull).toEqual(before);
  expect(game.problems).toEqual([]);
});

it('an attempt that succeeded before a retarget is recognized (S51)', () => {
  const game = committing();
  const attempt = { runId: game.pull.run?.id ?? '', ids: game.pull.proposals.map(({ id }) => id) };
  retarget(game);
  game.commitLands(attempt);
  expect(game.pull.proposals).toMatchObject([{ state: 'completed' }]);
});
