import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { readGitCommit } from '../../../fakes/github/git/objects.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { dropWebhooks } from '../support/drop-webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { namesOf, requestsSince } from '../support/requests.ts';
import type { Story } from '../support/story.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-change-'));
const file = join(folder, 'countersign.yml');
writeFileSync(file, 'ceilings:\n  required_approvals: 2\n');
afterAll(() => rmSync(folder, { recursive: true }));

const stage = stageForAll({ environment: { CONFIG_FILE: file } });

afterEach(() => {
  stage().github.faults.clear();
  stage().github.deliveries.intercept(undefined);
});

const PATH = '.github/countersign.yml';

const MARKER = '<!-- countersign:settings -->';

const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

/** The comments about the settings file. */
function shown({ bot }: Pick<Story, 'bot'>): readonly string[] {
  return bot.comments().flatMap(({ body }) => (body.startsWith(MARKER) ? [body] : []));
}

function tellWith(settings: string | null, fork = false): Promise<Story> {
  return stage().tell({
    files: { 'README.md': '# Shop\n', [PATH]: 'expiry: 3d\n' },
    branch: { [PATH]: settings },
    fork,
  });
}

async function requestsOf(story: Story, action: () => Promise<unknown>): Promise<readonly string[]> {
  const before = stage().github.requests.length;
  await action();
  return namesOf(requestsSince(stage(), story, before));
}

describe('a pull request that changes the settings file', () => {
  it('to a link is told that it would count as broken, although the target has the same text (E3)', async () => {
    const rules = 'expiry: 3d\n';
    const files = { [PATH]: rules, 'docs/rules.yml': rules };
    const story = await stage().tell({ files, branch: { 'README.md': '# Shop\n' } });
    const { ben, pr } = story;
    const there = { actor: { accountId: ben.id, viaAppId: null }, repositoryId: pr.repositoryId };
    const { apply, state } = stage().github;
    const tree = apply(OPERATIONS.createGitTree, {
      ...there,
      baseTree: readGitCommit(state().store, pr.head())?.tree ?? '',
      changes: [{ path: PATH, mode: '120000', content: '../docs/rules.yml' }],
    });
    const sha = apply(OPERATIONS.createGitCommit, { ...there, message: 'Link', tree, parents: [pr.head()] });
    apply(OPERATIONS.updateGitRef, { ...there, ref: 'refs/heads/topic', sha, force: false });
    await stage().settle();
    expect(shown(story).join()).toContain('.github/countersign.yml is a link');
  });

  it('gets one comment that says what would change, from what to what, and that nothing takes effect yet', async () => {
    const story = await tellWith('expiry: 1d\napprovers: admin\n');
    expect(shown(story)).toHaveLength(1);
    const [comment = ''] = shown(story);
    expect(comment).toContain('**This pull request changes Countersign’s settings** in `.github/countersign.yml`');
    expect(comment).toContain('Nothing of it takes effect before it is merged into `main`.');
    expect(comment).toContain('| `approvers` | `write` | `admin` (stricter) | `.github/countersign.yml` |');
    expect(comment).toContain('| `expiry` | `3d` | `1d` (stricter) | `.github/countersign.yml` |');
    expect(comment).not.toContain('`require_non_author`');
    expect(comment).not.toContain('`required_approvals`');
    expect(story.model.requests()).toEqual([]);
  });

  it('says so of a looser value, and where the operator’s bound cuts one', async () => {
    const [comment = ''] = shown(await tellWith('expiry: 9d\nrequired_approvals: 1\n'));
    expect(comment).toContain('| `expiry` | `3d` | `9d` ⚠️ looser | `.github/countersign.yml` |');
    expect(comment).toContain(
      '`required_approvals` stays within the operator’s bound: the file says `1`, and `2` is in force.',
    );
  });

  it('with problems gets each of them with its line', async () => {
    const [comment = ''] = shown(await tellWith('expiry: 1d\nrequired_aprovals: 2\nreview_event: never\n'));
    expect(comment).toContain('line 2: required_aprovals is not a setting; did you mean required_approvals?');
    expect(comment).toContain('line 3: review_event must be comment or request-changes, not "never"');
    expect(comment).toContain('Once it is merged, **no approval takes effect** until they are fixed');
  });

  it('keeps the one comment through later pushes: other values, the change taken back, the file deleted', async () => {
    const story = await tellWith('expiry: 1d\n');
    const push = (text: string | null) => story.ana.pushes({ [PATH]: text });
    await push('expiry: 2d\n');
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('| `3d` | `2d` (stricter) |');
    await push('expiry: 3d\n');
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('no longer changes `.github/countersign.yml`');
    await push(null);
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('**This pull request deletes Countersign’s settings**');
    expect(shown(story)[0]).toContain('| `expiry` | `3d` | `7d` ⚠️ looser | default |');
  });

  it('with the change taken back, is not written to at each further push', async () => {
    const story = await tellWith('expiry: 1d\n');
    await story.ana.pushes({ [PATH]: 'expiry: 3d\n' });
    const asked = await requestsOf(story, () => story.ana.pushes({ 'README.md': '# More\n' }));
    expect(asked).toEqual(['graphql repository']);
  });

  it('gets none again after it was deleted', async () => {
    const story = await tellWith('expiry: 1d\n');
    const [comment] = story.bot.comments();
    await story.ana.does((person) => person.deletes(comment?.id ?? 0));
    await story.ana.pushes({ [PATH]: 'expiry: 2d\n' });
    expect(shown(story)).toEqual([]);
  });

  it('from a fork gets the same comment', async () => {
    const story = await tellWith('expiry: 1d\n', true);
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('| `3d` | `1d` (stricter) |');
  });

  it('shows nothing of a hostile file as Markdown, and mentions nobody', async () => {
    const text = '@acme/everyone <img src=x> `|` [a](http://evil.example) ';
    const [comment = ''] = shown(await tellWith(`commit_message: ${JSON.stringify(text.repeat(30))}\n${text}: 1\n`));
    const outside = comment.replace(/^(`{3,}).*?^\1$/gmsu, '').replace(/(`+)(?!`).*?(?<!`)\1(?!`)/gsu, '');
    expect(outside).not.toMatch(/@acme|<img|evil/);
    const [other = ''] = shown(await tellWith(`commit_message: ${JSON.stringify(text)}\n`));
    expect(other.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/gsu, '')).not.toMatch(/@acme|<img|evil/);
  });

  it('is shown as it would be after the merge, if the default branch has changed the file too', async () => {
    const story = await tellWith('expiry: 1d\n');
    await story.configures('expiry: 3d\nrequired_approvals: 4\n');
    await story.ana.pushes({ [PATH]: 'expiry: 2d\n' });
    const [comment = ''] = shown(story);
    expect(comment).toContain('| `3d` | `2d` (stricter) |');
    expect(comment).not.toContain('| `required_approvals`');
    expect(comment).toContain('`main` has changed the file since this pull request branched off');
  });

  it('stays one comment if GitHub’s answer is lost, a delivery repeated or the App restarted', async () => {
    stage().github.deliveries.intercept(() => 'duplicate');
    stage().github.faults.add({ kind: 'reset', applied: true, route: COMMENT });
    const story = await tellWith('expiry: 1d\n');
    await stage().later(60);
    expect(shown(story)).toHaveLength(1);
    await stage().restart();
    await story.ana.pushes({ [PATH]: 'expiry: 2d\n' });
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('| `3d` | `2d` (stricter) |');
  });

  it('has no word in any decision: the rules of the default branch hold', async () => {
    const story = await tellWith('required_approvals: 3\n');
    const { ana, bot, configures } = story;
    await configures('broken: [\n');
    await ana.says('/countersign /config');
    expect(bot.answer()).toContain('| `required_approvals` | `2` | the operator’s bound |');
    expect(bot.answer()).toContain('has these problems');
  });

  it('gets the comment when it is aimed at the default branch, and loses what it says when it is aimed elsewhere', async () => {
    const story = await tellWith('expiry: 1d\n');
    const { ana, pr } = story;
    const sha = pr.refs()['refs/heads/main'] ?? '';
    const there = { actor: ana.person.actor, repositoryId: pr.repositoryId };
    stage().github.apply(OPERATIONS.createGitRef, { ...there, ref: 'refs/heads/release', sha });
    await ana.does((person) => person.retargets('release'));
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('no longer changes');
    await ana.does((person) => person.retargets('main'));
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('| `3d` | `1d` (stricter) |');
  });
});

describe('a pull request that gives the settings file a wrong name', () => {
  it('is told so, because its rules would hold nowhere', async () => {
    const story = await stage().tell({ branch: { '.github/countersign.yaml': 'approvers: admin\n' } });
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('adds `.github/countersign.yaml`, which **has no effect**');
    await story.ana.pushes({ '.github/countersign.yaml': null, [PATH]: 'approvers: admin\n' });
    expect(shown(story)).toHaveLength(1);
    expect(shown(story)[0]).toContain('| `approvers` | `write` | `admin` (stricter) |');
  });
});

describe('any other pull request', () => {
  it('costs one request when it is opened or pushed to, and gets no comment', async () => {
    const story = await stage().tell();
    expect(await requestsOf(story, () => story.ana.pushes({ 'README.md': '# More\n' }))).toEqual([
      'graphql repository',
    ]);
    expect(await requestsOf(story, () => story.ana.does((person) => person.closes()))).toEqual([]);
    expect(await requestsOf(story, () => story.ana.does((person) => person.reopens()))).toEqual(['graphql repository']);
    expect(story.bot.comments()).toEqual([]);
  });

  it('that is merely behind the default branch stays without a comment', async () => {
    const story = await stage().tell();
    await story.configures('expiry: 1d\n');
    await story.ana.pushes({ 'README.md': '# More\n' });
    expect(story.bot.comments()).toEqual([]);
  });

  it('that is closed by the time of the push’s webhook gets none', async () => {
    const story = await stage().tell();
    const deliveries = dropWebhooks(stage(), () => story.ana.person.pushes({ [PATH]: 'expiry: 1d\n' }));
    await story.ana.does((person) => person.closes());
    for (const delivery of deliveries) stage().github.deliveries.redeliver(delivery);
    await stage().settle();
    expect(story.bot.comments()).toEqual([]);
  });

  it('of an account that is not served costs nothing', async () => {
    await stage().restart({ ALLOWED_OWNERS: 'acme-served' });
    const story = await tellWith('expiry: 1d\n');
    expect(story.bot.comments()).toEqual([]);
    expect(await requestsOf(story, () => story.ana.pushes({ [PATH]: 'expiry: 2d\n' }))).toEqual([]);
    await stage().restart();
  });
});
