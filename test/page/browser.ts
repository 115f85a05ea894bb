import { existsSync } from 'node:fs';
import process from 'node:process';
import axe from 'axe-core';
import { type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
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
  /** Opens a tab that fails the test on each error of a script. */
  readonly open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Errors of scripts, and what the Content-Security-Policy refused. */
  readonly errors: string[];
  readonly close: () => Promise<void>;
};

/** The longest time that the page takes to show what somebody did, on a slow machine with other work (ms). */
const PAGE_MS = 60_000;

const VIEW: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' };

/** Starts a session, its page and a browser. Its App takes some seconds more. */
export async function startVisit(own: Scene | null): Promise<Visit> {
  const session = await startSession(null);
  const [server, browser] = await Promise.all([
    servePage(session, own, 0),
    chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] }),
  ]);
  const errors: string[] = [];
  return {
    ...{ url: server.url, session, errors },
    open: async (options = {}) => {
      const page = await (await browser.newContext({ ...VIEW, ...options })).newPage();
      page.setDefaultTimeout(PAGE_MS);
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

/** Runs in the page: waits for an element with this text, which it hears of from the document itself. */
const SEE = `(selector, text, ms) => new Promise((resolve, reject) => {
  const end = (settle, value) => { observer.disconnect(); clearTimeout(timer); settle(value); };
  const look = () => {
    const found = [...document.querySelectorAll(selector)];
    if (found.some((one) => one.textContent.includes(text) && one.checkVisibility())) end(resolve);
  };
  const observer = new MutationObserver(look);
  const timer = setTimeout(() => end(reject, new Error('The page does not show ' + selector + ' ' + text)), ms);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
})`;

/** Waits until the page shows an element with this text. Playwright's own waits look twice a second. */
export async function see(page: Page, selector: string, text = '', timeoutMs = PAGE_MS): Promise<void> {
  await page.evaluate(`(${SEE})(${[selector, text, timeoutMs].map((one) => JSON.stringify(one)).join(', ')})`);
}

/** A click, or what a person without a mouse does. */
type Press = (button: Locator) => Promise<void>;

const click: Press = (button) => button.click();

/** Opens a new pull request of the story with this title. */
export async function openStory(page: Page, url: string, title: string, press = click): Promise<void> {
  await page.goto(url);
  await press(page.locator('.story', { hasText: title }).getByRole('button'));
  await see(page, '.guide h2', title);
}

/** The longest time that the agent takes for a step, or the App to start, on a slow machine with other work (ms). */
export const AGENT_MS = 120_000;

/** Presses the step whose turn it is, and waits until the next one is possible. Returns whether the story is over. */
export async function playStep(page: Page, press = click): Promise<boolean> {
  await see(page, '.now button.step:enabled', '', AGENT_MS);
  const number = await page.locator('.now input[name="step"]').getAttribute('value');
  await press(page.locator('.now button.step:enabled'));
  const isOther = `:not(:has(input[name="step"][value="${number ?? ''}"]))`;
  await see(page, `.over, .now form${isOther} button.step:enabled`, '', AGENT_MS);
  return page.locator('.over').isVisible();
}

/** Chooses the person who acts. */
export async function actAs(page: Page, name: PersonName): Promise<void> {
  await page.locator(`.person[value="${name}"]`).click();
  await see(page, `.person[value="${name}"][aria-pressed="true"]`);
}

/** Serious findings of axe-core on this view: in light, and of contrast in dark. */
export async function listFindings(page: Page, place: string): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const run = async (options: string): Promise<readonly string[]> => {
    const found: unknown = await page.evaluate(
      `axe.run({ resultTypes: ['violations'], ${options} }).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ' ' + nodes.map(({ target }) => target).join(' ')))`,
    );
    return [found].flat().map(String);
  };
  const light = await run('');
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await run("runOnly: ['color-contrast']");
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light.map((one) => `${place}: ${one}`), ...dark.map((one) => `${place} in dark: ${one}`)];
}
