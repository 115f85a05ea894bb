import { expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, EXACTLY, proposalStates, propose } from '../support/proposals.ts';
import { write } from '../support/story.ts';

const stage = stageForAll();

const NEW_PAGE = write('docs/new.md', '# New\n');

it('/approve all leaves out a change whose thread was resolved a moment ago, and names it (X18)', async () => {
  const story = await propose(stage(), BIGINT, EXACTLY);
  const { ana, ben, bot, pr } = story;
  const [thread] = [...pr.now().threads.values()];
  await ben.does((person) => person.resolves(thread?.nodeId ?? ''));
  await ana.says('/approve all');
  expect(await proposalStates(story)).toEqual(['proposed', 'completed']);
  expect(bot.answer()).toContain('Your approval doesn’t cover these changes');
  expect(bot.answer()).toContain(bot.proposal(1).proposalId);
  expect(bot.answer()).not.toContain(bot.proposal(2).proposalId);
});

it('/approve all leaves out changes whose comment is minimized, in a thread and in the conversation (X18)', async () => {
  const story = await propose(stage(), BIGINT, NEW_PAGE, EXACTLY);
  const { ana, ben, bot, pr } = story;
  const hidden = bot.proposals().filter(({ body }) => !body.includes('README.md'));
  await ben.does((person) => hidden.map(({ id }) => person.hides(id)));
  await ana.says('/approve all');
  expect((await proposalStates(story)).filter((state) => state === 'completed')).toHaveLength(1);
  expect(pr.file('README.md')).toContain('Sells things, exactly.');
  for (const { proposalId } of hidden) expect(bot.answer()).toContain(proposalId);
  await ana.says('/approve all');
  expect(pr.commits()).toHaveLength(1);
  await ana.says(`/approve ${hidden.map(({ proposalId }) => proposalId).join(' ')}`);
  expect(new Set(await proposalStates(story))).toEqual(new Set(['completed']));
});

it('a bare /approve leaves out the only pending change too, and its id or its thread approves it (X18, S40)', async () => {
  for (const hides of [true, false]) {
    const story = await propose(stage(), BIGINT);
    const { ana, ben, bot, pr } = story;
    const [thread] = [...pr.now().threads.values()];
    await ben.does((person) => (hides ? person.hides(bot.proposal(1).id) : person.resolves(thread?.nodeId ?? '')));
    for (const words of ['/approve', '/approve always']) {
      await ana.says(words);
      expect(pr.commits()).toEqual([]);
      expect(bot.answer()).toContain('Your approval doesn’t cover these changes');
      expect(bot.answer()).toContain(bot.proposal(1).proposalId);
    }
    if (hides) await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    else await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
  }
});
