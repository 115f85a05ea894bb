import { describe, expect, it } from 'vitest';
import { verifyRange } from '../../../src/cli/verify/verify.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { inClone } from '../support/clone.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { editRow, ROWS_PATH, row, rows, tellRows } from '../support/rows.ts';
import { move, read, type Story } from '../support/story.ts';

/** A version with neither rulesets nor a delivery log. */
const LACKS = ['GET /repos/{owner}/{repo}/rules/branches/{branch}', 'GET /app/hook/deliveries'];

const stage = stageForAll({ server: { version: '3.10.0', missingRoutes: LACKS } });

async function readyz(): Promise<number> {
  return (await fetch(`${stage().server().url}/readyz`)).status;
}

/** In private mode the App cannot load its bot account before its first installation. */
async function tellOnceReady(): Promise<Story> {
  const story = await tellRows(stage());
  await expect.poll(readyz, { timeout: 25_000, interval: 50 }).toBe(200);
  await stage().settle();
  return story;
}

/** A route that is missing is believed once the token is no longer new, and not at its first 404. */
async function provesItsLacks(): Promise<void> {
  for (const seconds of [6, 6, 6, 6]) await stage().later(seconds);
}

async function verdicts({ pr }: Story): Promise<readonly string[]> {
  const results: string[] = [];
  await inClone(stage(), pr, async (gitDir) => {
    const range = pr.now().head.branch;
    const host = new URL(stage().github.url).hostname;
    results.push(...(await verifyRange({ gitDir, range, slug: null, host })).map(({ result }) => result));
  });
  return results;
}

describe('on GitHub Enterprise Server', () => {
  it('the App starts before it is installed, and is ready once it is (J12)', async () => {
    expect(await readyz()).toBe(503);
    const fault = stage()
      .logged.map(parseJson)
      .find((line) => isRecord(line) && 'fix' in line);
    expect(fault).toMatchObject({
      msg: 'could not load app identity, retrying',
      err: { message: expect.stringContaining('install the App on a repository first') },
      fix: 'Install the App on a repository. The server notices it by itself.',
    });
    await tellOnceReady();
  });

  it('a whole conversation uses only /api/v3 and /api/graphql, and links to the server’s own pages (J12)', async () => {
    const story = await tellOnceReady();
    const { pr, ana, bot, model } = story;
    const before = stage().github.requests.length;
    model.proposes(read(ROWS_PATH), { name: 'search', arguments: { query: 'row07' } });
    model.proposes(editRow(5, 50), editRow(9, 90), editRow(20, 200), move('README.md', 'docs/README.md'));
    await ana.says('/countersign give the rows other values');
    await provesItsLacks();
    await ana.replies(bot.proposal(1), '/approve');
    await ana.replies(bot.proposal(2), '/deny nine stays nine');
    await ana.commitsSuggestion(bot.proposal(3));
    await ana.says('/approve all');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50, 20: 200 }));
    expect(pr.file('docs/README.md')).toContain('Shop');
    expect(model.requests()).toHaveLength(3);
    expect(JSON.stringify(model.requests()[1]?.body)).toContain(row(7).slice(0, 11));
    const site = stage().github.url;
    expect(bot.proposal(1).body).toContain(`${site}/${pr.fullName}/commit/${pr.commits()[0]?.sha}`);
    expect(pr.commits()[0]?.message).toContain(`<${ana.id}+${ana.login}@users.noreply.${new URL(site).hostname}>`);
    for (const { body } of bot.comments()) expect(body).not.toContain('github.com/');
    const targets = stage()
      .github.requests.slice(before)
      .map(({ target }) => target);
    expect(targets.length).toBeGreaterThan(30);
    expect(targets.filter((target) => !/^\/(?:api\/(?:v3\/|graphql$)|codeload\/)/.test(target))).toEqual([]);
    expect(targets.filter((target) => target === '/api/graphql').length).toBeGreaterThan(3);
  });

  it('unsigned commits are verified by their trailers (J12)', async () => {
    const story = await tellOnceReady();
    story.model.proposes(editRow(5, 50));
    await story.ana.says('/countersign give the row another value');
    await provesItsLacks();
    await story.ana.replies(story.bot.proposal(1), '/approve');
    expect(await verdicts(story)).toEqual(['ok']);
  });

  it('without a delivery log the search for lost webhooks pauses, and everything else works (J12)', async () => {
    await tellOnceReady();
    await stage().later(61);
    const page = await (await fetch(`${stage().server().url}/metrics`)).text();
    expect(page).toContain('countersign_recovery_runs_total{result="refused"} 1\n');
    expect(page).toContain('countersign_rate_limit_waits_total{source="own"} 0\n');
  });
});
