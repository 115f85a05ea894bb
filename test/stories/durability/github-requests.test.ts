import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { namesOf, requestsSince } from '../support/requests.ts';
import { editRow, proposeRows, tellRows } from '../support/rows.ts';
import { read, type Story } from '../support/story.ts';

const stage = stageForAll();

/** Names of the requests that a deed leads to, up to and with the last one that matches, if that is given. */
async function requestsOf(story: Story, deed: () => Promise<unknown>, last?: RegExp): Promise<readonly string[]> {
  const before = stage().github.requests.length;
  await deed();
  const names = namesOf(requestsSince(stage(), story, before));
  return last === undefined ? names : names.slice(0, names.findLastIndex((name) => last.test(name)) + 1);
}

const REVIEW = /^POST .*\/reviews$/;

const COMMIT = /createCommitOnBranch/;

const SETTINGS = 'GET /repos/{owner}/{repo}/contents/{path}';

/** A file, or a page of the list of the pull request's files. */
const READ = /\/git\/blobs\/|\/pulls\/\{pull_number\}\/files$/;

/** A model that answers before the run comment is written has it looked for: no real one is so quick. */
const LOOKED = /^GET .*\/(?:issues\/\{issue_number\}|pulls\/\{pull_number\})\/comments$/;

/** How many requests each action takes, as docs/internals/github-requests.md tells. */
function promised(): Readonly<Record<string, number>> {
  const page = readFileSync(new URL('../../../docs/internals/github-requests.md', import.meta.url), 'utf8');
  const rows = page.slice(page.indexOf('## GitHub requests')).matchAll(/^\| (.+?) \| .+ \| (\d+) \|$/gm);
  return Object.fromEntries([...rows].map(([, action = '', number]) => [action, Number(number)]));
}

/** The token of an installation, which two that ask at once may both ask for. */
const TOKEN = /\/access_tokens$/;

const RUN_COMMENT = /^PATCH .*\/issues\/comments\//;

/** Requests of a run that reads so many files, one after the other, and ends: edits of its comment, and others. */
async function lookAround(files: number): Promise<{ readonly edits: number; readonly others: number }> {
  const story = await stage().tell();
  const { ana, model } = story;
  for (const path of ['README.md', 'src/total.ts'].slice(0, files)) model.proposes(read(path));
  const asked = await requestsOf(story, () => ana.says('/countersign look around'));
  const besides = [READ, LOOKED, TOKEN, RUN_COMMENT];
  const others = asked.filter((name) => !besides.some((one) => one.test(name))).length;
  return { edits: asked.filter((name) => RUN_COMMENT.test(name)).length, others };
}

describe('requests to GitHub, as docs/internals/github-requests.md counts them', () => {
  it('each action takes as many as the table lists, and no more than its limit', async () => {
    const story = await tellRows(stage());
    const taken: Record<string, number> = {};
    const count = async (action: string, deed: () => Promise<unknown>, last?: RegExp): Promise<void> => {
      const besides = action.startsWith('task') ? [READ, LOOKED] : [READ];
      const asked = await requestsOf(story, deed, last);
      taken[action] = asked.filter((name) => !besides.some((one) => one.test(name))).length;
    };
    const { ana, bot, model } = story;
    const idOf = (n: number) => bot.proposal(n).proposalId;
    model.proposes(editRow(5, 50));
    await count('task to the first review, cold', () => ana.says('/countersign change a row'), REVIEW);
    await count('`/approve` of one, to the commit', () => ana.replies(bot.proposal(1), '/approve'), COMMIT);
    model.proposes(editRow(9, 90), editRow(20, 200), editRow(15, 150));
    await count('task to the first review, warm', () => ana.says('/countersign change other rows'), REVIEW);
    await count('`/status`, `/show`', () => ana.says('/status'));
    expect(await requestsOf(story, () => ana.says(`/show ${idOf(2)}`))).toHaveLength(taken['`/status`, `/show`'] ?? 0);
    await count('`/deny` of one among several', () => ana.says(`/deny ${idOf(2)}`));
    await count('`/approve all`, to the commit', () => ana.says('/approve all'), COMMIT);
    await count('`/undo` of an edit, to its review', () => ana.says(`/undo ${idOf(1)}`), REVIEW);
    const { 'a response that only reads': further, ...exactly } = promised();
    expect(taken).toEqual(exactly);
    const [one, two] = [await lookAround(1), await lookAround(2)];
    // One of them is the edit of the run comment: one for each response at most, for those that come together are one.
    expect(two.others - one.others).toBe((further ?? 0) - 1);
    expect(one.edits).toBeLessThanOrEqual(2);
    expect(two.edits).toBeLessThanOrEqual(3);
    const goals = { cold: 13, warm: 10, commit: 8 };
    expect(taken['task to the first review, cold']).toBeLessThanOrEqual(goals.cold);
    expect(taken['task to the first review, warm']).toBeLessThanOrEqual(goals.warm);
    for (const of of ['`/approve` of one', '`/approve all`'])
      expect(taken[`${of}, to the commit`]).toBeLessThanOrEqual(goals.commit);
  });

  it('two more close each proposal that was committed', async () => {
    const story = await proposeRows(stage(), { 5: 50, 9: 90 });
    const { ana, bot } = story;
    const asked = await requestsOf(story, () => ana.replies(bot.proposal(1), '/approve'));
    const committed = asked.findIndex((name) => COMMIT.test(name)) + 1;
    // Besides the run's comment, and the threads' ids once on each pull request.
    const closing = asked.slice(committed).filter((name) => !/\/git\/|issues\/comments|graphql repository/.test(name));
    expect(closing).toHaveLength(2);
    // B20: what GitHub made of it is read once, for the comparison and for what else waits.
    expect(asked.slice(committed).filter((name) => name.includes('/git/trees/'))).toHaveLength(1);
  });

  it('the settings are read at the decision and before the commit, and cost no quota while unchanged (S127)', async () => {
    const story = await tellRows(stage());
    const { ana, bot, model, configures } = story;
    await configures('required_approvals: 1');
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    const before = stage().github.requests.length;
    await ana.replies(bot.proposal(1), '/approve');
    const asked = requestsSince(stage(), story, before);
    expect(asked.flatMap(({ name, status }) => (name === SETTINGS ? [status] : []))).toEqual([304, 304]);
  });

  it('approving all of four asks two for each of them, besides what one asks', async () => {
    const story = await proposeRows(stage(), { 3: 30, 9: 90, 15: 150, 21: 210 });
    const { ana, bot } = story;
    expect(bot.proposals()).toHaveLength(4);
    const asked = await requestsOf(story, () => ana.says('/approve all'));
    const closing = asked.filter((name) => /^PATCH .*\/pulls\/comments\/|resolveReviewThread/.test(name));
    expect(closing).toHaveLength(8);
    expect(asked.filter((name) => name === 'graphql repository')).toHaveLength(1);
  });
});
