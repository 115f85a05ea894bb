import { expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { proposeRows } from '../support/rows.ts';

const stage = stageForAll();

it('resolving the thread of a pending proposal does nothing: it can still be decided (S53)', async () => {
  const story = await proposeRows(stage(), { 5: 50 });
  const { ben, bot, model, pr } = story;
  const asked = model.requests().length;
  const [thread] = [...pr.now().threads.values()];
  await ben.does((person) => person.resolves(thread?.nodeId ?? ''));
  await stage().later(61);
  expect(await proposalStates(story)).toEqual(['proposed']);
  expect(model.requests()).toHaveLength(asked);
  await ben.says(`/approve ${bot.proposal(1).proposalId}`);
  expect(await proposalStates(story)).toEqual(['completed']);
});
