import { expect, it } from 'vitest';
import { ANA, TableGame } from '../support/table-game.ts';

it('a rule that refuses a commit fails other approved changes, but not those in another attempt (V5, G3)', () => {
  const game = new TableGame();
  const call = (id: string, line: number) => ({ id, name: 'edit_file', arguments: `edit ${line} other` });
  const states = () => game.pull.proposals.map(({ state }) => state);
  const approve = (index: number) => {
    const ids = [game.pull.proposals[index]?.id ?? ''];
    game.commands(ANA, { name: 'approve', targets: { by: 'ids', ids }, note: '' });
  };
  game.commands(ANA, { name: 'task', text: 'do it' });
  game.modelReplies([call('one', 1), call('two', 9), call('three', 17)]);
  game.toolsAnswer();
  game.reviewIsPosted();
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
