import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_LIST } from '../../src/core/commands/all-commands.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');

/** All of the product's source, with the texts that people read in one line each. */
const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n');

const spans = [...page.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
const missingIn = (text: string, found: readonly string[]): readonly string[] =>
  found.filter((one) => !text.includes(one));

describe('the page about troubles (O7)', () => {
  it('begins with "nothing happens", and answers the questions of the field', () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings[0]).toBe('Nothing happens');
    const questions = [...page.matchAll(/^\*\*(.+\?)\*\*$/gm)].map(([, question]) => question);
    for (const word of ['branch protection', 'CI', 'signed', 'fork', 'permissions', 'paying'])
      expect(questions).toContainEqual(expect.stringContaining(word));
    for (const place of ['doctor`', 'inspect', 'The page at `/`', 'log of deliveries']) expect(page).toContain(place);
  });

  it('names only commands that exist, on the pull request and in the terminal', () => {
    const words = COMMAND_LIST.map(({ syntax }) => syntax.split(' ')[0] ?? '');
    const named = spans.filter((span) => /^\/[a-z]+(?: |$)/.test(span)).map((span) => span.split(' ')[0] ?? '');
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((word) => !words.includes(word) && !['/readyz', '/healthz'].includes(word))).toEqual([]);
    const inTerminal = spans.filter((span) => span.startsWith('countersign ')).map((span) => span.split(' ')[1] ?? '');
    expect(inTerminal.length).toBeGreaterThan(4);
    const program = readFileSync(join(root, 'src/cli.ts'), 'utf8');
    expect(inTerminal.filter((word) => !program.includes(`\n  ${word}: {`))).toEqual([]);
  });

  it('names only variables and settings that are read', () => {
    const names = spans.flatMap((span) => /^([A-Z][A-Z_]+)(?:=\S+)?$/.exec(span)?.[1] ?? []);
    expect(names).toContain('WEBHOOK_SECRET');
    expect(
      missingIn(
        source,
        names.filter((name) => name !== 'GITHUB_TOKEN'),
      ),
    ).toEqual([]);
  });

  it('quotes only words that the product says', () => {
    const quoted = [...page.matchAll(/“([^”]+)”/g)].map(([, words = '']) => words);
    expect(quoted.length).toBeGreaterThan(5);
    expect(missingIn(source.replaceAll(/\$\{repository\}#\$\{number\}/g, 'acme/shop#7'), quoted)).toEqual([]);
  });

  it('names only causes and reasons that the source has', () => {
    const codes = spans.filter((span) => /^[a-z]+(?:-[a-z]+)+$/.test(span));
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
  });

  it('names only statuses that the webhook answers with', () => {
    const rows = [...page.matchAll(/^ {3}\| (\d{3}) \|/gm)].map(([, status = '']) => status);
    const answers = readFileSync(join(root, 'src/adapters/http/server.ts'), 'utf8');
    expect(rows).toEqual(['401', '400', '404', '413', '503', '202']);
    expect(
      missingIn(
        answers,
        rows.map((status) => `{ status: ${status}, body:`),
      ),
    ).toEqual([]);
  });
});
