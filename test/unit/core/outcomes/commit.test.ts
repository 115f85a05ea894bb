import { expect, it } from 'vitest';
import { ANA, posted } from '../support/table-game.ts';

it('a rule that refuses a commit fails other approved changes, but not those in another attempt (V5, G3)', () => {
  const game = posted(1, 9, 17);
  const states = () => game.pull.proposals.map(({ state }) => state);
  const approve = (index: number) => {
    const ids = [game.pull.proposals[index]?.id ?? ''];
    game.commands(ANA, { name: 'approve', targets: { by: 'ids', ids }, note: '' });
  };
  approve(0);
  const first = game.commitBegins();
  approve(1);
  approve(2);
  expect(states()).toEqual(['executing', 'approved', 'approved']);
  const proposalIds = [game.pull.proposals[1]?.id ?? ''];
  const refused = { type: 'commit-failed', runId: first?.runId ?? '', message: 'a rule', refusedByRule: true } as const;
  game.signal({ ...refused, proposalIds });
  expect(states()).toEqual(['executing', 'failed', 'failed']);
  if (first !== null) game.commitLands(first);
  expect(states()).toEqual(['completed', 'failed', 'failed']);
  expect(game.problems).toEqual([]);
});

it('R25: while the attempts to commit a change are delayed, its page no longer asks for a decision', () => {
  const game = posted(1);
  const proposalId = game.pull.proposals[0]?.id ?? '';
  game.commands(ANA, { name: 'approve', targets: { by: 'ids', ids: [proposalId] }, note: '' });
  const runId = game.commitBegins()?.runId ?? '';
  const { effects } = game.signal({ type: 'commit-delayed', runId, proposalIds: [proposalId], location: null });
  expect(effects).toContainEqual({ type: 'update-proposal-comment', proposalId });
});
