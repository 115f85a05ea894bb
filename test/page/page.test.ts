import { statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takePictures } from '../../scripts/write-screenshots.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import {
  AGENT_MS,
  actAs,
  CHROMIUM,
  listFindings,
  openStory,
  playStep,
  see,
  startVisit,
  type Visit,
} from './browser.ts';
import { ATTACK, HOSTILE_PULL } from './hostile-pull.ts';

const scratch = scratchFolder();

let visit: Visit;
let page: Page;

/** The address of the pull request of the README's pictures. */
let pull = '';

const ON_A_PHONE = 'Two approvals, and a late no';

/** The last step of a story looks at the commits, which git verifies. */
async function expectVerified(where: Page): Promise<void> {
  await see(where, '.verdict.good');
  expect(await where.locator('.verdict.bad').count()).toBe(0);
  expect(await where.locator('.trailers', { hasText: 'Approved-by:' }).count()).toBeGreaterThan(0);
  expect(visit.session.github.violations).toEqual([]);
  expect(visit.errors).toEqual([]);
}

describe.skipIf(CHROMIUM === undefined)('the page in a real browser (PG10)', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    visit = await startVisit(HOSTILE_PULL);
    page = await visit.open();
  });
  afterAll(() => visit.close());

  describe('what the page keeps out (PG8)', () => {
    it('shows hostile titles, names, code and comments as text', async () => {
      await page.goto(visit.url);
      await page.getByRole('button', { name: 'Open' }).click();
      await see(page, '.comment');
      await page.locator('#new-comment').fill(`${ATTACK}\n</textarea><b>bold</b>`);
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await see(page, '.comment b', 'bold');
      const running = '.comment img, .comment script, .comment iframe, .comment .markdown-body form';
      expect(await page.locator(running).count()).toBe(0);
      const acting = 'a[href^="javascript"], .markdown-body [style], .markdown-body [onclick]';
      expect(await page.locator(acting).count()).toBe(0);
      expect(await page.locator('h1').textContent()).toContain('<script>');
      await page.getByRole('link', { name: 'Files changed' }).click();
      await see(page, '.path', '<img src=x onerror=window.hacked=1>.ts');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(visit.errors).toEqual([]);
    });

    it('answers only its own address, and forms of its own pages', async () => {
      const response = await fetch(visit.url);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
      const foreign = await fetch(`${visit.url}/play`, { method: 'POST', headers: { origin: 'http://evil.example' } });
      expect(foreign.status).toBe(403);
      const unknown = await fetch(`${visit.url}/act`, {
        method: 'POST',
        body: new URLSearchParams({ pull: 'no/where#1' }),
      });
      expect([unknown.status, await unknown.text()]).toEqual([422, 'There is no such pull request.']);
    });
  });

  it.each([
    'Approve, and go on',
    'Your own lines',
    'The branch moves under a pending change',
    'The checks fail after the commit',
  ])('tells the story “%s” in at most five clicks (PG4)', async (title) => {
    await openStory(page, visit.url, title);
    for (let clicks = 1; !(await playStep(page)); clicks += 1) expect(clicks).toBeLessThan(5);
    await expectVerified(page);
  });

  it(`tells the story “${ON_A_PHONE}” on a phone, with the keyboard alone (PG4, PG8)`, async () => {
    const phone = await visit.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const play = async () => {
      const isOver = await playStep(phone, (button) => button.press('Enter'));
      expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
      return isOver;
    };
    await openStory(phone, visit.url, ON_A_PHONE, (button) => button.press('Enter'));
    expect(await play()).toBe(false);
    const answers = await phone.locator('.comment.by-app').count();
    await phone.locator('#new-comment').focus();
    await phone.keyboard.type('/status');
    await phone.keyboard.press('Control+Enter');
    await expect.poll(() => phone.locator('.comment.by-app').count()).toBeGreaterThan(answers);
    for (let presses = 2; !(await play()); presses += 1) expect(presses).toBeLessThan(5);
    await expectVerified(phone);
    await phone.context().close();
  });

  it('shows what happens within 300 ms (PG3)', async () => {
    const play = [...visit.session.plays.values()].findLast(({ scene }) => scene.title !== ON_A_PHONE);
    if (play === undefined) throw new Error('No story was played.');
    await page.getByRole('link', { name: 'Conversation' }).click();
    await see(page, '#new-comment');
    const times: number[] = [];
    for (let count = 1; count <= 5; count += 1) {
      const seen = see(page, '.comment', `Comment ${count}.`);
      const begun = performance.now();
      visit.session.act(play, 'carl', (person) => person.says(`Comment ${count}.`));
      await seen;
      times.push(performance.now() - begun);
    }
    // The quickest one, because this machine may have other work.
    expect(Math.min(...times)).toBeLessThan(300);
  });

  describe('on the pull request of the README’s pictures', () => {
    it('is what the pictures show (PG11)', async () => {
      await takePictures(page, visit.url, scratch, 'light');
      for (const name of ['pull-request', 'behind-the-scenes'])
        expect(statSync(`${scratch}/${name}-light.png`).size).toBeGreaterThan(20_000);
      pull = page.url().replace(/\?.*/, '');
    });

    it('shows behind the scenes the state, signals, reasons and the model’s words (PG5)', async () => {
      await see(page, '.behind .phase.lit', 'waits for people');
      await see(page, '.behind li', 'a task: a run begins');
      await see(page, '.behind li', 'the changes are shown');
      await see(page, '.behind li', 'the App’s own doing');
      await see(page, '.behind summary', 'edit_file');
      expect(await page.locator('.behind p', { hasText: 'tokens asked' }).textContent()).toMatch(
        /[1-9]\d* tokens asked/,
      );
      await page.locator('.behind').getByRole('link', { name: 'Close' }).click();
      await see(page, 'body:not(:has(.behind)) .label', 'countersign: waiting');
    });

    it('shows the changed files unified and split, with the thread below its line (PG2)', async () => {
      await page.getByRole('link', { name: 'Files changed' }).click();
      await see(page, '.thread-row .thread');
      expect(await page.locator('.diff .hljs-keyword').count()).toBeGreaterThan(0);
      await page.getByRole('link', { name: 'Split view' }).click();
      await see(page, 'table.split .thread-row');
    });

    it('takes a comment on a line, whose suggestion the author of the pull request cannot commit (PG2)', async () => {
      await actAs(page, 'carl');
      const form = page.locator('.file:has-text("src/basket.ts") + .line-comment');
      await form.getByText('Comment on a line').click();
      await form.getByLabel('Line', { exact: true }).selectOption('7');
      await form.getByLabel('Comment on the line').fill('```suggestion\n  isMember = false;\n```');
      await form.getByRole('button').click();
      await see(page, '.thread-row .thread:has(button[title^="Only people"]:disabled) .diff-added', 'isMember');
    });

    it('lets each person do what GitHub lets them do (PG2)', async () => {
      await page.getByRole('link', { name: 'Conversation' }).click();
      await see(page, '.thread', 'src/receipt.ts');
      const thread = page.locator('.thread', { hasText: 'src/receipt.ts' });
      await actAs(page, 'rita');
      await thread.locator('textarea[placeholder="Reply…"]').fill('/approve');
      await thread.getByRole('button', { name: 'Reply' }).click();
      await see(page, '.comment.by-app', 'Sorry, rita');
      // A reaction, an edit and a deletion of her own comment.
      const own = thread.locator('.comment:not(.by-app)', { hasText: 'rita' });
      await own.getByLabel('Add a reaction').click();
      await own.getByLabel('React with heart').click();
      await see(page, '.comment:not(.by-app) .reaction', '❤️ 1');
      await own.getByLabel('Edit or delete the comment').click();
      await own.locator('.edit-menu textarea').fill('I only wanted to ask.');
      await own.getByRole('button', { name: 'Save' }).click();
      await see(page, '.comment .markdown-body', 'I only wanted to ask.');
      await own.getByLabel('Edit or delete the comment').click();
      await own.getByRole('button', { name: 'Delete' }).click();
      await own.waitFor({ state: 'detached' });
      await actAs(page, 'ben');
      await page
        .locator('.thread', { hasText: 'src/basket.ts' })
        .getByRole('button', { name: 'Commit suggestion' })
        .click();
      await see(page, '.thread:has(.badge.good)', 'src/basket.ts');
      expect(visit.errors).toEqual([]);
    });

    it('counts a review that requests changes, and says what GitHub refuses (PG2)', async () => {
      await actAs(page, 'carl');
      await page.getByText('Review changes').click();
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await see(page, '#toast.shown', 'GitHub refuses it');
      await actAs(page, 'ben');
      await page.getByText('Review changes').click();
      await page.getByLabel('Review as ben').fill('Please use integers from the start.');
      await page.getByRole('button', { name: 'Request changes' }).click();
      await see(page, '.review-changes_requested');
      await see(page, '.thread-title', 'Asked for something else');
      // Chromium logs each refused request as an error.
      expect(visit.errors.splice(0).filter((error) => !error.includes('422'))).toEqual([]);
    });
  });

  describe('with a trouble at each step of a story (PG4, PG6)', () => {
    const press = async (name: string): Promise<void> => {
      if (!(await page.locator('.trouble[open]').isVisible())) await page.locator('.trouble > summary').click();
      await page.locator('.trouble').getByRole('button', { name }).click();
    };

    beforeAll(() => openStory(page, visit.url, 'Ask for something else, then deny'));

    /** Waits for the turn of the step of this number, also where an earlier test failed. */
    const reach = async (step: number): Promise<void> => {
      await visit.session.restartApp();
      await see(page, '.now button.step:enabled', '', AGENT_MS);
      while ((await page.locator(`.now input[value="${step}"]`).count()) === 0) await playStep(page);
    };

    const playWith = async (step: number, ...troubles: readonly string[]): Promise<void> => {
      await reach(step);
      for (const name of troubles) {
        await press(name);
        await see(page, '.trouble .armed', name);
      }
      await playStep(page);
      await see(page, 'body:not(:has(.trouble .armed))');
    };

    // The App waits for seconds here, which leaves the browser time for another test.
    it.concurrent('“GitHub answers 502” and “The model hangs” lose nothing', async () => {
      await playWith(0, 'GitHub answers 502', 'The model hangs');
      expect([visit.session.github.faults.pending(), visit.session.model?.remaining()]).toEqual([[], 0]);
    });

    it.concurrent('meanwhile axe-core has no serious finding on the page, in light and in dark (PG8)', async () => {
      const tab = await visit.open();
      const findings: string[] = [];
      for (const [address, shown] of [
        [visit.url, '.story'],
        [`${pull}/commits`, '.verdict.good'],
        [`${pull}/files`, '.file'],
        [`${pull}?behind=1`, '.behind'],
      ] as const) {
        await tab.goto(address);
        await see(tab, shown);
        if (shown === '.behind') await tab.locator('.trouble > summary').click();
        findings.push(...(await listFindings(tab, address)));
      }
      expect(findings).toEqual([]);
    });

    it.each([
      [1, 'Lose the next webhook', 'Please give the 500 a name.', 0],
      [2, 'Deliver the next webhook twice', '/deny the receipt is long enough', 2],
    ] as const)('at step %i, “%s” loses nothing', async (step, name, said, times) => {
      await playWith(step, name);
      const reply = visit.session.github.deliveries.log.find(
        ({ event, request }) => event === 'pull_request_review_comment' && request.body.includes(said),
      );
      expect(reply?.statuses).toHaveLength(times);
      await see(page, '.trouble li', `${name}Last time it`);
    });

    it('“Kill the App now” loses nothing: what was written meanwhile is read afterwards', async () => {
      await reach(3);
      await press('Kill the App now');
      await see(page, '.app-state.killed');
      // The pressed button keeps the focus, and changes its words all the same.
      await see(page, '.trouble button:focus', 'Start the App again');
      await page.locator('button.step:enabled').click();
      await see(page, '.comment:not(.by-app)', '/approve');
      await press('Start the App again');
      await see(page, '.app-state.running', '', AGENT_MS);
      await see(page, '.trouble button', 'Kill the App now');
      await see(page, 'button.step:enabled', 'looks at the commits', AGENT_MS);
    });

    it('and exactly what was approved is on the branch', async () => {
      await reach(4);
      expect(await playStep(page)).toBe(true);
      await expectVerified(page);
      expect(await page.locator('.verdict.good').count()).toBe(1);
    });
  });
});
