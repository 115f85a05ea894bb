import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { AppPermissions } from '../../../fakes/github/state/github-state.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import { namesOf, requestsSince } from '../support/requests.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const ALL = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;

/** The owner of the repository's account grants the installation these permissions. */
async function grant({ pr }: Story, permissions: AppPermissions): Promise<void> {
  const { ownerId } = pr.repository();
  const found = [...stage().github.state().installations.values()].find(({ accountId }) => accountId === ownerId);
  stage().github.apply(OPERATIONS.acceptPermissions, { installationId: found?.id ?? 0, permissions });
  await stage().settle();
}

function warningsSince(start: number): readonly unknown[] {
  return stage()
    .logged.slice(start)
    .map(parseJson)
    .filter((line) => isRecord(line) && line['level'] === 40);
}

describe('an installation without the permission to commit', () => {
  it('a task is refused before the model is asked, with the permission and the click; after the grant it starts (O4)', async () => {
    const story = await stage().tell();
    const { ana, bot, model, pr } = story;
    await grant(story, { ...ALL, contents: 'read' });
    const start = stage().logged.length;
    const before = stage().github.requests.length;
    await ana.says('/countersign use bigint');
    expect(model.requests()).toEqual([]);
    expect(bot.answers()).toHaveLength(1);
    expect(bot.answer()).toContain('Nothing was started, and the model was not asked: the App lacks the permission');
    expect(bot.answer()).toContain('`contents: write`');
    expect(bot.answer()).toContain('choose **Configure** beside this App');
    expect(bot.answer()).toMatch(/Then post your comment again\.$/);
    expect(namesOf(requestsSince(stage(), story, before)).filter((name) => name.startsWith('GET'))).toEqual([
      'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      'GET /repos/{owner}/{repo}/installation',
    ]);
    expect(warningsSince(start)).toMatchObject([
      {
        msg: 'installation lacks permissions, no run was started',
        repo: pr.fullName,
        permissions: ['contents: write'],
      },
    ]);
    await grant(story, ALL);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposals()).toHaveLength(1);
    await ana.says('/approve');
    expect(pr.commits()).toHaveLength(1);
  });

  it('where the App cannot comment either, only the log says so, and the model is not asked (O4)', async () => {
    const story = await stage().tell();
    await grant(story, { ...ALL, contents: 'read', pull_requests: 'read' });
    const start = stage().logged.length;
    await story.ana.says('/countersign use bigint');
    expect(story.model.requests()).toEqual([]);
    expect(story.bot.answers()).toEqual([]);
    const [first] = warningsSince(start);
    expect(first).toMatchObject({ permissions: ['contents: write', 'pull_requests: write'] });
  });

  it('a stranger learns nothing about the installation (O4)', async () => {
    const story = await stage().tell();
    await grant(story, { ...ALL, contents: 'read' });
    const before = stage().github.requests.length;
    await story.stranger.says('/countersign use bigint');
    expect(namesOf(requestsSince(stage(), story, before)).join()).not.toContain('/installation,');
    expect(story.bot.answers().join()).not.toContain('contents');
  });
});
