import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stageForAll } from '../support/open-and-close.ts';
import { namesOf, requestsSince } from '../support/requests.ts';
import { editRow, proposeRows, tellRows } from '../support/rows.ts';
import { read, type Story } from '../support/story.ts';

const stage = stageForAll({ showsWaiting: true });

/** Names of the requests that an action causes; if `until` is given, up to its last match. */
async function requestsOf(story: Story, perform: () => Promise<unknown>, until?: RegExp): Promise<readonly string[]> {
  const before = stage().github.requests.length;
  await perform();
  const names = namesOf(requestsSince(stage(), story, before));
  return until === undefined ? names : names.slice(0, names.findLastIndex((name) => until.test(name)) + 1);
}

const REVIEW = /^POST .*\/reviews$/;

const COMMIT = /createCommitOnBranch/;

/** Each also finds the root of the default branch, and with it the settings. */
const [AT_DECISION, BEFORE_COMMIT] = ['graphql commentTexts', 'graphql pull'];

/** Requests for a file, or for a page of the pull request's files. */
const READ = /\/git\/blobs\/|\/pulls\/\{pull_number\}\/files$/;

/** The search for a run comment that is not stored yet, because the fake model responds faster than a real one. */
const RUN_COMMENT_SEARCH = /^GET .*\/(?:issues\/\{issue_number\}|pulls\/\{pull_number\})\/comments$/;

/** The documented number of requests per action, from docs/internals/durability.md. */
function documentedCounts(): Readonly<Record<string, number>> {
  const page = readFileSync(new URL('../../../docs/internals/durability.md', import.meta.url), 'utf8');
  const rows = page.slice(page.indexOf('## GitHub requests')).matchAll(/^\| (.+?) \| .+ \| (\d+) \|$/gm);
  return Object.fromEntries([...rows].map(([, action = '', number]) => [action, Number(number)]));
}

/** Installation tokens: two concurrent requests might both create one. */
const TOKEN = /\/access_tokens$/;

const RUN_COMMENT = /^PATCH .*\/issues\/comments\//;

/** Requests of a run that reads this many files one by one and ends: edits of its comment, and others. */
async function lookAround(files: number): Promise<{ readonly edits: number; readonly others: number }> {
  const story = await stage().tell();
  const { ana, model } = story;
  for (const path of ['README.md', 'src/total.ts'].slice(0, files)) model.proposes(read(path));
  const asked = await requestsOf(story, () => ana.says('/countersign look around'));
  const excluded = [READ, RUN_COMMENT_SEARCH, TOKEN, RUN_COMMENT];
  const others = asked.filter((name) => !excluded.some((one) => one.test(name))).length;
  return { edits: asked.filter((name) => RUN_COMMENT.test(name)).length, others };
}

describe('requests to GitHub, as docs/internals/durability.md counts them', () => {
  it('each action sends as many as the table lists, and stays within its limit', async () => {
    const story = await tellRows(stage());
    const taken: Record<string, number> = {};
    const count = async (action: string, perform: () => Promise<unknown>, until?: RegExp): Promise<void> => {
      const excluded = action.startsWith('task') ? [READ, RUN_COMMENT_SEARCH] : [READ];
      const asked = await requestsOf(story, perform, until);
      taken[action] = asked.filter((name) => !excluded.some((one) => one.test(name))).length;
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
    const {
      'a response that only reads': further,
      'two edits and two approvals, without tokens': _,
      ...exactly
    } = documentedCounts();
    expect(taken).toEqual(exactly);
    const [one, two] = [await lookAround(1), await lookAround(2)];
    // Run comment edits: at most one per response, because simultaneous ones are merged.
    expect(two.others - one.others).toBe((further ?? 0) - 1);
    expect(one.edits).toBeLessThanOrEqual(2);
    expect(two.edits).toBeLessThanOrEqual(3);
    const goals = { cold: 16, warm: 9, commit: { '`/approve` of one': 7, '`/approve all`': 8 } };
    expect(taken['task to the first review, cold']).toBeLessThanOrEqual(goals.cold);
    expect(taken['task to the first review, warm']).toBeLessThanOrEqual(goals.warm);
    for (const [of, goal] of Object.entries(goals.commit))
      expect(taken[`${of}, to the commit`]).toBeLessThanOrEqual(goal);
  });

  it('a whole run of two edits, which are approved one after the other (O28)', async () => {
    const story = await tellRows(stage());
    const { ana, bot, model } = story;
    const whole = await requestsOf(story, async () => {
      model.proposes(editRow(5, 50), editRow(20, 200));
      await ana.says('/countersign change two rows');
      for (const n of [1, 2]) await ana.replies(bot.proposal(n), '/approve');
    });
    const counted = whole.filter((name) => ![RUN_COMMENT_SEARCH, TOKEN].some((one) => one.test(name)));
    expect(counted).toHaveLength(documentedCounts()['two edits and two approvals, without tokens'] ?? 0);
  });

  it('behind a commit, each of its proposals takes one more to close', async () => {
    const story = await proposeRows(stage(), { 5: 50, 20: 200 });
    const { ana, bot } = story;
    const asked = await requestsOf(story, () => ana.replies(bot.proposal(1), '/approve'));
    const committed = asked.findIndex((name) => COMMIT.test(name)) + 1;
    // Apart from the run comment and the check runs.
    const closing = asked.slice(committed).filter((name) => !/issues\/comments|check-runs/.test(name));
    expect(closing).toEqual(['graphql updatePullRequestReviewComment']);
  });

  it('the settings are looked up at the decision and before the commit (S127)', async () => {
    const story = await tellRows(stage());
    const { ana, bot, model, configures } = story;
    await configures('required_approvals: 1');
    model.proposes(editRow(5, 50));
    await ana.says('/countersign give the row another value');
    const asked = await requestsOf(story, () => ana.replies(bot.proposal(1), '/approve'), COMMIT);
    expect(asked.filter((name) => name === AT_DECISION || name === BEFORE_COMMIT)).toEqual([
      AT_DECISION,
      BEFORE_COMMIT,
    ]);
  });

  it('approving two readings checks both of them at once', async () => {
    const story = await stage().tell({ branch: { 'payroll/list.ts': 'list\n', 'payroll/more.ts': 'more\n' } });
    const { ana, model, configures } = story;
    await configures('rules: [{tools: [read_file], paths: ["payroll/**"], decide: ask}]');
    model.proposes(read('payroll/list.ts'), read('payroll/more.ts'));
    await ana.says('/countersign sum the salaries');
    const asked = await requestsOf(story, () => ana.says('/approve all'));
    const count = (name: string): number => asked.filter((one) => one === name).length;
    expect(count(AT_DECISION)).toBe(1);
    expect(count('GET /repos/{owner}/{repo}/collaborators/{username}/permission')).toBe(2);
    expect(count('GET /repos/{owner}/{repo}/issues/comments/{comment_id}')).toBe(1);
  });

  it('approving all of four changes sends one per change in addition to those of one approval', async () => {
    const story = await proposeRows(stage(), { 3: 30, 9: 90, 15: 150, 21: 210 });
    const { ana, bot } = story;
    expect(bot.proposals()).toHaveLength(4);
    const asked = await requestsOf(story, () => ana.says('/approve all'));
    expect(asked.filter((name) => name === 'graphql updatePullRequestReviewComment')).toHaveLength(4);
  });
});
