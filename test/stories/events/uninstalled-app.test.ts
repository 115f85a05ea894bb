import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { UNINSTALL_GRACE_MS } from '../../../src/adapters/store/cleanup.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { type Story, write } from '../support/story.ts';

const stage = stageForAll({ needsSql: true });

/** Texts of people, of the model and of a file, as a conversation stores them. */
const CANARIES = ['canary-task', 'canary-note', 'canary-file', 'canary-reason', 'canary-deny', 'canary-question'];

async function converse(): Promise<Story> {
  const story = await stage().tell();
  const { ana, ben, bot, model } = story;
  model.proposes(
    { name: 'write_file', arguments: { path: 'new.txt', content: 'canary-file\n', reason: 'canary-reason' } },
    write('other.txt', 'canary-file too\n'),
  );
  await ana.says('/countersign add a file, canary-task');
  await ana.says('@countersign mind this: canary-note');
  model.says({ content: 'It was asked.' });
  await ana.says('/ask why this, canary-question?');
  await ben.says(`/deny ${bot.proposal(2).proposalId} canary-deny`);
  await ana.says(`/approve ${bot.proposal(1).proposalId}`);
  return story;
}

describe('an account that uninstalls the App', () => {
  it('no text or code of it is stored an hour later, and the ledger still says who approved each change (I15)', async () => {
    const { pr, ana, bot } = await converse();
    const before = await stage().database();
    for (const canary of CANARIES) expect(before).toContain(canary);
    const [digest = ''] = /(?<=digest `)[0-9a-f]{12}/.exec(bot.proposal(1).body) ?? [];
    const { ownerId } = pr.repository();
    const installations = [...stage().github.state().installations.values()];
    const installationId = installations.find(({ accountId }) => accountId === ownerId)?.id ?? 0;
    stage().github.apply(OPERATIONS.uninstallApp, { installationId });
    await stage().settle();
    expect(await stage().database()).toContain('canary-task');
    while (
      await stage()
        .store()
        .deleteExpired(stage().now() + UNINSTALL_GRACE_MS + 1)
    );
    const after = await stage().database();
    expect(after).not.toContain('canary');
    for (const kept of [digest, ana.login, pr.commits()[0]?.sha ?? 'no commit']) expect(after).toContain(kept);
  });
});
