import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCENES, type Scene } from '../../demo/scenes/scenes.ts';
import { toFiles } from '../../demo/scenes/shop.ts';
import { CHROMIUM, openStory, playStory, startVisit, type Visit } from './browser.ts';

const ATTACK = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

/** A pull request whose title, description, file names and code try to run something. */
const HOSTILE: Scene = {
  id: 'own',
  title: 'A hostile pull request',
  why: `From ${ATTACK}`,
  repository: 'hostile',
  pullTitle: `Title ${ATTACK}`,
  pullBody: [
    ATTACK,
    '<style>body{display:none}</style><iframe src="/"></iframe><form action="/act"><input name="x"><button>press</button></form>',
    '<a href="javascript:window.hacked=1" style="position:fixed" onclick="window.hacked=1" class="top" id="page">a link</a>',
    '[another](javascript:window.hacked=1) ![picture](http://127.0.0.1:1/x.png)',
    `\`\`\`html\n${ATTACK}\n\`\`\``,
    `\`\`\`"><script>window.hacked=1</script>\nx\n\`\`\``,
  ].join('\n\n'),
  base: toFiles({ 'a.txt': 'a\n' }),
  head: toFiles({
    'a.txt': `${ATTACK}\n`,
    '<img src=x onerror=window.hacked=1>.ts': `const x = '</td></table>${ATTACK}';\n`,
  }),
  script: null,
  steps: [],
  test: null,
  note: '',
};

let visit: Visit;

async function isHacked(page: Page): Promise<boolean> {
  return (await page.evaluate('window.hacked')) !== undefined;
}

/** Serious findings of axe-core on this view: in light, and of contrast in dark. */
async function findingsOf(page: Page, place: string): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const run = async (options: string): Promise<readonly string[]> => {
    const found: unknown = await page.evaluate(
      `axe.run(${options}).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ' ' + nodes.map(({ target }) => target).join(' ')))`,
    );
    return [found].flat().map(String);
  };
  const light = await run('{}');
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await run("{ runOnly: ['color-contrast'] }");
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light.map((one) => `${place}: ${one}`), ...dark.map((one) => `${place} in dark: ${one}`)];
}

describe.skipIf(CHROMIUM === undefined)(
  'what the page keeps out, and for whom it works (PG8)',
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      visit = await startVisit(HOSTILE);
    });
    afterAll(() => visit.close());

    it('shows hostile titles, names, code and comments as text', async () => {
      const page = await visit.open();
      await page.goto(visit.url);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.locator('.comment').first().waitFor();
      await page.locator('#new-comment').fill(`${ATTACK}\n</textarea><b>bold</b>`);
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.locator('.comment b', { hasText: 'bold' }).waitFor();
      expect(
        await page.locator('.comment img, .comment script, .comment iframe, .comment .markdown-body form').count(),
      ).toBe(0);
      expect(
        await page.locator('a[href^="javascript"], .markdown-body [style], .markdown-body [onclick]').count(),
      ).toBe(0);
      expect(await page.locator('h1').textContent()).toContain('<script>');
      await page.getByRole('link', { name: 'Files changed' }).click();
      await page.locator('.path', { hasText: '<img src=x onerror=window.hacked=1>.ts' }).waitFor();
      expect(await isHacked(page)).toBe(false);
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

    it('has no serious finding of axe-core, in light and in dark', async () => {
      const page = await visit.open();
      await page.goto(visit.url);
      const seen = [...(await findingsOf(page, 'home'))];
      await playStory(page, visit.url, SCENES[0]?.title ?? '');
      await page.locator('.verdict.good').first().waitFor();
      seen.push(...(await findingsOf(page, 'commits')));
      await page.getByRole('link', { name: 'Files changed' }).click();
      await page.locator('.file').first().waitFor();
      seen.push(...(await findingsOf(page, 'files')));
      await page.getByRole('link', { name: 'Conversation' }).click();
      await page.locator('.trouble > summary').click();
      await page.getByText('Open “Behind the scenes”').click();
      await page.locator('.behind').waitFor();
      seen.push(...(await findingsOf(page, 'conversation')));
      expect(seen).toEqual([]);
    });

    it('works on a phone, and with the keyboard alone', async () => {
      const page = await visit.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      await openStory(page, visit.url, 'Approve, and go on');
      const step = page.locator('button.step:enabled');
      await step.focus();
      await page.keyboard.press('Enter');
      await page.locator('button.step:enabled', { hasText: '/approve' }).waitFor();
      const width: unknown = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBe(390);
      const answers = await page.locator('.comment.by-app').count();
      await page.locator('#new-comment').focus();
      await page.keyboard.type('/status');
      await page.keyboard.press('Control+Enter');
      await page.locator('.comment.by-app').nth(answers).waitFor();
    });
  },
);
