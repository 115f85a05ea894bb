import { existsSync } from 'node:fs';
import process from 'node:process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { servePage } from '../../demo/page/server.ts';
import { type Session, startSession } from '../../demo/page/session.ts';
import type { PersonName } from '../../demo/scenes/people.ts';
import type { Scene } from '../../demo/scenes/scenes.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; undefined without one. */
export const CHROMIUM = PLACES.find((path) => existsSync(path));

if (CHROMIUM === undefined)
  process.stderr.write(
    'The tests of the page in a browser are skipped: there is no Chromium. On Debian: apt-get install chromium\n',
  );

/** A running page, with a browser that looks at it. */
export type Visit = {
  readonly url: string;
  readonly session: Session;
  readonly browser: Browser;
  /** Opens a tab that fails the test on each error of a script. */
  readonly open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Errors of scripts, and what the Content-Security-Policy refused. */
  readonly errors: readonly string[];
  readonly close: () => Promise<void>;
};

const VIEW: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' };

/** Starts a session, its page and a browser. */
export async function startVisit(own: Scene | null): Promise<Visit> {
  const session = await startSession(null);
  const [server, browser] = await Promise.all([
    servePage(session, own, 0),
    chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] }),
    session.ready,
  ]);
  const errors: string[] = [];
  return {
    ...{ url: server.url, session, browser, errors },
    open: async (options = {}) => {
      const page = await (await browser.newContext({ ...VIEW, ...options })).newPage();
      page.setDefaultTimeout(20_000);
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      return page;
    },
    close: async () => {
      await browser.close();
      await server.close();
      await session.close();
    },
  };
}

/** Opens the story with this title, and returns the number of clicks that lead to its end. */
export async function playStory(page: Page, url: string, title: string): Promise<number> {
  await openStory(page, url, title);
  for (let clicks = 1; ; clicks += 1) if (await playStep(page)) return clicks;
}

/** Opens a new pull request of the story with this title. */
export async function openStory(page: Page, url: string, title: string): Promise<void> {
  await page.goto(url);
  await page.locator('.story', { hasText: title }).getByRole('button').click();
  await page.locator('.guide h2', { hasText: title }).waitFor();
}

/** The longest time that the agent takes for a step, or the App to start, on a machine with other work (ms). */
export const AGENT_MS = 45_000;

/** Clicks the step whose turn it is, and waits until the next one is possible. Returns whether the story is over. */
export async function playStep(page: Page): Promise<boolean> {
  const step = page.locator('.now form', { has: page.locator('button.step:enabled') });
  const number = await step.locator('input[name="step"]').getAttribute('value');
  await step.locator('button').click();
  const isOther = `:not(:has(input[name="step"][value="${number ?? ''}"]))`;
  await page.locator(`.over, .now form${isOther} button.step:enabled`).first().waitFor({ timeout: AGENT_MS });
  return page.locator('.over').isVisible();
}

/** Chooses the person who acts. */
export async function actAs(page: Page, name: PersonName): Promise<void> {
  const person = page.locator(`.person[value="${name}"]`);
  await person.click();
  await person.and(page.locator('[aria-pressed="true"]')).waitFor();
}
