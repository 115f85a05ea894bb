import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCENES } from '../../demo/scenes/scenes.ts';
import { actAs, CHROMIUM, openStory, playStory, startVisit, type Visit } from './browser.ts';

const SLOW = 240_000;

let visit: Visit;
let page: Page;

describe.skipIf(CHROMIUM === undefined)('the page in a browser', { timeout: SLOW }, () => {
  beforeAll(async () => {
    visit = await startVisit(null);
    page = await visit.open();
  }, SLOW);
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

  it('lets each person do by hand what GitHub lets them do (PG2)', async () => {
    await openStory(page, visit.url, 'Your own lines');
    await page.locator('button.step:enabled').click();
    const thread = page.locator('.thread', { hasText: 'src/discount.ts' });
    await thread.getByRole('button', { name: 'Commit suggestion' }).waitFor();
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

  it('counts a review that requests changes, and says what GitHub refuses (PG2)', async () => {
    await openStory(page, visit.url, 'Approve, and go on');
    await page.locator('button.step:enabled').click();
    await page.locator('button.step:enabled', { hasText: '/approve' }).waitFor();
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

  it('shows the changed files unified and split, with the thread below its line (PG2)', async () => {
    await openStory(page, visit.url, 'Your own lines');
    await page.locator('button.step:enabled').click();
    await page.locator('.thread').first().waitFor();
    await page.getByRole('link', { name: 'Files changed' }).click();
    await page.locator('.thread-row .thread').waitFor();
    expect(await page.locator('.diff .hljs-keyword').count()).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Split view' }).click();
    await page.locator('table.split .thread-row').waitFor();
  });

  it('shows behind the scenes the state, signals, reasons and the model’s words (PG5)', async () => {
    await openStory(page, visit.url, 'Approve, and go on');
    await page.getByText('Open “Behind the scenes”').click();
    await page.locator('button.step:enabled').click();
    const drawer = page.locator('.behind');
    await drawer.locator('.phase.lit', { hasText: 'waits for people' }).waitFor();
    await drawer.locator('li', { hasText: 'a task: a run begins' }).first().waitFor();
    await drawer.locator('li', { hasText: 'the changes are shown' }).waitFor();
    await drawer.locator('li', { hasText: 'the App’s own doing' }).first().waitFor();
    await drawer.locator('summary', { hasText: 'edit_file' }).first().waitFor();
    expect(await drawer.locator('p', { hasText: 'tokens asked' }).textContent()).toMatch(/[1-9]\d* tokens asked/);
  });
});
