import { describe, expect, it } from 'vitest';
import { ANA, BEN, REF, TableGame } from '../support/table-game.ts';

/** One approved change in a commit attempt. */
function committing(): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'do it' });
  game.modelReplies([{ id: 'call-1', name: 'edit_file', arguments: 'edit 3 new' }]);
  game.toolsAnswer();
  game.reviewIsPosted();
  game.commands(ANA, { name: 'approve', targets: { by: 'all' }, note: '' }, { createdAt: '2030-01-01T00:00:00Z' });
  expect(game.commitBegins()?.ids).toHaveLength(1);
  return game;
}

function retarget(game: TableGame): void {
  const intent = { kind: 'retargeted', pull: REF, actor: BEN, from: 'main', to: 'release' } as const;
  game.signal({ type: 'intent', deliveryId: 'retarget', intent });
}

describe('a retarget during a commit attempt', () => {
  it('the retry withdraws changes approved for the previous base, with one reply (B11, S90b)', () => {
    const game = committing();
    retarget(game);
    expect(game.pull.proposals).toMatchObject([{ state: 'executing' }]);
    expect(game.commitBegins()?.ids).toEqual([]);
    expect(game.pull.proposals).toMatchObject([{ state: 'superseded', note: 'the pull request now targets release' }]);
    const answers = game.steps.at(-1)?.effects.filter(({ type }) => type === 'reply');
    expect(answers).toMatchObject([{ reply: { kind: 'retargeted', from: 'main', to: 'release' } }]);
    expect(game.transcript.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringMatching(/^Withdrawn: the pull request now targets release, not main/),
    });
    expect(game.problems).toEqual([]);
  });

  it('so does a retry after the head moved (B11)', () => {
    const game = committing();
    retarget(game);
    const [proposal] = game.pull.proposals;
    const proposalIds = [proposal?.id ?? ''];
    game.signal({ type: 'commit-head-moved', runId: proposal?.runId ?? '', proposalIds });
    expect(game.pull.proposals).toMatchObject([{ state: 'approved' }]);
    game.commitBegins();
    expect(game.pull.proposals).toMatchObject([{ state: 'superseded' }]);
  });

  it('so does a retry that finds another base without a webhook (B11)', () => {
    const game = committing();
    const [proposal] = game.pull.proposals;
    game.signal({ type: 'commit-head-moved', runId: proposal?.runId ?? '', proposalIds: [proposal?.id ?? ''] });
    expect(game.commitBegins('write', 'release')?.ids).toEqual([]);
    expect(game.pull.proposals).toMatchObject([{ state: 'superseded', note: 'the pull request now targets release' }]);
    expect(game.pull.run?.baseRef).toBe('release');
    const before = game.pull;
    retarget(game);
    expect(game.pull).toEqual(before);
  });

  it('an attempt that succeeded anyway is recognized (S51)', () => {
    const game = committing();
    const attempt = { runId: game.pull.run?.id ?? '', ids: game.pull.proposals.map(({ id }) => id) };
    retarget(game);
    game.commitLands(attempt);
    expect(game.pull.proposals).toMatchObject([{ state: 'completed' }]);
  });
});
