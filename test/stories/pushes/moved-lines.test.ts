import { describe, expect, it } from 'vitest';
import { beforeCalls } from '../support/before-calls.ts';
import { dropWebhooks } from '../support/drop-webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposalStates } from '../support/proposals.ts';
import { requestsSince } from '../support/requests.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

const PATH = 'src/pay.ts';

const LIMIT = '  const limit = 10;';

/** Lines with three others on each side. */
const BLOCK = ['  open();', '  read();', '  check();', LIMIT, '  write();', '  flush();', '  close();'];

const OTHERS = ['  a();', '  b();', '  c();', '  d();'];

function payFile(charge: readonly string[], refund: readonly string[], name = 'charge'): string {
  return [
    `function ${name}() {`,
    ...OTHERS,
    ...charge,
    '}',
    '',
    'function refund() {',
    ...OTHERS,
    ...refund,
    '}',
    '',
  ].join('\n');
}

const IN_CHARGE = payFile(BLOCK, ['  e();']);

const IN_REFUND = payFile(['  e();'], BLOCK);

const TEN_TO_TWENTY = edit(PATH, LIMIT, '  const limit = 20;');

/** A pull request with these settings and a pending change of the limit in `charge`. */
async function proposeUnder(settings: string, ...more: readonly ReturnType<typeof edit>[]): Promise<Story> {
  const story = await stage().tell({
    files: { '.github/countersign.yml': settings },
    branch: { [PATH]: IN_CHARGE },
  });
  story.model.proposes(TEN_TO_TWENTY, ...more);
  await story.ana.says('/countersign raise the limit of charges');
  return story;
}

function titled(line: number, heading: string): string {
  return `**Edit** \`${PATH}\` (line ${line})\nPlace: further below \`${heading}\`\nChange `;
}

describe('a push moves the lines of a change, with their context, into another function', () => {
  it.each(['required_approvals: 2', 'require_non_author: true', 'require_non_requester: true'])(
    'with %s it is withdrawn and proposed anew, with its place on its page (X8)',
    async (settings) => {
      const story = await proposeUnder(`${settings}\n`);
      const { ben, bot, pr } = story;
      expect(bot.proposal(1).body).toContain(titled(9, 'function charge() {'));
      await ben.pushes({ [PATH]: IN_REFUND });
      expect(await proposalStates(story)).toEqual(['superseded', 'proposed']);
      expect(bot.proposal(1).body).toContain('**Withdrawn** without a decision');
      expect(bot.proposal(1).body).toContain('put these lines into another part of');
      expect(bot.proposal(1).body).toContain(`Replaced by [\`${bot.proposal(2).proposalId}\`]`);
      expect(bot.proposal(2).body).toContain(titled(17, 'function refund() {'));
      await ben.says(`/approve ${bot.proposal(1).proposalId}`);
      expect(pr.file(PATH)).toBe(IN_REFUND);
    },
  );

  it('with a vote on it, the vote does not count for the new place (X8)', async () => {
    const { ana, ben, bot, person, pr } = await proposeUnder('required_approvals: 2\n');
    await ben.replies(bot.proposal(1), '/approve');
    const dora = await person('dora', 'write');
    await dora.pushes({ [PATH]: IN_REFUND });
    await ana.replies(bot.proposal(2), '/approve');
    expect(bot.proposal(2).body).toContain(`**1 of 2 approvals** by \`${ana.login}\``);
    expect(pr.file(PATH)).toBe(IN_REFUND);
    await ben.replies(bot.proposal(2), '/approve');
    expect(pr.file(PATH)).toBe(IN_REFUND.replace('= 10', '= 20'));
  });

  it('a push right before any call of an approval never gets the change into the other function (X8)', {
    timeout: 180_000,
  }, async () => {
    for (let place = 0; ; place += 1) {
      const { ana, ben, bot, model, pr } = await proposeUnder('require_non_requester: true\n');
      const asked = model.requests().length;
      const push = (_name: string, now: number): void => {
        if (now === place) ana.person.pushes({ [PATH]: IN_REFUND });
      };
      const calls = await beforeCalls(stage(), push, () => ben.replies(bot.proposal(1), '/approve'));
      const commitAt = calls.indexOf('graphql createCommitOnBranch');
      if (commitAt !== -1 && commitAt < place) {
        expect(place).toBeGreaterThan(4);
        break;
      }
      expect(pr.file(PATH)).toBe(IN_REFUND);
      expect(bot.proposal(1).body).toContain('**Withdrawn**');
      expect(bot.proposal(2).body).toContain(titled(17, 'function refund() {'));
      expect(bot.answers().join('\n')).toContain('Not applied: the file changed');
      expect(model.requests()).toHaveLength(asked);
    }
  });

  it('a push without a webhook is noticed right before the commit (X8)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ana, ben, bot, pr } = story;
    dropWebhooks(stage(), () => ana.person.pushes({ [PATH]: IN_REFUND }));
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.file(PATH)).toBe(IN_REFUND);
    expect(await proposalStates(story)).toEqual(['superseded', 'proposed']);
    expect(bot.proposal(2).body).toContain(titled(17, 'function refund() {'));
  });

  it('where one person is enough, the change stays and its page names the new place (X8)', async () => {
    const story = await proposeUnder('approvers: write\n');
    const { ana, ben, bot, pr } = story;
    await ben.pushes({ [PATH]: IN_REFUND });
    expect(await proposalStates(story)).toEqual(['proposed']);
    expect(bot.proposal(1).body).toContain(titled(17, 'function refund() {'));
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(PATH)).toBe(IN_REFUND.replace('= 10', '= 20'));
  });

  it('a push that keeps the heading keeps the proposal and its votes (X8)', async () => {
    const story = await proposeUnder('required_approvals: 2\n');
    const { ana, ben, bot, pr } = story;
    await ben.replies(bot.proposal(1), '/approve');
    await ben.pushes({ [PATH]: `// above\n${IN_CHARGE}` });
    expect(bot.proposal(1).body).toContain(titled(10, 'function charge() {'));
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file(PATH)).toBe(`// above\n${IN_CHARGE.replace('= 10', '= 20')}`);
  });

  it('a push that only renames the function withdraws too, because people saw another name (X8)', async () => {
    const story = await proposeUnder('required_approvals: 2\n');
    await story.ben.pushes({ [PATH]: payFile(BLOCK, ['  e();'], 'payOut') });
    expect(await proposalStates(story)).toEqual(['superseded', 'proposed']);
    expect(story.bot.proposal(2).body).toContain(titled(9, 'function payOut() {'));
  });

  it('the App’s own commit of an approved rename keeps the others, with the new name in their title (X8)', async () => {
    const rename = edit(PATH, 'function charge() {', 'function payOut() {');
    const story = await proposeUnder('require_non_requester: true\n', rename);
    const { ben, bot, pr } = story;
    const before = stage().github.requests.length;
    await ben.replies(bot.proposal(2), '/approve');
    const asked = requestsSince(stage(), story, before).map(({ target }) => target);
    // At the decision and right before the commit; after it they do not matter.
    expect(asked.filter((target) => target.includes('countersign.yml'))).toHaveLength(2);
    expect(await proposalStates(story)).toEqual(['proposed', 'completed']);
    expect(bot.proposal(1).body).toContain(titled(9, 'function payOut() {'));
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.file(PATH)).toBe(payFile(BLOCK, ['  e();'], 'payOut').replace('= 10', '= 20'));
  });

  it('the same rename pushed by hand withdraws the others (X8)', async () => {
    const rename = edit(PATH, 'function charge() {', 'function payOut() {');
    const story = await proposeUnder('require_non_requester: true\n', rename);
    await story.ana.commitsSuggestion(story.bot.proposal(2));
    expect(await proposalStates(story)).toEqual(['superseded', 'completed', 'proposed']);
    expect(story.bot.proposal(3).body).toContain(titled(9, 'function payOut() {'));
  });

  it('an undo is withdrawn with a hint how to ask again, because no call can be repeated (X8)', async () => {
    const story = await proposeUnder('require_non_requester: true\n');
    const { ana, ben, bot, pr } = story;
    await ben.replies(bot.proposal(1), '/approve');
    const id = bot.proposal(1).proposalId;
    await ana.says(`/undo ${id}`);
    await ana.pushes({ [PATH]: IN_REFUND.replace('= 10', '= 20') });
    expect(bot.proposal(2).body).toContain('put these lines into another part of');
    expect(bot.proposal(2).body).toContain('To ask for it again, write `/undo`');
    await ben.replies(bot.proposal(2), '/approve');
    expect(pr.file(PATH)).toContain('= 20');
  });
});
