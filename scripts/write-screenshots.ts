/** Makes the README's pictures from the running page of the demo, so that they stay true. Needs Chromium. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { servePage } from '../demo/page/server.ts';
import { startSession } from '../demo/page/session.ts';

const SIZE = { width: 1280, height: 800 };

/** Plays the first story until one of its changes waits, and takes pictures of a change, and behind the scenes. */
export async function takePictures(page: Page, url: string, folder: string, scheme: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Play' }).first().click();
  await page.locator('button.step:enabled').click();
  await page.locator('button.step:enabled', { hasText: '/approve' }).waitFor();
  await page.locator('.thread').first().scrollIntoViewIfNeeded();
  await page
    .locator('.thread')
    .first()
    .evaluate('node => window.scrollTo(0, node.getBoundingClientRect().top + window.scrollY - 130)');
  await page.screenshot({ path: `${folder}/pull-request-${scheme}.png` });
  await page.getByText('Open “Behind the scenes”').click();
  await page.locator('button.step:enabled').click();
  await page.locator('button.step:enabled', { hasText: 'Commit suggestion' }).waitFor();
  await page.locator('.phase.lit', { hasText: 'waits for people' }).waitFor();
  await page.screenshot({ path: `${folder}/behind-the-scenes-${scheme}.png` });
}

async function writeAll(): Promise<void> {
  const folder = fileURLToPath(new URL('../docs/images', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const session = await startSession(null);
  const server = await servePage(session, null, 0);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport: SIZE, colorScheme, reducedMotion: 'reduce' });
      await takePictures(page, server.url, folder, colorScheme);
    }
  } finally {
    await browser.close();
    await server.close();
    await session.close();
  }
}

if (import.meta.main) await writeAll();
