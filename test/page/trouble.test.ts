import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, openStory, startVisit, type Visit } from './browser.ts';

const SLOW = 240_000;

const TITLE = 'Your own lines';

let visit: Visit;
let page: Page;

async function press(name: string): Promise<void> {
  if (!(await page.locator('.trouble[open]').isVisible())) await page.locator('.trouble > summary').click();
  await page.locator('.trouble').getByRole('button', { name }).click();
}

/** Plays the story on from where it stands, and expects that its commit holds what was approved. */
async function playOn(): Promise<void> {
  while (!(await page.locator('.over').isVisible())) {
    await page.locator('button.step:enabled').click();
    await page.locator('.over, button.step:enabled').first().waitFor();
  }
  await page.locator('.verdict.good').waitFor();
  expect(await page.locator('.verdict.good').count()).toBe(1);
}

describe.skipIf(CHROMIUM === undefined)('trouble on the page (PG6)', { timeout: SLOW }, () => {
  beforeAll(async () => {
    visit = await startVisit(null);
    page = await visit.open();
  }, SLOW);
  afterAll(() => visit.close());

  it.each(['Lose the next webhook', 'Deliver the next webhook twice', 'GitHub answers 502', 'The model hangs'])(
    '“%s” loses nothing',
    async (name) => {
      await openStory(page, visit.url, TITLE);
      await press(name);
      await page.locator('.trouble .armed').waitFor();
      await playOn();
    },
  );

  it('“Kill the App now” loses nothing: what was written meanwhile is read afterwards', async () => {
    await openStory(page, visit.url, TITLE);
    await page.locator('button.step:enabled').click();
    await page.locator('button.step:enabled', { hasText: 'his own lines' }).waitFor();
    await press('Kill the App now');
    await page.locator('.app-state.killed').waitFor();
    await page.locator('button.step:enabled').click();
    await page.locator('.comment', { hasText: 'Members should not lose by it.' }).waitFor();
    await press('Start the App again');
    await page.locator('.app-state.running').waitFor();
    await playOn();
  });
});
