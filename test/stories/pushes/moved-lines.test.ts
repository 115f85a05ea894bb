import { expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { edit } from '../support/story.ts';

const stage = stageForAll();

const PATH = 'src/pay.ts';

/** Lines with three others on each side. */
const BLOCK = ['  open();', '  read();', '  check();', '  const limit = 10;', '  write();', '  flush();', '  close();'];

function payFile(charge: readonly string[], refund: readonly string[]): string {
  return ['function charge() {', ...charge, '}', '', 'function refund() {', ...refund, '}', ''].join('\n');
}

it('a change stays while its lines with their context stand exactly once, and is applied there (S50)', async () => {
  const story = await stage().tell({ branch: { [PATH]: payFile(BLOCK, ['  e();']) } });
  const { ana, ben, bot, model, pr } = story;
  model.proposes(edit(PATH, '  const limit = 10;', '  const limit = 20;'));
  await ana.says('/countersign raise the limit');
  const pushed = payFile(['  e();'], BLOCK);
  await ben.pushes({ [PATH]: pushed });
  expect(await proposalStates(story)).toEqual(['proposed']);
  await ana.replies(bot.proposal(1), '/approve');
  expect(pr.file(PATH)).toBe(pushed.replace('= 10', '= 20'));
});
