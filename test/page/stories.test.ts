import { statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCENES } from '../../demo/scenes/scenes.ts';
import { takePictures } from '../../scripts/write-screenshots.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { AGENT_MS, actAs, CHROMIUM, openStory, playStep, playStory, startVisit, type Visit } from './browser.ts';

const scratch = scratchFolder();

let visit: Visit;
let page: Page;

async function press(name: string): Promise<void> {
  if (!(await page.locator('.trouble[open]').isVisible())) await page.locator('.trouble > summary').click();
  await page.locator('.trouble').getByRole('button', { name }).click();
}

describe.skipIf(CHROMIUM === undefined)('the page in a real browser (PG10)', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    visit = await startVisit(null);
    page = await visit.open();
  });
  afterAll(() => visit.close());

  it('has six stories', () => {
    expect(SCENES).toHaveLength(6);
  });

  it.each(SCENES.map(({ title }) => title))('tells the story “%s” in at most five clicks (PG4)', async (title) => {
    expect(await playStory(page, visit.url, title)).toBeLessThanOrEqual(5);
    // The last click looks at the commits, which git verifies.
    await page.locator('.verdict.good').first().waitFor();
    expect(await page.locator('.verdict.bad').count()).toBe(0);
    expect(await page.locator('.trailers', { hasText: 'Approved-by:' }).count()).toBeGreaterThan(0);
    expect(visit.session.github.violations).toEqual([]);
    expect(visit.errors).toEqual([]);
  });

  it('shows what happens within 300 ms (PG3)', async () => {
    const play = [...visit.session.plays.values()].at(-1);
    if (play === undefined) throw new Error('No story was played.');
    await page.getByRole('link', { name: 'Conversation' }).click();
    const times: number[] = [];
    for (let count = 1; count <= 5; count += 1) {
      const begun = performance.now();
      visit.session.act(play, 'carl', (person) => person.says(`Comment ${count}.`));
      await page.locator('.comment', { hasText: `Comment ${count}.` }).waitFor();
      times.push(performance.now() - begun);
    }
    // The quickest one, because this machine may have other work.
    expect(Math.min(...times)).toBeLessThan(300);
  });

  describe('on the pull request “Your own lines” (PG2)', () => {
    beforeAll(async () => {
      await openStory(page, visit.url, 'Your own lines');
      await playStep(page);
    });

    it('shows the changed files unified and split, with the thread below its line', async () => {
      await page.getByRole('link', { name: 'Files changed' }).click();
      await page.locator('.thread-row .thread').waitFor();
      expect(await page.locator('.diff .hljs-keyword').count()).toBeGreaterThan(0);
      await page.getByRole('link', { name: 'Split view' }).click();
      await page.locator('table.split .thread-row').waitFor();
    });

    it('takes a comment on a line, with a suggestion to commit', async () => {
      const form = page.locator('.file:has-text("src/receipt.ts") + .line-comment');
      await form.getByText('Comment on a line').click();
      await form.getByLabel('Line', { exact: true }).selectOption('6');
      await form.getByLabel('Comment on the line').fill('```suggestion\n  // Six.\n```');
      await form.getByRole('button').click();
      const thread = page.locator('.thread-row .thread', { hasText: '// Six.' });
      await thread.locator('.diff-added').waitFor();
      expect(await thread.getByRole('button', { name: 'Commit suggestion' }).isEnabled()).toBe(true);
      await page.getByRole('link', { name: 'Conversation' }).click();
    });

    it('lets each person do what GitHub lets them do', async () => {
      const thread = page.locator('.thread', { hasText: 'src/discount.ts' });
      await actAs(page, 'rita');
      expect(await thread.getByRole('button', { name: 'Commit suggestion' }).isDisabled()).toBe(true);
      await thread.locator('textarea[placeholder="Reply…"]').fill('/approve');
      await thread.getByRole('button', { name: 'Reply' }).click();
      await page.locator('.comment.by-app', { hasText: 'Sorry, rita' }).waitFor();
      // A reaction, an edit and a deletion of her own comment.
      const own = thread.locator('.comment:not(.by-app)', { hasText: 'rita' });
      await own.getByLabel('Add a reaction').click();
      await own.getByLabel('React with heart').click();
      await own.locator('.reaction', { hasText: '❤️ 1' }).waitFor();
      await own.getByLabel('Edit or delete the comment').click();
      await own.locator('.edit-menu textarea').fill('I only wanted to ask.');
      await own.getByRole('button', { name: 'Save' }).click();
      await own.locator('.markdown-body', { hasText: 'I only wanted to ask.' }).waitFor();
      await own.getByLabel('Edit or delete the comment').click();
      await own.getByRole('button', { name: 'Delete' }).click();
      await own.waitFor({ state: 'detached' });
      await actAs(page, 'ben');
      await thread.getByRole('button', { name: 'Commit suggestion' }).click();
      await thread.locator('.badge', { hasText: 'Resolved' }).waitFor();
      expect(visit.errors).toEqual([]);
    });
  });

  describe('on the pull request of the README’s pictures', () => {
    it('is what the pictures show (PG11)', async () => {
      await takePictures(page, visit.url, scratch, 'light');
      for (const name of ['pull-request', 'behind-the-scenes'])
        expect(statSync(`${scratch}/${name}-light.png`).size).toBeGreaterThan(20_000);
    });

    it('shows behind the scenes the state, signals, reasons and the model’s words (PG5)', async () => {
      const drawer = page.locator('.behind');
      await drawer.locator('.phase.lit', { hasText: 'waits for people' }).waitFor();
      await drawer.locator('li', { hasText: 'a task: a run begins' }).first().waitFor();
      await drawer.locator('li', { hasText: 'the changes are shown' }).waitFor();
      await drawer.locator('li', { hasText: 'the App’s own doing' }).first().waitFor();
      await drawer.locator('summary', { hasText: 'edit_file' }).first().waitFor();
      expect(await drawer.locator('p', { hasText: 'tokens asked' }).textContent()).toMatch(/[1-9]\d* tokens asked/);
      await drawer.getByRole('link', { name: 'Close' }).click();
      await drawer.waitFor({ state: 'detached' });
    });

    it('counts a review that requests changes, and says what GitHub refuses (PG2)', async () => {
      await actAs(page, 'carl');
      await page.getByText('Review changes').click();
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.locator('#toast.shown', { hasText: 'GitHub refuses it' }).waitFor();
      await actAs(page, 'ben');
      await page.getByText('Review changes').click();
      await page.getByLabel('Review as ben').fill('Please use integers from the start.');
      await page.getByRole('button', { name: 'Request changes' }).click();
      await page.locator('.review-changes_requested').waitFor();
      await page.locator('.thread-title', { hasText: 'Asked for something else' }).first().waitFor();
      // Chromium logs each refused request as an error.
      expect(visit.errors.filter((error) => !error.includes('422'))).toEqual([]);
    });
  });

  describe('with a trouble at each step of a story (PG6)', () => {
    beforeAll(() => openStory(page, visit.url, 'Ask for something else, then deny'));

    it.each([['GitHub answers 502', 'The model hangs'], ['Lose the next webhook'], ['Deliver the next webhook twice']])(
      '“%s” loses nothing',
      async (...names) => {
        for (const name of names) await press(name);
        await expect.poll(() => page.locator('.trouble .armed').count()).toBe(names.length);
        await playStep(page);
        await page.locator('.trouble .armed').waitFor({ state: 'detached' });
      },
    );

    it('“Kill the App now” loses nothing: what was written meanwhile is read afterwards', async () => {
      await press('Kill the App now');
      await page.locator('.app-state.killed').waitFor();
      await page.locator('button.step:enabled').click();
      await page.locator('.comment:not(.by-app)', { hasText: '/approve' }).waitFor();
      await press('Start the App again');
      await page.locator('.app-state.running').waitFor({ timeout: AGENT_MS });
      await page.locator('button.step:enabled', { hasText: 'looks at the commits' }).waitFor({ timeout: AGENT_MS });
    });

    it('and exactly what was approved is on the branch', async () => {
      expect(await playStep(page)).toBe(true);
      await page.locator('.verdict.good').waitFor();
      expect(await page.locator('.verdict.good').count()).toBe(1);
    });
  });
});
